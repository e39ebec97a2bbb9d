"""Rewrites a leaf's page with the rows that override it, as several pages where it is full.

One transaction writes it all: the leaf, by its version; each row, as it was read; and the pages. So
readers see none of it before, and another writer's change in between makes it lose the race.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pynamodb.expressions.condition import Condition

from storepost.platform.persistence.changes import MAX_ITEMS, Changes
from storepost.platform.persistence.counted_tree.items import EntryItem, Node, PageItem
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.pages import generation
from storepost.platform.persistence.counted_tree.pieces import Contents
from storepost.platform.persistence.counted_tree.rows import Rows


@dataclass(frozen=True)
class Repacking:
    """Writes the contents of a packed leaf into pages of the leaves that it becomes."""

    rows: Rows
    changes: Changes
    contents: Contents

    def write(self, cut: Sequence[Node]) -> list[Node]:
        """Adds the new pages to the transaction; returns the leaves with the names of their pages.

        Rows at the list's ends stay rows, as do those for which the transaction has no room.
        """
        old = self.contents.leaf.page_keys
        span = self.rows.span()
        if not old or span is None:
            return list(cut)
        packed = self._removed(span, MAX_ITEMS - 2 * len(cut) - len(old))
        named = [self._packed(leaf, packed) for leaf in cut]
        for page in old:
            self.changes.delete(PageItem(self.rows.partition, page))
        return named

    def _packed(self, leaf: Node, packed: set[str]) -> Node:
        stored, old = self.contents.stored, self.contents.leaf.page_keys
        unpacked = stored.rows.keys() - packed
        entries = [e for e in stored.entries(leaf.range, old) if e.key not in unpacked]
        if not entries:
            return replace(leaf, page=None)
        named = replace(leaf, page=generation(leaf.version))
        self.changes.create(self.rows.page_item(named.page_keys[-1], entries))
        return named

    def _removed(self, span: KeyRange, room: int) -> set[str]:
        """Deletes rows whose entries go into a page, in the transaction; returns their keys."""
        removed = set[str]()
        for key, entry in list(self._foldable(span))[:room]:
            self.changes.delete(self.rows.tombstone_item(key), as_read(self.rows, entry))
            removed.add(key)
        return removed

    def _foldable(self, span: KeyRange) -> Iterable[tuple[str, TreeEntry | None]]:
        rows = self.contents.stored.rows.items()
        return ((key, entry) for key, entry in rows if entry is None or key in span)


def as_read(rows: Rows, entry: TreeEntry | None) -> Condition:
    """Returns the condition that a row is still as it was read, payload included."""
    if entry is None:
        is_tombstone: Condition = EntryItem.is_tombstone.exists()
        return is_tombstone
    item = rows.entry_item(entry)
    marks, payload = EntryItem.marks, EntryItem.payload
    condition: Condition = EntryItem.pk.exists() & EntryItem.is_tombstone.does_not_exist()
    condition &= marks.does_not_exist() if item.marks is None else marks == item.marks
    condition &= payload.does_not_exist() if item.payload is None else payload == item.payload
    return condition
