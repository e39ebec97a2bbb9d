"""Rows written in every format, and files read."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from xml.sax.saxutils import escape

from storepost.feeds.files.bounds import Bound
from storepost.feeds.files.reading import read_feed

type Text = Mapping[str, str]

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def pieces(content: bytes, size: int = 65_536) -> Iterator[bytes]:
    """The content a piece at a time."""
    return (content[start : start + size] for start in range(0, len(content), size))


def read(
    content: bytes, content_type: str = "", bound: Bound | None = None, size: int = 65_536
) -> tuple[str, list[dict[str, str] | None]]:
    """The format and the rows of a file."""
    file = read_feed(pieces(content, size), content_type, bound or Bound())
    rows = list(file.rows)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return file.format, [row.cells for row in rows]


def columns_of(rows: Sequence[Text]) -> list[str]:
    """The columns of all rows, in the order of their first use."""
    return list(dict.fromkeys(name for row in rows for name in row))


def as_table(rows: Sequence[Text], delimiter: str = ",") -> str:
    """The rows as CSV and its like."""
    written = io.StringIO()
    writer = csv.DictWriter(written, columns_of(rows), restval="", delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def as_rss(rows: Sequence[Text]) -> str:
    """The rows as RSS with the merchant's prefix."""
    items = "".join(_elements(row, "item", "g:") for row in rows)
    start = '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
    return f"{start}<title>Shop</title>{items}</channel></rss>"


def as_atom(rows: Sequence[Text]) -> str:
    """The rows as Atom without a prefix."""
    entries = "".join(_elements(row, "entry", "") for row in rows)
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Shop</title>{entries}</feed>'


def as_channel(rows: Sequence[Text]) -> str:
    """The rows as a bare channel."""
    return f"<channel>{''.join(_elements(row, 'item', '') for row in rows)}</channel>"


def as_array(rows: Sequence[Text]) -> str:
    """The rows as a JSON array."""
    return json.dumps(list(rows), indent=1)


def as_products(rows: Sequence[Text]) -> str:
    """The rows as `{"products": […]}`."""
    return json.dumps({"version": 1, "products": list(rows)}, ensure_ascii=False)


def as_lines(rows: Sequence[Text]) -> str:
    """The rows as an object a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMATS: dict[str, Callable[[Sequence[Text]], str]] = {
    **{name: partial(as_table, delimiter=d) for name, d in DELIMITERS.items()},
    "rss": as_rss,
    "atom": as_atom,
    "channel": as_channel,
    "array": as_array,
    "products": as_products,
    "lines": as_lines,
}
"""Each way to write rows down."""


def encoded(text: str, encoding: str, *, zipped: bool) -> bytes:
    """The file's bytes."""
    content = text.encode(encoding)
    return gzip.compress(content, 1) if zipped else content


def _elements(row: Text, name: str, prefix: str) -> str:
    inside = "".join(f"<{prefix}{k}>{escape(v)}</{prefix}{k}>" for k, v in row.items() if v)
    return f"<{name}>{inside}</{name}>"
