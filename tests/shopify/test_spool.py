"""An export's file, line by line, whatever its lines contain."""

import json
from collections.abc import Iterable

import pytest

from storepost.sync.pulls import spool
from storepost.sync.pulls.spool import Spool

ORDER = {"id": "gid://shopify/Order/1"}
LINES = {
    "no JSON": b"{",
    "no object": b"[1]",
    "a number alone": b"7",
    "null": b"null",
    "no id": b"{}",
    "an id that is no text": b'{"id": 1}',
    "an id that is a list": b'{"id": [], "__parentId": "gid://shopify/Order/1"}',
    "an id beyond 64 bits": b'{"id": ' + b"9" * 400 + b"}",
    "a parent that is no text": b'{"__parentId": {"a": 1}}',
    "half a pair of surrogates": b'{"id": "\\ud800"}',
    "too deep": b'{"id": "1", "a": ' + b"[" * 200 + b"]" * 200 + b"}",
    "far too deep": b"[" * 1_000_000,
    "no UTF-8": b'{"id": "\xff"}',
    "a number of thousands of digits": b'{"id": "1", "a": ' + b"9" * 5_000 + b"}",
}


def filled(pieces: Iterable[bytes]) -> list[tuple[dict[str, object], list[dict[str, object]]]]:
    """The records of a file."""
    with Spool() as records:
        records.fill(pieces)
        return [records.at(place) for place in range(len(records))]


@pytest.mark.parametrize("name", LINES)
def test_invalid_line_is_skipped(name: str) -> None:
    file = b"\n".join([LINES[name], json.dumps(ORDER).encode(), LINES[name]])
    assert filled([file]) == [(ORDER, [])]


def test_overlong_line_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_LINE_BYTES", 1_000)
    long = b'{"id": "2", "a": "' + b"x" * 2_000 + b'"}'
    file = b"\n".join([json.dumps(ORDER).encode(), long, b'{"id": "3"}', long])
    pieces = [file[start : start + 100] for start in range(0, len(file), 100)]
    assert filled(pieces) == [(ORDER, []), ({"id": "3"}, [])]


def test_cyclic_parent_ids_do_not_loop() -> None:
    """Shopify has none, but reading a record ends even so."""
    ring = [{"id": "a", "__parentId": "b"}, {"id": "b", "__parentId": "a"}]
    below = {"id": "a", "__parentId": ORDER["id"]}
    lines = [json.dumps(each).encode() for each in (ORDER, below, *ring)]
    [(found, children)] = filled([b"\n".join(lines)])
    assert found == ORDER
    assert children == [below, ring[0], ring[1]]


@pytest.mark.parametrize(
    ("file", "count"),
    [
        (b'{"id": "1"}\n', 0),
        (b"{\n[1]\n", 2),
        (b'{"id": "1"}\n{"id": "2', 0),
        (b"\n\n", 0),
        (b"x" * 2_000 + b"\n", 1),
        (b"x" * 2_000, 0),
    ],
)
def test_unreadable_whole_lines_are_counted(
    monkeypatch: pytest.MonkeyPatch, file: bytes, count: int
) -> None:
    """A line without its end is one that the file broke off in."""
    monkeypatch.setattr(spool, "MAX_LINE_BYTES", 1_000)
    with Spool() as records:
        records.fill(file[start : start + 100] for start in range(0, len(file), 100))
        assert records.unreadable == count
