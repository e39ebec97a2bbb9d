"""Packs the rows of single writes: a leaf's rows become a page once the leaf is cold.

The packed part of a list is one span of keys. It grows leaf by leaf, mostly towards the list's
newer end, and towards its older end where entries with old times are added. The page is written
first, while no node names it; one transaction then names it and widens the span. The rows are
deleted afterwards, each only if it is as it was read: a row that another writer has changed stays
and overrides the page. A process that is killed in between leaves rows that repeat the page, or a
page that no node names.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.counted_tree.contention import give_way
from storepost.platform.persistence.counted_tree.items import Node, PageItem
from storepost.platform.persistence.counted_tree.keys import (
    END,
    EVERYTHING,
    LOWEST,
    KeyRange,
    moments,
)
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.pages import Packing, generation
from storepost.platform.persistence.counted_tree.repacking import as_read
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.item import remove
from storepost.platform.persistence.patience import with_patience
from storepost.values import clock

_THREADS = 8


@dataclass(frozen=True)
class ColdLeaves:
    """Packs the cold leaves of a list whose keys begin with moments, at most `max_leaves` a call.

    Two is one more than a split of a leaf leaves behind, so a list with many cold leaves catches up
    as it grows.
    """

    rows: Rows
    max_leaves: int = 2

    def pack(self, key: str) -> None:
        """Packs cold leaves beside the packed span, on the side where `key` was just written.

        Raises LostRace where another write came between the reads and the transaction.
        """
        packing = self.rows.packing
        if packing is None or packing.cold_after is None:
            return
        for _ in range(self.max_leaves):
            span = self.rows.span()
            leaf = self._next(packing, span, key)
            if leaf is None or not self._is_cold(packing, leaf):
                return
            if not self._leaves_ends(packing, span, leaf):
                return
            self._pack(span, leaf)

    def _next(self, packing: Packing, span: KeyRange | None, key: str) -> Node | None:
        """Returns the next leaf for the span to take in; None if there is none on that side."""
        if span is None:
            head = self.rows.live(EVERYTHING, packing.ends)
            last = self.rows.floor(0, head[-1].key) if len(head) == packing.ends else None
            return self._at(last.hi) if last else None
        if key < span.lo:
            before = self.rows.first(0, KeyRange(LOWEST, span.lo), 1, descending=True)
            return before[0] if before else None
        return self._at(span.hi) if key >= span.hi else None

    def _at(self, key: str) -> Node | None:
        return self.rows.floor(0, key) if key < END else None

    def _is_cold(self, packing: Packing, leaf: Node) -> bool:
        """Returns whether even the newest possible entry of the leaf is old enough."""
        if packing.cold_after is None:
            return False
        return leaf.hi <= moments(until=clock.now() - packing.cold_after).hi

    def _leaves_ends(self, packing: Packing, span: KeyRange | None, leaf: Node) -> bool:
        """Returns whether enough rows remain between the leaf and the list's end."""
        older = span is not None and leaf.lo < span.lo
        beyond = KeyRange(LOWEST, leaf.lo) if older else KeyRange(leaf.hi, END)
        return len(self.rows.live(beyond, packing.ends)) == packing.ends

    def _pack(self, span: KeyRange | None, leaf: Node) -> None:
        changes = Changes()
        self.rows.widen_span(changes, span, span | leaf.range if span else leaf.range)
        changes.where_contended(give_way)
        stored = self.rows.stored(leaf.range)
        entries = stored.live
        if leaf.page or not entries:
            changes.commit()
            return
        version = leaf.version + 1
        packed = replace(leaf, version=version, page=generation(version))
        self.rows.rewrite(changes, leaf, packed)
        page = self.rows.page_item(packed.page_keys[-1], entries)
        page.save()
        try:
            changes.commit()
        except LostRace:
            page.delete()
            raise
        self._delete(stored.rows)
        for dead in stored.pages:
            PageItem(self.rows.partition, dead).delete()

    def _delete(self, rows: Mapping[str, TreeEntry | None]) -> None:
        """Deletes the rows that are in the page, and tombstones of a leaf that had no page."""

        def delete(key: str) -> None:
            remove(self.rows.tombstone_item(key), as_read(self.rows, rows[key]))

        with ThreadPoolExecutor(_THREADS) as threads:
            list(threads.map(with_patience(delete), rows))
