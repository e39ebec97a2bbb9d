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
)
_ENDS = compared_names(
    "date_sale_price_ends",
    "special_price_to_date",
    "special_to_date",
    "sale_price_dates_to",
    "discount_to",
    "sale_price_end_date",
)
_USUAL = ("sale_price_effective_date", "sale price effective date")
"""Columns that count even if the mapping doesn't name them."""
_OFFSET = re.compile(r"([+-]\d\d)(\d\d)?$")
_MONTH_FIRST = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})(?:,?\s.*)?")


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
    if found := _MONTH_FIRST.fullmatch(text):
        month, day, year = found.groups()
        text = f"{year if len(year) == 4 else f'20{year}'}-{month:>02}-{day:>02}"
    try:
        moment = datetime.fromisoformat(_OFFSET.sub(r"\1\2", text))
    except ValueError:
        return None
    if is_end and moment.time() == time() and "T" not in text and ":" not in text:
        moment = datetime.combine(moment.date(), time.max, moment.tzinfo)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
