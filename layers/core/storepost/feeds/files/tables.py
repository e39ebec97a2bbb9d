"""Rows of CSV and its like."""

import csv
from collections.abc import Iterator

from storepost.feeds.files.bounds import MAX_NAME_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.source import FeedText
from storepost.values.csv_reading import csv_rows

type Cells = dict[str, str] | None
"""A row's text by column; None where it has more or fewer columns than the header."""


def table_rows(text: FeedText, delimiter: str) -> Iterator[Cells]:
    """The rows behind the header; lines with nothing in them are none. Raises FeedUnusable."""
    reader = csv_rows(text.lines(), delimiter)
    try:
        header = next(filter(None, reader), [])
        columns = _columns(header)
        for cells in reader:
            text.row_ended()
            if cells:
                yield dict(zip(columns, cells, strict=True)) if len(cells) == len(header) else None
    except csv.Error as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error


def _columns(header: list[str]) -> list[str]:
    """The columns' names; of several that have one name, the later ones with their number."""
    seen = dict[str, int]()
    names = list[str]()
    for cell in header:
        name = cell.strip().lstrip("\ufeff")
        if len(name) > MAX_NAME_LENGTH:
            raise FeedUnusable(FeedFailure.UNREADABLE)
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
