"""When a sale applies: `sale_price_effective_date`, and columns with its beginning or end."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time

from storepost.feeds.records.names import compared_name, compared_names

_BOTH = compared_names("sale_price_effective_date")
_STARTS = compared_names(
    "date_sale_price_starts",
    "special_price_from_date",
    "special_from_date",
    "sale_price_dates_from",
    "discount_from",
    "sale_price_start_date",
    "date_on_sale_from_gmt",
    "date_on_sale_from",
)
_ENDS = compared_names(
    "date_sale_price_ends",
    "special_price_to_date",
    "special_to_date",
    "sale_price_dates_to",
    "discount_to",
    "sale_price_end_date",
    "date_on_sale_to_gmt",
    "date_on_sale_to",
)
_USUAL = ("sale_price_effective_date", "sale price effective date")
"""Columns that count even if the mapping doesn't name them."""
_OFFSET = re.compile(r"([+-]\d\d)(\d\d)?$")
_OF_UTC = re.compile(r"\s*(?:UTC|GMT)$")
_TIMESTAMP = re.compile(r"\d{10}")
"""Seconds since 1970, as WordPress stores both moments of a sale."""
_MONTH_FIRST = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)(?:,?\s.*)?")
_DAY_FIRST = re.compile(
    r"(?P<day>\d{1,2})(?P<mark>[./])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)(?:,?\s.*)?"
)

_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-./])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?:[T\s].*)?"
)
"""A date whose time isn't ISO 8601's, such as that of Meta's template: `2017-12-01T0:00-23:59`."""
_DASHED = re.compile(r"(?P<day>\d{1,2})-(?P<month>\d{1,2})-(?P<year>\d{4})(?:,?\s.*)?")


class SaleTimes:
    """Reads when a row's sale applies."""

    def __init__(self, columns: Iterable[str]) -> None:
        """`columns` are all those that the mapping names."""
        named = [(compared_name(each), each) for each in (*dict.fromkeys((*columns, *_USUAL)),)]
        self._both = [each for name, each in named if name in _BOTH]
        self._starts = [each for name, each in named if name in _STARTS]
        self._ends = [each for name, each in named if name in _ENDS]

    def holds(self, cells: Mapping[str, str], now: datetime) -> bool:
        """Returns whether the sale price applies at `now`; without dates it always does."""
        both = _first(cells, self._both)
        starts, _, ends = both.partition("/")
        first = _moment(starts.strip() or _first(cells, self._starts), is_end=False)
        last = _moment(ends.strip() or _first(cells, self._ends), is_end=True)
        return (first is None or first <= now) and (last is None or now < last)


def _first(cells: Mapping[str, str], columns: list[str]) -> str:
    return next((text for each in columns if (text := cells.get(each, "").strip())), "")


def _moment(text: str, *, is_end: bool) -> datetime | None:
    """Returns the moment; for a date that ends a sale, the day's end. None if it is neither."""
    if text.startswith("0000"):
        return None
    if _TIMESTAMP.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC)
    text = _of_date(text) or _OFFSET.sub(r"\1\2", _OF_UTC.sub("+00", text))
    moment = _in_iso(text)
    if moment is None:
        text = _date_in(_YEAR_FIRST.fullmatch(text)) or ""
        moment = _in_iso(text)
    if moment is None:
        return None
    if is_end and moment.time() == time() and "T" not in text and ":" not in text:
        moment = datetime.combine(moment.date(), time.max, moment.tzinfo)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _in_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _of_date(text: str) -> str | None:
    """Returns the date in ISO 8601, without a time behind it; None if it isn't written so.

    Between slashes the month comes first, if it can be one.
    """
    found = _MONTH_FIRST.fullmatch(text)
    if found is None or int(found["month"]) > 12:
        found = _DAY_FIRST.fullmatch(text) or _DASHED.fullmatch(text)
    return _date_in(found)


def _date_in(found: re.Match[str] | None) -> str | None:
    if found is None:
        return None
    year = found["year"] if len(found["year"]) == 4 else f"20{found['year']}"
    return f"{year}-{found['month']:>02}-{found['day']:>02}"
