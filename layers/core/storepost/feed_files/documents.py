"""Rows of JSON: an array, `{"products": […]}`, or an object a line."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal

import ijson

from storepost.feed_files.bounds import ROW_LENGTH
from storepost.feed_files.failures import FeedFailure, FeedUnusable
from storepost.feed_files.numbers import number_of
from storepost.feed_files.source import FeedText

_MOST_OPEN = 5_000
"""Arrays and objects that a piece may open and leave open; the parser names each in the next."""


def json_rows(text: FeedText) -> Iterator[dict[str, str]]:
    """The objects as rows. Raises FeedUnusable."""
    start = ""
    while not start.lstrip("\ufeff \t\r\n") and (piece := text.read()):
        start += piece
    source = _Source(text, start)
    try:
        if start.lstrip("\ufeff \t\r\n").startswith("["):
            yield from _array(source, "item")
        elif _is_lines(source):
            yield from _lines(source)
        else:
            yield from _array(source, "products.item")
    except (ijson.JSONError, ValueError, RecursionError) as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error


class _Source:
    """The text as ijson reads it, with what was read already put back in front."""

    def __init__(self, text: FeedText, start: str) -> None:
        self.text = text
        self._start = start.lstrip("\ufeff \t\r\n")
        self._depth = 0

    def first_line(self) -> str | None:
        """The first line, without taking it; None where it has no end within a row's bound."""
        while "\n" not in self._start and len(self._start) <= ROW_LENGTH:
            piece = self.text.read()
            if not piece:
                return self._start
            self._start += piece
        line, end, _ = self._start.partition("\n")
        return line if end else None

    def lines(self) -> Iterator[str]:
        """The rest, a line at a time."""
        *whole, left = self._start.split("\n")
        yield from whole
        self._start = ""
        for line in self.text.lines():
            yield left + line
            left = ""
        if left:
            yield left

    def row_ended(self) -> None:
        """A row is whole."""
        self.text.row_ended()
        self._depth = 0

    def read(self, _length: int = -1) -> bytes:
        """The next piece, for ijson."""
        if _length == 0:
            return b""
        taken, self._start = self._start or self.text.read(), ""
        self._depth += taken.count("[") + taken.count("{") - taken.count("]") - taken.count("}")
        if self._depth > _MOST_OPEN:
            raise FeedUnusable(FeedFailure.UNREADABLE)
        return taken.encode()


def _is_lines(source: _Source) -> bool:
    line = source.first_line()
    if line is None:
        return False
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not isinstance(found.get("products"), list)


def _lines(source: _Source) -> Iterator[dict[str, str]]:
    for line in source.lines():
        if line.strip():
            found = json.loads(line, parse_float=Decimal)
            yield _row(found)
            source.row_ended()


def _array(source: _Source, prefix: str) -> Iterator[dict[str, str]]:
    for found in ijson.items(source, prefix):
        source.row_ended()
        yield _row(found)


def _row(found: object) -> dict[str, str]:
    if not isinstance(found, Mapping):
        raise FeedUnusable(FeedFailure.UNREADABLE)
    row = dict[str, str]()
    for key, value in found.items():
        if type(value) is str:
            row[key] = value
        else:
            _flatten(row, str(key), value)
    return row


def _flatten(row: dict[str, str], name: str, value: object) -> None:
    """What stands inside another object is a column of its own, `outer.inner`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _flatten(row, f"{name}.{key}", inner)
    elif isinstance(value, list):
        row[name] = ",".join(_text(each) for each in value)
    else:
        row[name] = _text(value)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float() | Decimal():
            return number_of(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)
