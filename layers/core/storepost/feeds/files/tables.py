"""Rows of CSV and similar formats."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from storepost.feeds.files.bounds import MAX_NAME_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.source import FeedText
from storepost.values.csv_reading import csv_rows

type Cells = dict[str, str] | None
"""A row's text by column; None if it has more or fewer columns than the header."""

_DELIMITERS = ",;\t|"
_JUDGED_BY = 50
"""Rows by which a delimiter is judged."""
_NAMED = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
"""How a spreadsheet declares its delimiter, in a line of its own."""
_COMMENT = re.compile(r"\s*\"?#\s")


@dataclass(frozen=True)
class Table:
    """Says how a table is written."""

    delimiter: str = ","
    has_spaces: bool = False
    """Whether there are spaces between a delimiter and a quote."""


def table_of(text: str, content_type: str) -> Table:
    """Returns how a table that begins like this is written."""
    lines = list(io.StringIO(text, newline=""))
    if lines and (named := _NAMED.fullmatch(lines[0])):
        return Table(named[1], _has_spaces(text, named[1]))
    whole = _without_preamble(lines)
    judged = {each: _evenness(whole, each) for each in _DELIMITERS}
    best = max(judged.values())
    if "tab-separated" in content_type and judged["\t"] == best:
        return Table("\t", _has_spaces(text, "\t"))
    delimiter = max(_DELIMITERS, key=lambda each: judged[each])
    return Table(delimiter, _has_spaces(text, delimiter))


def _has_spaces(text: str, delimiter: str) -> bool:
    return f'{delimiter} "' in text


def _without_preamble(lines: list[str]) -> list[str]:
    start = next((n for n, line in enumerate(lines) if not _is_preamble(line)), len(lines))
    return lines[start:]


def _is_preamble(line: str) -> bool:
    """Returns whether a line precedes the header: empty, a comment, or `sep=`."""
    return not line.strip() or _COMMENT.match(line) is not None or bool(_NAMED.fullmatch(line))


def _evenness(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Returns what share of the rows has as many columns as the header, and how many it has."""
    reader = csv_rows(lines, delimiter, skips_spaces=True)
    try:
        rows = list(islice(filter(None, reader), _JUDGED_BY + 1))
    except csv.Error:
        return 0.0, 0
    columns = len(rows[0]) if rows else 1
    if columns == 1:
        return 0.0, 0
    behind = rows[1:-1] or rows[1:]  # the last one may be cut
    even = sum(1 for row in behind if len(row) == columns)
    return (round(even / len(behind), 1) if behind else 1.0), columns


def table_rows(text: FeedText, table: Table) -> Iterator[Cells]:
    """Yields the rows after the header, without empty lines and repetitions of the header.

    Raises FeedUnusable.
    """
    lines = _Lines(text.lines())
    reader = csv_rows(lines, table.delimiter, skips_spaces=table.has_spaces)
    try:
        header = next(filter(any, reader), [])
        columns = _columns(header)
        for cells in reader:
            text.row_ended()
            if cells and cells != header:
                yield _row(columns, cells)
    except csv.Error as error:
        detail = f"Line {lines.count} can't be read as a line of a table."
        raise FeedUnusable(FeedFailure.UNREADABLE, detail) from error


class _Lines:
    """The lines from the header on, counted from the file's first."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        is_before = True
        for line in self._lines:
            self.count += 1
            is_before = is_before and _is_preamble(line.lstrip("\ufeff"))
            if not is_before:
                yield line


def _row(columns: Sequence[str], cells: list[str]) -> Cells:
    """Returns the row; a delimiter at the end of its line, or of the header's, adds no column."""
    while len(cells) > len(columns) and not cells[-1]:
        cells.pop()
    if len(cells) < len(columns) and not any(columns[len(cells) :]):
        columns = columns[: len(cells)]
    if len(cells) != len(columns):
        return None
    return {name: cell for name, cell in zip(columns, cells, strict=True) if name}


def _columns(header: list[str]) -> list[str]:
    """Returns the columns' names; of equal names the later ones get a number."""
    seen = dict[str, int]()
    names = list[str]()
    for cell in header:
        name = cell.strip().lstrip("\ufeff")
        if len(name) > MAX_NAME_LENGTH:
            raise FeedUnusable(FeedFailure.UNREADABLE)
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 or not name else f"{name} ({seen[name]})")
    return names
