"""Reads and writes the rows of a counted tree."""

from collections.abc import Sequence
from dataclasses import astuple
from uuid import uuid4

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.items import (
    EntryItem,
    Node,
    NodeItem,
    PackedSpanItem,
    PageItem,
    PendingCountItem,
)
from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import ENTRIES, TreeEntry, marks
from storepost.platform.persistence.counted_tree.pages import columns_of
from storepost.platform.persistence.counted_tree.pending import (
    PENDING,
    PendingChange,
    PendingCount,
)
from storepost.platform.persistence.counted_tree.row_reads import SPAN, TOP_NODES, RowReads, Summit
from storepost.values.ids import short

__all__ = ["TOP_NODES", "Rows", "Summit"]


class Rows(RowReads):
    """The rows of one tree."""

    def entry_item(self, entry: TreeEntry) -> EntryItem:
        """Returns the row of an entry."""
        return EntryItem(
            self.partition,
            entry.key,
            marks=marks(entry, self.fields) or None,
            payload=entry.payload,
        )

    def holds(self, entry: TreeEntry) -> Condition:
        """Returns the condition that the row has these filter values, so counters never drift."""
        if self.fields:
            return EntryItem.marks == marks(entry, self.fields)
        exists = EntryItem.pk.exists()
        return exists & EntryItem.is_tombstone.does_not_exist() if self.packing else exists

    def may_hold(self, entry: TreeEntry) -> Condition:
        """Returns the condition of `holds`, or that there is no row: then a page has the entry."""
        if self.fields:
            condition: Condition = EntryItem.pk.does_not_exist() | self.holds(entry)
            return condition
        is_live: Condition = EntryItem.is_tombstone.does_not_exist()
        return is_live

    def has_none(self) -> Condition:
        """Returns the condition that no row has the entry; a tombstone over a page may be there."""
        absent: Condition = EntryItem.pk.does_not_exist()
        return absent | EntryItem.is_tombstone.exists() if self.packing else absent

    def tombstone_item(self, key: str) -> EntryItem:
        """Returns the tombstone of an entry of a page."""
        return EntryItem(self.partition, key, is_tombstone=True)

    def page_item(self, key: str, entries: Sequence[TreeEntry]) -> PageItem:
        """Returns the item of a page; the entries keep their own keys beside the page's `key`."""
        marked = [marks(entry, self.fields) for entry in entries] if self.fields else []
        return PageItem(self.partition, key, entries=columns_of(entries, marked))

    def node_item(self, level: int, lo: str) -> NodeItem:
        """Returns the row of a node, for an update."""
        return NodeItem(self.nodes_partition, f"{level}{lo}")

    def create(self, changes: Changes, node: Node) -> None:
        """Writes a node that must not exist yet."""
        actions: list[Action] = [
            NodeItem.kind.set(NodeItem),
            NodeItem.hi.set(node.hi),
            NodeItem.version.set(node.version),
            NodeItem.n.set(node.n),
            *(Path(c).set(n) for c, n in node.counts.items() if n and c != ENTRIES),
        ]
        if node.has_parent:
            actions.append(NodeItem.has_parent.set(node.has_parent))
        if node.page:
            actions.append(NodeItem.page.set(node.page))
        item = self.node_item(node.level, node.lo)
        changes.update(item, actions, NodeItem.pk.does_not_exist())

    def rewrite(self, changes: Changes, old: Node, new: Node) -> None:
        """Writes a node over the one that was read; a write in between makes it lose the race."""
        actions: list[Action] = [NodeItem.hi.set(new.hi), NodeItem.version.set(new.version)]
        if new.has_parent:
            actions.append(NodeItem.has_parent.set(new.has_parent))
        if new.page != old.page:
            named = NodeItem.page
            actions.append(named.set(new.page) if new.page else named.remove())
        for name in sorted({ENTRIES, *old.counts, *new.counts}):
            count = new.counts[name]
            is_set = count or name == ENTRIES
            actions.append(Path(name).set(count) if is_set else Path(name).remove())
        item = self.node_item(old.level, old.lo)
        changes.update(item, actions, NodeItem.version == old.version)

    def remove(self, changes: Changes, node: Node) -> None:
        """Removes a node that is still as it was read."""
        changes.delete(self.node_item(node.level, node.lo), NodeItem.version == node.version)

    def create_pending(self, changes: Changes, pending: Sequence[PendingChange]) -> None:
        """Writes a pending count, to be added to the nodes later."""
        item = PendingCountItem(
            self.nodes_partition,
            PENDING + short(uuid4()),
            changes=[astuple(change) for change in pending],
            version=1,
        )
        changes.create(item)

    def reduce_pending(
        self, changes: Changes, row: PendingCount, remaining: Sequence[PendingChange]
    ) -> None:
        """Leaves the changes of a row that aren't counted yet; removes it where there are none."""
        item = PendingCountItem(self.nodes_partition, row.sort_key)
        is_same = PendingCountItem.version == row.version
        if not remaining:
            changes.delete(item, is_same)
            return
        actions: list[Action] = [
            PendingCountItem.changes.set([astuple(change) for change in remaining]),
            PendingCountItem.version.add(1),
        ]
        changes.update(item, actions, is_same)

    def widen_span(self, changes: Changes, old: KeyRange | None, new: KeyRange) -> None:
        """Writes the packed span; a change of it in between makes this lose the race."""
        item = PackedSpanItem(self.nodes_partition, SPAN, lo=new.lo, hi=new.hi)
        if old is None:
            changes.create(item)
        else:
            changes.save(item, (PackedSpanItem.lo == old.lo) & (PackedSpanItem.hi == old.hi))
