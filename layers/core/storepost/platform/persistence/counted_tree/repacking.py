"""Writing a leaf's page anew: with the rows above it, and where it is full as several pages.

All of it is one transaction: the leaf by its version, each row as it was read, the pages. So
nothing is seen of it before, and what others change meanwhile makes it a lost race.
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
    """Writes what stands under a packed leaf into pages of the leaves that it becomes."""

    rows: Rows
    changes: Changes
    contents: Contents

    def write(self, cut: Sequence[Node]) -> list[Node]:
        """Returns the leaves with the names of their pages, which it adds to the transaction.

        At the list's ends rows stay rows, as do those for which a transaction has no room.
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
        """Adds that rows are removed; the keys of those whose entries are to be in a page."""
        removed = set[str]()
        for key, entry in list(self._foldable(span))[:room]:
            self.changes.delete(self.rows.tombstone_item(key), as_read(self.rows, entry))
            removed.add(key)
        return removed

    def _foldable(self, span: KeyRange) -> Iterable[tuple[str, TreeEntry | None]]:
        rows = self.contents.stored.rows.items()
        return ((key, entry) for key, entry in rows if entry is None or key in span)


def as_read(rows: Rows, entry: TreeEntry | None) -> Condition:
    """Returns the condition that a row is what it was read as, payload and all."""
    if entry is None:
        is_tombstone: Condition = EntryItem.is_tombstone.exists()
        return is_tombstone
    item = rows.entry_item(entry)
    marks, payload = EntryItem.marks, EntryItem.payload
    condition: Condition = EntryItem.pk.exists() & EntryItem.is_tombstone.does_not_exist()
    condition &= marks.does_not_exist() if item.marks is None else marks == item.marks
    condition &= payload.does_not_exist() if item.payload is None else payload == item.payload
    return condition
