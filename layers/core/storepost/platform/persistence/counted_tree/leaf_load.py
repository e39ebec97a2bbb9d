"""Plans what a load does to one leaf: its new leaves and pages, and which entries stay rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.counted_tree.items import (
    EntryItem,
    Node,
    PageItem,
    pages_named,
)
from storepost.platform.persistence.counted_tree.keys import separator
from storepost.platform.persistence.counted_tree.leaf_bytes import (
    ROW_BYTES,
    bytes_of_page,
    parts_of_leaf,
)
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    TreeEntry,
    counts_of,
    difference,
    total,
)
from storepost.platform.persistence.counted_tree.pages import (
    Packing,
    Stored,
    entries_within,
    generation,
)
from storepost.platform.persistence.counted_tree.pieces import LeafPieces, pieces_at
from storepost.platform.persistence.counted_tree.repacking import as_read
from storepost.platform.persistence.counted_tree.rows import Rows

_MIN_PAGED = 3
"""Fewer new entries than this are written as rows, which cost no more than a page."""

_FILL_FACTOR = 0.75
"""A leaf that is rewritten and fuller than this is cut: it would soon be rewritten again."""

_SHARE = 4
"""New entries get a page of their own if they are at most a quarter of the leaf's entries."""


@dataclass(frozen=True)
class LeafLoad:
    """Holds the new entries of one leaf, and what is stored there."""

    rows: Rows
    packing: Packing
    leaf: Node
    stored: Stored
    new: Sequence[TreeEntry]

    @cached_property
    def _page(self) -> dict[str, TreeEntry]:
        pages = map(self.stored.page, self.leaf.page_keys)
        return {entry.key: entry for page in pages for entry in page}

    @cached_property
    def _remaining_pages(self) -> list[str]:
        """Returns the leaf's pages that are too large to be joined with a new one."""
        sizes = self.stored.sizes
        return [key for key in self.leaf.page_keys if sizes[key] >= self.packing.joined_bytes]

    @cached_property
    def changed(self) -> list[TreeEntry]:
        """Returns the new entries that differ from what is stored."""
        return [entry for entry in self.new if self._stored_entry(entry.key) != entry]

    @cached_property
    def as_rows(self) -> list[TreeEntry]:
        """Returns the changed entries that are written as rows: a row overrides a page."""
        is_small = len(self.changed) < _MIN_PAGED
        return [entry for entry in self.changed if is_small or entry.key in self.stored.rows]

    @cached_property
    def paged(self) -> list[TreeEntry]:
        """Returns the entries of the new pages, by key."""
        return self._beside_small if self.adds_page else self._all

    @cached_property
    def _all(self) -> list[TreeEntry]:
        """Returns all entries of the leaf that are to be in pages."""
        return self._without_rows(self._page | self._new)

    @cached_property
    def _beside_small(self) -> list[TreeEntry]:
        """Returns the new entries, and those of small pages."""
        small = set(self.leaf.page_keys).difference(self._remaining_pages)
        joined = {e.key: self._page[e.key] for key in small for e in self.stored.page(key)}
        return self._without_rows(joined | self._new)

    @property
    def _new(self) -> dict[str, TreeEntry]:
        return {entry.key: entry for entry in self.changed}

    def _without_rows(self, entries: Mapping[str, TreeEntry]) -> list[TreeEntry]:
        rows = self._row_keys
        return [entry for key, entry in sorted(entries.items()) if key not in rows]

    @property
    def needs_page(self) -> bool:
        """Returns whether the load writes a page."""
        return self.is_full or self._has_paged

    @property
    def _has_paged(self) -> bool:
        """Returns whether any of the new entries go into a page."""
        return len(self.as_rows) < len(self.changed)

    @cached_property
    def is_full(self) -> bool:
        """Returns whether the leaf is cut into several."""
        if self._has_too_many:
            return True
        if self.adds_page or not self._has_paged:
            return False
        return self._bytes_of_all + self._bytes_of_rows > _FILL_FACTOR * self.packing.max_bytes

    @property
    def _has_too_many(self) -> bool:
        return self.leaf.n + len(self.changed) >= 2 * self.packing.entries

    @cached_property
    def adds_page(self) -> bool:
        """Returns whether the new entries get a page of their own beside pages that stay."""
        is_small = _SHARE * len(self.changed) <= self.leaf.n
        if self._has_too_many or not self._has_paged or not is_small or not self.leaf.page:
            return False
        stored = sum(self.stored.sizes[key] for key in self._remaining_pages) + self._bytes_of_rows
        added = bytes_of_page(self.rows, self.leaf, self._beside_small)
        return (
            len(self._remaining_pages) < self.packing.pages
            and stored + added <= self.packing.max_bytes
        )

    @cached_property
    def _bytes_of_all(self) -> int:
        """Returns how many bytes one page would have with all entries that are to be in pages."""
        return bytes_of_page(self.rows, self.leaf, self._all)

    @property
    def _estimated_bytes(self) -> float:
        """Returns an estimate of `_bytes_of_all` from the first entries."""
        sample = self._all[: 2 * self.packing.entries]
        sample_bytes = bytes_of_page(self.rows, self.leaf, sample)
        return sample_bytes * len(self._all) / max(1, len(sample))

    @property
    def _row_keys(self) -> set[str]:
        return {entry.key for entry in self.as_rows} | self.stored.rows.keys()

    @property
    def _bytes_of_rows(self) -> int:
        """Returns how many bytes the rows that override pages have; 0 for a leaf without a page."""
        return ROW_BYTES * len(self._row_keys) if self.leaf.page else 0

    @cached_property
    def added(self) -> Counts:
        """Returns the counts to add to the nodes above."""
        before = total(counts_of(self._stored_entry(e.key), self.rows.fields) for e in self.changed)
        return difference(total(counts_of(e, self.rows.fields) for e in self.changed), before)

    @cached_property
    def nodes(self) -> list[Node]:
        """Returns the leaves after the load, with their pages' names; the first keeps its row."""
        if not self.is_full:
            counts = total((self.leaf.counts, self.added))
            return [self._named(replace(self.leaf, counts=counts, version=self._new_version))]
        return [self._named(leaf) for leaf in self._cut()]

    @cached_property
    def pages(self) -> list[PageItem]:
        """Returns the pages that are to be written before the transaction."""
        if not self.needs_page:
            return []
        return [
            self.rows.page_item(node.page_keys[-1], entries)
            for node in self.nodes
            if node.page and (entries := entries_within(self.paged, node.range))
        ]

    @property
    def dead_pages(self) -> list[str]:
        """Returns the pages that no leaf names after the commit, and that none can ever name.

        A writer that wrote one of them for the leaf's former version loses the race.
        """
        named = {page for node in self.nodes for page in node.page_keys}
        return [key for key in self.stored.pages if key not in named]

    def write(self, changes: Changes) -> None:
        """Adds the leaves and the rows to a transaction."""
        self.rows.rewrite(changes, self.leaf, self.nodes[0])
        for node in self.nodes[1:]:
            self.rows.create(changes, node)
        for entry in self.as_rows:
            is_row = entry.key in self.stored.rows
            absent = EntryItem.pk.does_not_exist()
            condition = as_read(self.rows, self.stored.rows[entry.key]) if is_row else absent
            changes.save(self.rows.entry_item(entry), condition)

    @property
    def _new_version(self) -> int:
        return self.leaf.version + 1

    def _stored_entry(self, key: str) -> TreeEntry | None:
        return self.stored.rows[key] if key in self.stored.rows else self._page.get(key)

    def _named(self, node: Node) -> Node:
        if not self.needs_page:
            return node
        old = self._remaining_pages if self.adds_page else ()
        new = [generation(node.version)] if entries_within(self.paged, node.range) else []
        return replace(node, page=pages_named(node.lo, [*old, *new]))

    def _cut(self) -> list[Node]:
        """Returns the leaves of the cut. Raises LostRace where the leaf's counts aren't certain."""
        contents = LeafPieces(self.rows).read(self.leaf)
        if difference(total(counts for _, counts in contents.counted), self.leaf.counts):
            raise LostRace
        keys = sorted({e.key for e in contents.entries} | {e.key for e in self.changed})
        min_parts = max(2, len(keys) // self.packing.entries)
        bounds = parts_of_leaf(self.packing, keys, self._row_keys, self._estimated_bytes, min_parts)
        starts = [self.leaf.lo, *(separator(keys[b - 1], keys[b]) for b in bounds[1:-1])]
        counted = [*contents.counted, *self._counts_of_new()]
        pieces = pieces_at(starts, counted)
        ends = [*starts[1:], self.leaf.hi]
        return [
            replace(self.leaf, lo=piece.lo, hi=hi, counts=piece.counts, version=self._new_version)
            for piece, hi in zip(pieces, ends, strict=True)
        ]

    def _counts_of_new(self) -> list[tuple[str, Counts]]:
        fields = self.rows.fields
        return [
            (e.key, difference(counts_of(e, fields), counts_of(self._stored_entry(e.key), fields)))
            for e in self.changed
        ]
