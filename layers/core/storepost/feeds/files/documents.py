"""Rows of JSON: an array, `{"products": […]}`, or one object per line."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import ijson

from storepost.feeds.files.bounds import ROW_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.objects import rows_of
from storepost.feeds.files.source import FeedText
from storepost.values.json_reading import DepthGuard, read_json

_PRODUCTS = "products"
_STARTS = frozenset({"start_map", "start_array"})
_ENDS = frozenset({"end_map", "end_array"})
_MAY_HALVE = "\\ud"
"""How an escaped surrogate begins, whether or not it is paired."""


def json_rows(text: FeedText) -> Iterator[dict[str, str]]:
    """Yields the objects as rows. Raises FeedUnusable."""
    start = ""
    while not start.lstrip("\ufeff \t\r\n") and (piece := text.read()):
        start += piece
    source = _Source(text, start)
    try:
        if start.lstrip("\ufeff \t\r\n").startswith("["):
            yield from _array(source, 1)
        elif _is_lines(source):
            yield from _lines(source)
        else:
            yield from _array(source, 2)
    except (ijson.JSONError, ValueError) as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error


class _Source:
    """The text for ijson, with what was already read put back in front."""

    def __init__(self, text: FeedText, start: str) -> None:
        self.text = text
        self._start = start.lstrip("\ufeff \t\r\n")
        self._depth = DepthGuard()

    def first_line(self) -> str | None:
        """Returns the first line without consuming it; None if it exceeds a row's bound."""
        while "\n" not in self._start and len(self._start) <= ROW_LENGTH:
            piece = self.text.read()
            if not piece:
                return self._start
            self._start += piece
        line, end, _ = self._start.partition("\n")
        return line if end else None

    def lines(self) -> Iterator[str]:
        """Yields the rest, a line at a time."""
        *whole, unfinished = self._start.split("\n")
        yield from whole
        self._start = ""
        for line in self.text.lines():
            yield unfinished + line
            unfinished = ""
        if unfinished:
            yield unfinished

    def row_ended(self) -> None:
        """Notes that a row is complete."""
        self.text.row_ended()

    def read(self, _length: int = -1) -> bytes:
        """Returns the next piece, for ijson."""
        if _length == 0:
            return b""
        text, self._start = self._start or self.text.read(), ""
        self._depth.feed(text)
        return text.encode()


def _is_lines(source: _Source) -> bool:
    line = source.first_line()
    if line is None:
        return False
    try:
        found = read_json(line)
    except ValueError:
        return False
    return isinstance(found, dict) and not isinstance(found.get(_PRODUCTS), list)


def _lines(source: _Source) -> Iterator[dict[str, str]]:
    for line in source.lines():
        if line.strip():
            for row in rows_of(read_json(line, parse_float=Decimal)):
                yield _in_utf_8(row) if _MAY_HALVE in line.lower() else row
            source.row_ended()


def _in_utf_8(row: dict[str, str]) -> dict[str, str]:
    """Returns the row with `?` for each unpaired surrogate, as the other parser gives it."""
    return {_replaced(name): type(value)(_replaced(value)) for name, value in row.items()}


def _replaced(text: str) -> str:
    return text.encode(errors="replace").decode()


def _array(source: _Source, level: int) -> Iterator[dict[str, str]]:
    for found in _values(ijson.basic_parse(source), level):
        source.row_ended()
        yield from rows_of(found)


def _values(events: Iterable[tuple[str, Any]], level: int) -> Iterator[Any]:
    """Yields the values of the array at that level; in an object, those of its `products`.

    ijson's own `items` names each value by its whole path, which takes hours for a row of long
    names.
    """
    depth, key, is_inside = 0, _PRODUCTS, False
    value = ijson.ObjectBuilder()
    for event, content in events:
        depth -= event in _ENDS
        if is_inside and depth >= level:
            value.event(event, content)
            depth += event in _STARTS
            if depth == level:
                yield value.value
        else:
            depth += event in _STARTS
            key = content if event == "map_key" and depth == 1 else key
            is_inside = event == "start_array" and depth == level and key == _PRODUCTS
