"""A page has many entries of a leaf in one item; rows take precedence over it.

A page is written whole and never changed. Single writes after that are rows: an insert, changed
filter values or another payload, and a tombstone for an entry that is deleted.
"""

import json
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, PageItem, Raw
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import FilterField, TreeEntry, values_of
from storepost.platform.persistence.deflated import Deflated

_CONTENT = Deflated()
_NAME_BYTES = sum(map(len, ("pk", "sk", "kind", "page", "z")))


@dataclass(frozen=True)
class Packing:
    """Says how the leaves of a list are packed.

    A leaf has about `entries` entries, and is split at twice that. It has at most `pages` pages of
    `max_bytes` together: beyond either limit they become one page, and a leaf with nearly that many
    bytes is cut. A load that adds a page joins it with pages of fewer than `joined_bytes`. After
    `fold_after` writes to a leaf its rows are moved into one page. At either end of the list `ends`
    entries stay rows, so that its first page is read without any node. With `cold_after`, the
    list's keys begin with moments, and leaves whose entries are all older than that are packed as
    the list grows.
    """

    entries: int = 100
    fold_after: int = 36
    ends: int = 72
    node_fan_out: int = 17
    pages: int = 6
    max_bytes: int = 6_000
    joined_bytes: int = 1_000
    cold_after: timedelta | None = None


PACKS_WHAT_IS_COLD = Packing(cold_after=timedelta(days=30))
"""For lists by time whose entries seldom change once they are a month old.

Their keys and payloads must name no person: a page keeps deleted entries until it is rewritten.
"""


def generation(version: int) -> str:
    """Returns a name for a page of a leaf with this version; new for each attempt to write one.

    If it weren't new, a late attempt would overwrite a page that is read.
    """
    return f"{version}.{secrets.token_urlsafe(3)}"


def page_bytes(page: PageItem) -> int:
    """Returns how many bytes DynamoDB counts for a page: its attributes' names and values."""
    return _bytes(page.pk, page.sk, _CONTENT.serialize(page.entries))


def _bytes(partition: str, key: str, content: bytes) -> int:
    return len(partition.encode()) + len(key.encode()) + len(content) + _NAME_BYTES


def columns_of(entries: Sequence[TreeEntry], marked: Sequence[str]) -> list[list[Any]]:
    """Returns what a page has of the entries: keys, filter values as letters, and payloads."""
    return [[entry.key for entry in entries], [*marked], [entry.payload for entry in entries]]


@dataclass
class Stored:
    """Holds what a query found, rows and pages apart; a row without an entry is a tombstone."""

    fields: Sequence[FilterField]
    rows: dict[str, TreeEntry | None] = field(default_factory=dict)
    pages: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """How many bytes DynamoDB counts for each page."""

    def add(self, raw: Raw) -> bool:
        """Adds an item; returns whether it is an entry."""
        key = raw["sk"]["S"]
        if BEFORE_KEYS in key:
            self.pages[key] = raw["z"]["B"]
            self.sizes[key] = _bytes(raw["pk"]["S"], key, raw["z"]["B"])
            return False
        self.rows[key] = None if "x" in raw else self._entry(raw)
        return "x" not in raw

    def has(self, pages: Iterable[str]) -> bool:
        """Returns whether all those pages were found."""
        return all(page in self.pages for page in pages)

    def page(self, key: str) -> list[TreeEntry]:
        """Returns the entries of a page, in the order of their keys; none where it wasn't found."""
        if key not in self.pages:
            return []
        keys, marked, payloads = _CONTENT.deserialize(self.pages[key])
        return [
            TreeEntry(key, values_of(mark, self.fields), payload)
            for key, mark, payload in zip(keys, marked or [""] * len(keys), payloads, strict=True)
        ]

    def keys_of(self, page: str) -> list[str]:
        """Returns the keys of a page's entries, in order; the page must have been found."""
        keys: list[str] = _CONTENT.deserialize(self.pages[page])[0]
        return keys

    def by_leaf(self, ranges: Iterable[KeyRange]) -> "list[Stored]":
        """Returns the same rows and pages, divided by ranges that follow each other."""
        rows, pages = list(self.rows), list(self.pages)
        return [
            Stored(
                self.fields,
                {key: self.rows[key] for key in _keys_within(rows, within)},
                {key: self.pages[key] for key in _keys_within(pages, within)},
                self.sizes,
            )
            for within in ranges
        ]

    @property
    def live(self) -> list[TreeEntry]:
        """Returns the entries of rows alone, in the order in which they were found."""
        return [entry for entry in self.rows.values() if entry is not None]

    def entries(self, within: KeyRange, pages: Iterable[str]) -> list[TreeEntry]:
        """Returns the entries of those pages, with the rows that override them, by key."""
        found: dict[str, TreeEntry | None] = {}
        for page in pages:
            found |= {entry.key: entry for entry in self.page(page)}
        found |= self.rows
        return [entry for key, entry in sorted(found.items()) if entry and key in within]

    def _entry(self, raw: Raw) -> TreeEntry:
        return TreeEntry(
            raw["sk"]["S"],
            values_of(raw["f"]["S"] if "f" in raw else "", self.fields),
            json.loads(raw["p"]["S"]) if "p" in raw else None,
        )


def entries_within(entries: Sequence[TreeEntry], within: KeyRange) -> Sequence[TreeEntry]:
    """Returns the entries in a range; the entries are in the order of their keys."""
    bounds = (bisect_left(entries, key, key=_key) for key in (within.lo, within.hi))
    return entries[slice(*bounds)]


def _key(entry: TreeEntry) -> str:
    return entry.key


def _keys_within(keys: Sequence[str], within: KeyRange) -> Sequence[str]:
    return keys[bisect_left(keys, within.lo) : bisect_left(keys, within.hi)]
