"""What the beginning of a file shows of its columns, before its rows are read."""

from collections.abc import Iterator
from itertools import chain

from storepost.feeds.files.reading import Row
from storepost.feeds.records.amounts import Terms
from storepost.feeds.records.mapping import FeedMapping, Target
from storepost.feeds.records.prices import decimal_point
from storepost.feeds.records.reading import RowReader

MAX_ROWS = 1_000
MAX_LENGTH = 4 * 1024**2
"""Characters of those rows."""
_PRICES = (Target.PRICE, Target.SALE_PRICE)


def reader_of(
    rows: Iterator[Row], mapping: FeedMapping, terms: Terms
) -> tuple[RowReader, Iterator[Row]]:
    """What reads the rows of a file, and all of them from the first on."""
    head, length = list[Row](), 0
    for row in rows:
        head.append(row)
        length += sum(map(len, (row.cells or {}).values()))
        if len(head) >= MAX_ROWS or length >= MAX_LENGTH:
            break
    points = {
        column: point
        for column, target in mapping.items()
        if target in _PRICES and (point := _point(head, column))
    }
    return RowReader(mapping, terms, points), chain(head, rows)


def _point(rows: list[Row], column: str) -> str | None:
    return decimal_point(row.cells[column] for row in rows if row.cells and column in row.cells)
