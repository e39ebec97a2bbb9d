"""Pages with numbers and an exact total: the envelope of every list."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from storepost.values.problems import FieldError, ValidationFailed

MAX_PAGE = 1_000_000
"""The last page that may be requested; a page past a list's end is empty."""

MAX_ROWS = 20_000
"""How many rows a combination of filters may scan."""

MAX_ANSWERED = 5_000_000
"""About how many bytes a page's rows may have: Lambda answers with 6 MB at most."""


class PageSize(IntEnum):
    """How many items a page has at most."""

    TEN = 10
    TWENTY_FIVE = 25
    FIFTY = 50
    HUNDRED = 100


_NARROWER = f"This filter, or a narrower one, leaves at most {MAX_ROWS:,} rows to look at."


class FilterTooBroad(ValidationFailed):
    """The filters together would have to look through more than 20,000 rows."""

    code = "filter_too_broad"
    title = "The filters are too broad together"
    remedy = "Narrow the list by the filter that `errors` names, or use fewer filters."

    def __init__(
        self, advised: str = "storeId", message: str = _NARROWER, *, place: str = "query."
    ) -> None:
        """Takes as `advised` the parameter that would narrow the list, or that must be left out.

        It is a query parameter, or, if `place` is `/`, a field of the body.
        """
        super().__init__(errors=[FieldError(f"{place}{advised}", message)])


class PageTooLarge(ValidationFailed):
    """The rows of the page are together more than an answer may hold."""

    code = "page_too_large"
    title = "The page is too large"
    remedy = "Ask for fewer rows by `pageSize`; 10 always fit."


def check_size(sizes: Iterable[float]) -> None:
    """Raises PageTooLarge if rows of these sizes, in bytes, are more than an answer may hold."""
    if sum(sizes) > MAX_ANSWERED:
        raise PageTooLarge()


def encoded_size(text: str) -> int:
    """Returns the bytes that a JSON text takes as a part of an answer.

    The answer's body is a string inside the function's answer, so it is encoded as JSON twice.
    """
    return len(json.dumps(text, ensure_ascii=False).encode())


@dataclass(frozen=True)
class PageRequest:
    """The requested page; pages count from 1."""

    number: int = 1
    size: int = PageSize.TWENTY_FIVE

    @property
    def skipped(self) -> int:
        """Returns how many rows are before the page."""
        return (self.number - 1) * self.size


@dataclass(frozen=True)
class Listing[T]:
    """One page of rows, and the total number of rows."""

    items: Sequence[T]
    total: int
    request: PageRequest


def is_among(value: object, requested: Collection[object] | None) -> bool:
    """Returns whether a row's value is one of those that a filter requests; None requests all."""
    return requested is None or value in requested


def is_within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    """Returns whether a row's moment is from `since` (inclusive) to `until` (exclusive)."""
    return (since is None or moment >= since) and (until is None or moment < until)


def cut[T](rows: Sequence[T], request: PageRequest) -> Listing[T]:
    """Returns the page of a small list that was read whole."""
    return Listing(rows[request.skipped : request.skipped + request.size], len(rows), request)


def in_order[T](rows: Sequence[T], by: str, fields: dict[str, Callable[[T], object]]) -> list[T]:
    """Returns the rows sorted by one of the fields, `-` for descending; each has the id for ties.

    None sorts last ascending and first descending, as the whole order is reversed.
    """
    of = fields[by.removeprefix("-")]

    def key(row: T) -> tuple[bool, object]:
        value = of(row)
        parts = value if isinstance(value, tuple) else (value,)
        return (parts[0] is None, tuple("" if part is None else part for part in parts))

    return sorted(rows, key=key, reverse=by.startswith("-"))
