"""Reads a feed's file, from its bytes to its rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from storepost.feeds.files.bounds import MAX_COLUMNS, Bound, Sample
from storepost.feeds.files.encodings import in_utf_8
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.formats import FeedFormat, Shape, shape_of
from storepost.feeds.files.markup import xml_rows
from storepost.feeds.files.source import HEAD_BYTES, FeedText, head_of, inflated
from storepost.feeds.files.tables import Cells, table_rows


@dataclass(frozen=True)
class Row:
    """Holds a row: its number in the file, from 1, and its text by column."""

    number: int
    cells: dict[str, str] | None = field(repr=False)
    """None if it has more or fewer columns than the header."""


@dataclass(frozen=True)
class FeedFile:
    """Holds a file's format, and its rows, which can be iterated once."""

    format: FeedFormat
    rows: Iterator[Row]


def read_feed(pieces: Iterable[bytes], content_type: str, bound: Bound) -> FeedFile:
    """Returns the feed in the bytes. Raises FeedUnusable, here or while the rows are read."""
    whole = bound.pieces(inflated(pieces))
    head, rest = head_of(whole, HEAD_BYTES)
    if not head.strip():
        raise FeedUnusable(FeedFailure.NO_ROWS)
    shape = shape_of(head, content_type)
    known = rest if shape.encoding else in_utf_8(rest)
    is_sample = isinstance(bound, Sample)
    text = FeedText(known, shape.encoding or "utf-8", may_be_truncated=is_sample)
    rows = bound.rows(_read(text, shape, bound))
    return FeedFile(shape.format, (Row(number, cells) for number, cells in enumerate(rows, 1)))


def _rows_of(text: FeedText, shape: Shape) -> Iterator[Cells]:
    match shape.format:
        case FeedFormat.XML:
            return xml_rows(text)
        case FeedFormat.JSON:
            from storepost.feeds.files.documents import json_rows  # noqa: PLC0415 - ijson

            return json_rows(text)
        case _:
            return table_rows(text, shape.table)


def _read(text: FeedText, shape: Shape, bound: Bound) -> Iterator[Cells]:
    """Yields the rows; of a truncated file all but the last, which may be incomplete."""
    pending: list[Cells] = []
    try:
        for row in _bounded(_rows_of(text, shape)):
            yield from pending
            pending = [row]
    except FeedUnusable:
        if bound.is_truncated:
            return
        raise
    if not bound.is_truncated:
        yield from pending


def _bounded(rows: Iterator[Cells]) -> Iterator[Cells]:
    for row in rows:
        if row and len(row) > MAX_COLUMNS:
            raise FeedUnusable(FeedFailure.ROW_TOO_LONG)
        yield row
