"""Files that mean harm, or are no feeds: each is refused, within bounds."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator

import pytest

from storepost.feeds.files import bounds
from storepost.feeds.files.bounds import Bound
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.reading import read_feed
from tests.feeds.files.making import pieces, read
from tests.growth import assert_linear

BILLION_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<channel><item><id>&b;</id></item></channel>"
)
EXTERNAL = (
    b'<!DOCTYPE r [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    b"<channel><item><id>&secret;</id></item></channel>"
)
PARAMETERS = (
    b'<!DOCTYPE r [<!ENTITY % more SYSTEM "http://169.254.169.254/"> %more;]>'
    b"<channel><item><id>1</id></item></channel>"
)


REFUSED = {
    "entity bomb": (BILLION_LAUGHS, FeedFailure.UNREADABLE),
    "external entity": (EXTERNAL, FeedFailure.UNREADABLE),
    "parameter entity": (PARAMETERS, FeedFailure.UNREADABLE),
    "unknown entity": (b"<r><item><id>&nbsp;</id></item></r>", FeedFailure.UNREADABLE),
    "HTML": (b"<!DOCTYPE html>\n<html><body>Log in</body></html>", FeedFailure.UNREADABLE),
    "HTML without a doctype": (b"<HTML><p>x</HTML>", FeedFailure.UNREADABLE),
    "XHTML": (b'<?xml version="1.0"?><html><body/></html>', FeedFailure.UNREADABLE),
    "broken XML": (b"<rss><channel><item><id>1</item></rss>", FeedFailure.UNREADABLE),
    "XML that breaks off": (b"<rss><channel><item><id>1</id></item>", FeedFailure.UNREADABLE),
    "JSON that breaks off": (b'[{"id": "1"}, {"id":', FeedFailure.UNREADABLE),
    "JSON of numbers": (b"[1, 2, 3]", FeedFailure.UNREADABLE),
    "lines of no objects": (b'{"id": 1}\n[1]\n', FeedFailure.UNREADABLE),
    "deep arrays": (b"[" * 200_000, FeedFailure.UNREADABLE),
    "deep objects": (b'{"a":' * 200_000, FeedFailure.UNREADABLE),
    "deep objects in a line": (
        b'{"id": 1}\n' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        FeedFailure.UNREADABLE,
    ),
    "arrays that close in the same piece": (
        b'{"products":' + b"[" * 500_000 + b"]" * 500_000 + b"}",
        FeedFailure.UNREADABLE,
    ),
    "arrays that close after brackets in a string": (
        b'[{"a": "' + b"]" * 9_000 + b'", "b": ' + b"[" * 101 + b"]" * 101 + b"}]",
        FeedFailure.UNREADABLE,
    ),
    "an array a line, too deep": (
        b'{"id": 1}\n{"a":' + b"[" * 100 + b"]" * 100 + b"}\n",
        FeedFailure.UNREADABLE,
    ),
    "deep elements in an item": (
        b"<r><item>" + b"<a>x" * 100_000 + b"</a>" * 100_000 + b"</item></r>",
        FeedFailure.UNREADABLE,
    ),
    "deep elements around the items": (
        b"<r>" + b"<a>" * 100 + b"<item><id>1</id></item>" + b"</a>" * 100 + b"</r>",
        FeedFailure.UNREADABLE,
    ),
    "columns with long names, many times": (
        b'[{"a":'
        + (b'{"' + b"k" * 9_000 + b'":') * 50
        + b"{"
        + b",".join(b'"%x":0' % number for number in range(50_000))
        + b"}" * 52
        + b"]",
        FeedFailure.UNREADABLE,
    ),
    "elements with long names, many times": (
        b"<r><item>"
        + b"".join(b"<%s>" % (b"k" * 9_000 + b"%d" % n) for n in range(50))
        + b"<b>x</b>" * 50_000,
        FeedFailure.UNREADABLE,
    ),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)),
        FeedFailure.UNREADABLE,
    ),
    "gzip that breaks off": (gzip.compress(b"id\n1\n" * 9999)[:-20], FeedFailure.UNREADABLE),
    "gzip of nonsense": (b"\x1f\x8b\x08\x00 this is no gzip", FeedFailure.UNREADABLE),
    "empty": (b"", FeedFailure.NO_ROWS),
    "blank": (b" \r\n\t\n", FeedFailure.NO_ROWS),
    "empty gzip": (gzip.compress(b""), FeedFailure.NO_ROWS),
    "an endless line": (b"id,name\n1," + b"x" * 3_000_000, FeedFailure.ROW_TOO_LONG),
    "an endless header": (b"id," * 2_000_000, FeedFailure.ROW_TOO_LONG),
    "an endless quote": (b'id,name\n1,"' + b"line\n" * 600_000, FeedFailure.ROW_TOO_LONG),
    "an endless item": (b"<r><item>" + b"<a>x</a>" * 400_000, FeedFailure.ROW_TOO_LONG),
    "an endless element": (b"<r><item><a>" + b"x" * 3_000_000, FeedFailure.ROW_TOO_LONG),
    "an endless tag": (b"<r><item " + b"a='1' " * 600_000, FeedFailure.ROW_TOO_LONG),
    "endless nesting": (b"<r>" + b"<a>" * 1_000_000, FeedFailure.UNREADABLE),
    "too many columns": (
        b",".join(b"%d" % n for n in range(2_001)) + b"\n" + b"," * 2_000 + b"\n",
        FeedFailure.ROW_TOO_LONG,
    ),
    "a column's long name": (b"id," + b"n" * 1_001 + b"\n1,2\n", FeedFailure.UNREADABLE),
    "too many elements": (
        b"<r><item>" + b"".join(b"<a%d>1</a%d>" % (n, n) for n in range(2_001)) + b"</item></r>",
        FeedFailure.ROW_TOO_LONG,
    ),
    "too many fields": (
        b"[{" + b",".join(b'"%d":1' % n for n in range(2_001)) + b"}]",
        FeedFailure.ROW_TOO_LONG,
    ),
    "an endless object": (b'[{"a": "' + b"x" * 3_000_000, FeedFailure.ROW_TOO_LONG),
    "an endless object a line": (b'{"id":1}\n{"a": "' + b"x" * 3_000_000, FeedFailure.ROW_TOO_LONG),
}


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_file_is_refused_in_little_memory(name: str) -> None:
    content, why = REFUSED[name]
    tracemalloc.start()
    try:
        with pytest.raises(FeedUnusable) as refused:
            read(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.value.why is why
    assert peak < 64 * 1024**2


DEEP_BUT_READ = {
    "an array within 100 levels": b'[{"id":"1","a":' + b"[" * 98 + b"]" * 98 + b"}]",
    "brackets in a string": b'[{"id":"1","a":"' + b"[{" * 5_000 + b'"}]',
    "brackets behind an escaped quote": b'[{"id":"1","a":"\\"' + b"[{" * 5_000 + b'"}]',
    "a line within 100 levels": b'{"id":"1","a":' + b"[" * 99 + b"]" * 99 + b"}\n" * 1,
    "elements within 100 levels": (
        b"<r><item><id>1</id>" + b"<a>" * 98 + b"x" + b"</a>" * 98 + b"</item></r>"
    ),
}


@pytest.mark.parametrize("name", DEEP_BUT_READ)
def test_nesting_within_100_levels_is_read(name: str) -> None:
    _, [row] = read(DEEP_BUT_READ[name])
    assert row
    assert row["id"] == "1"


def test_repeated_elements_take_linear_time() -> None:
    def images(count: int) -> None:
        _, [row] = read(b"<r><item>" + b"<img>x</img>" * count + b"</item></r>")
        assert row == {"img": ",".join("x" * count)}

    assert_linear(images, 5_000)


def test_lone_surrogate_is_replaced() -> None:
    _, [row] = read(b'{"id": "1", "a\\ud800": "x\\udfffy", "b": "\\ud83d\\ude00"}\n')
    assert row == {"id": "1", "a?": "x?y", "b": "\U0001f600"}


@pytest.mark.parametrize("unknown", ["klingon", "rot13", "unicode_escape", "utf-9", "base64"])
def test_unknown_encoding_is_refused(unknown: str) -> None:
    with pytest.raises(FeedUnusable) as refused:
        read(b"id\n1\n", f"text/csv; charset={unknown}")
    assert refused.value.why is FeedFailure.UNREADABLE


def zeros(megabytes: int) -> Iterator[bytes]:
    """A gzip of short lines, which inflates a thousandfold."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield packing.compress(b"id,name\n")
    for _ in range(megabytes):
        yield packing.compress((b"1," + b"0" * 1021 + b"\n") * 1024)
    yield packing.flush()


def test_decompression_bomb_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_BYTES", 8 * 1024**2)
    packed = b"".join(zeros(64))
    assert len(packed) < 1024**2
    feed = read_feed(pieces(packed), "", Bound())
    numbers = (row.number for row in feed.rows)
    with pytest.raises(FeedUnusable) as refused:
        assert max(numbers) == 0
    assert refused.value.why is FeedFailure.TOO_LARGE
    assert next(numbers, None) is None


def test_memory_is_independent_of_file_size() -> None:
    """A file of eight times the size needs almost no more memory."""
    peaks = []
    for megabytes in (1, 8):
        tracemalloc.start()
        try:
            for _ in read_feed(zeros(megabytes), "", Bound()).rows:
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] - peaks[0] < 1024**2


def test_declared_attributes_of_many_elements_take_little_memory() -> None:
    """Each of these elements has the attribute if its declaration counts: 1.2 GB altogether."""
    declaration = b'<!DOCTYPE r [<!ATTLIST item x CDATA "' + b"a" * 60_000 + b'">]>'
    content = declaration + b"<r>" + b"<item><id>1</id></item>" * 20_000 + b"</r>"
    tracemalloc.start()
    try:
        rows = list(read_feed(pieces(content), "", Bound()).rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(rows) == 20_000
    assert peak < 64 * 1024**2
