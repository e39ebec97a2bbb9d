"""The rows of a counted tree and the few queries that read them, all strongly consistent.

An entry stands under the list's own partition key, a node under `<list>#nodes` with its level and
its lowest key. All levels share one partition, so that a query from its end begins with the top
level, however many levels there are.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import dropwhile
from uuid import uuid4

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.items import (
    EntryItem,
    Node,
    NodeItem,
    PendingCountItem,
    Raw,
    as_node,
)
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import (
    ENTRIES,
    FilterField,
    TreeEntry,
    marks,
    values_of,
)
from storepost.platform.persistence.counted_tree.pending import (
    PENDING,
    PENDING_END,
    PendingChange,
    PendingCount,
    as_pending,
    is_pending,
)
from storepost.platform.persistence.item import Item, connection
from storepost.values.ids import short

TOP_NODES = 32
"""A level with so many nodes and none above it gets one: as many are read for a total."""

_LAST_LEVEL = 9
_MORE = 4

_SEVERAL = 3
_READ_AHEAD = 48
"""Nodes that are read on for each key, at most two read units; a query each would take one."""


@dataclass(frozen=True)
class Rows:
    """The rows of one tree."""

    partition: str
    fields: tuple[FilterField, ...]
    top_nodes: int = TOP_NODES
    levels: int | None = None
    """How many there are, in a list that has the same ones always."""

    @property
    def nodes_partition(self) -> str:
        """Where the nodes stand."""
        return f"{self.partition}#nodes"

    def entries(
        self, within: KeyRange, limit: int | None = None, *, descending: bool = False
    ) -> list[TreeEntry]:
        """The first entries within a range, in the order asked for."""
        found: list[TreeEntry] = []
        if within.is_empty:
            return found
        # `between` takes its upper bound in, which a range leaves out: one row more, then.
        row_limit = None if limit is None else limit + 1
        for raw in self._query(
            self.partition, Item.sk.between(within.lo, within.hi), row_limit, descending=descending
        ):
            if raw["sk"]["S"] in within:
                found.append(self._as_entry(raw))
        return found[:limit]

    def top(self) -> list[Node]:
        """The top level's nodes in order; none in a tree that never had an entry."""
        return self.top_and_pending()[0]

    def top_and_pending(self) -> tuple[list[Node], list[PendingCount]]:
        """The top level's nodes in order, and what is to be added to the nodes, by one query.

        Were they read one after the other, what is counted in between would be counted twice, or
        not at all. So a query that saw too little is made anew, for more.
        """
        if self.levels is not None:
            return self._from_level_on(self.levels - 1)
        limit = self.top_nodes
        while True:
            condition = Item.sk.between("0", PENDING_END)
            raw = list(self._query(self.nodes_partition, condition, limit, descending=True))
            top, pending = _at_the_end(raw[::-1])
            if len(raw) < limit or (top and (top[0].lo == LOWEST)):
                return top, pending
            if top:
                return self._from_level_on(top[0].level)
            limit *= _MORE

    def _from_level_on(self, level: int) -> tuple[list[Node], list[PendingCount]]:
        """The top level's nodes, where it is this one or one above, and what is to be added."""
        condition = Item.sk.between(f"{level}{LOWEST}", PENDING_END)
        return _at_the_end(list(self._query(self.nodes_partition, condition)))

    def pending(self, limit: int | None = None) -> list[PendingCount]:
        """What is to be added to the nodes."""
        condition = Item.sk.between(PENDING, PENDING_END)
        return list(map(as_pending, self._query(self.nodes_partition, condition, limit)))

    def children(self, parent: Node) -> list[Node]:
        """The nodes one level below, in order."""
        return self._nodes(parent.level - 1, parent.range)

    def first(self, level: int, within: KeyRange, limit: int, *, descending: bool) -> list[Node]:
        """The first so many nodes of a level within a range, from either end."""
        condition = Item.sk.between(f"{level}{within.lo}", f"{level}{within.hi}")
        row_limit = limit + 1  # the node behind the range may be among them
        raw = self._query(self.nodes_partition, condition, row_limit, descending=descending)
        return [node for node in map(as_node, raw) if node.lo in within][:limit]

    def floor(self, level: int, key: str) -> Node | None:
        """The node of a level under which the key belongs; None where there is no such level."""
        condition = Item.sk.between(f"{level}{LOWEST}", f"{level}{key}")
        found = self._query(self.nodes_partition, condition, 1, descending=True)
        return next(map(as_node, found), None)

    def floors(self, level: int, keys: Sequence[str]) -> list[Node]:
        """The nodes of a level under which the keys belong, in order, as the keys are.

        Keys of one unit of work are often near one another: where there are several, one query
        reads on from the first one's node. None where there is no such level.
        """
        found: list[Node] = []
        waiting = list(keys)
        while waiting and (node := self.floor(level, waiting[0])):
            found.append(node)
            waiting = _behind(node, waiting)
            if len(waiting) >= _SEVERAL:
                for further in self._onward(node, waiting):
                    if waiting and waiting[0] in further.range:
                        found.append(further)
                        waiting = _behind(further, waiting)
        return found

    def _onward(self, node: Node, keys: Sequence[str]) -> Iterator[Node]:
        """The nodes behind one, up to the last key's or as many as are read for so many keys."""
        condition = Item.sk.between(f"{node.level}{node.hi}", f"{node.level}{keys[-1]}")
        raw = self._query(self.nodes_partition, condition, _READ_AHEAD * len(keys))
        return map(as_node, raw)

    def neighbour_before(self, node: Node) -> Node | None:
        """The node that ends where this one begins."""
        condition = Item.sk.between(f"{node.level}{LOWEST}", node.sort_key)
        found = map(as_node, self._query(self.nodes_partition, condition, 2, descending=True))
        return next((other for other in found if other.hi == node.lo), None)

    def everything(self) -> tuple[list[Node], list[TreeEntry]]:
        """All nodes by level and key, and all entries by key."""
        nodes = self._query(self.nodes_partition, Item.sk.between("0", str(_LAST_LEVEL) + END))
        return [as_node(raw) for raw in nodes], self.entries(EVERYTHING)

    def entry_item(self, entry: TreeEntry) -> EntryItem:
        """The row of an entry."""
        return EntryItem(
            self.partition,
            entry.key,
            marks=marks(entry, self.fields) or None,
            payload=entry.payload,
        )

    def holds(self, entry: TreeEntry) -> Condition:
        """That the entry is stored with these filter values, so that counters never drift."""
        if not self.fields:
            return EntryItem.pk.exists()
        return EntryItem.marks == marks(entry, self.fields)

    def node_item(self, level: int, lo: str) -> NodeItem:
        """The row of a node, by which it is updated."""
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
        item = self.node_item(node.level, node.lo)
        changes.update(item, actions, NodeItem.pk.does_not_exist())

    def rewrite(self, changes: Changes, old: Node, new: Node) -> None:
        """Writes a node over what it was read as; anything between makes it a lost race."""
        actions: list[Action] = [NodeItem.hi.set(new.hi), NodeItem.version.set(new.version)]
        if new.has_parent:
            actions.append(NodeItem.has_parent.set(new.has_parent))
        for name in sorted({ENTRIES, *old.counts, *new.counts}):
            count = new.counts[name]
            is_set = count or name == ENTRIES
            actions.append(Path(name).set(count) if is_set else Path(name).remove())
        item = self.node_item(old.level, old.lo)
        changes.update(item, actions, NodeItem.version == old.version)

    def remove(self, changes: Changes, node: Node) -> None:
        """Removes a node that is still what it was read as."""
        changes.delete(self.node_item(node.level, node.lo), NodeItem.version == node.version)

    def create_pending(self, changes: Changes, pending: Sequence[PendingChange]) -> None:
        """Writes what is to be added to the nodes later."""
        item = PendingCountItem(
            self.nodes_partition,
            PENDING + short(uuid4()),
            changes=[astuple(change) for change in pending],
            version=1,
        )
        changes.create(item)

    def reduce_pending(
        self, changes: Changes, row: PendingCount, left: Sequence[PendingChange]
    ) -> None:
        """Leaves of a row what isn't counted yet; removes it where that is nothing."""
        item = PendingCountItem(self.nodes_partition, row.sort_key)
        is_same = PendingCountItem.version == row.version
        if not left:
            changes.delete(item, is_same)
            return
        actions: list[Action] = [
            PendingCountItem.changes.set([astuple(change) for change in left]),
            PendingCountItem.version.add(1),
        ]
        changes.update(item, actions, is_same)

    def _nodes(self, level: int, within: KeyRange) -> list[Node]:
        condition = Item.sk.between(f"{level}{within.lo}", f"{level}{within.hi}")
        found = map(as_node, self._query(self.nodes_partition, condition))
        return [node for node in found if node.lo in within]

    def _query(
        self, partition: str, keys: Condition, limit: int | None = None, *, descending: bool = False
    ) -> Iterator[Raw]:
        """What a query finds; the limit holds for the whole, not for one of DynamoDB's pages."""
        start = None
        while limit is None or limit > 0:
            answer = connection.query(
                Item.Meta.table_name,
                partition,
                keys,
                consistent_read=True,
                exclusive_start_key=start,
                limit=limit,
                scan_index_forward=not descending,
            )
            yield from answer["Items"]
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return
            if limit is not None:
                limit -= len(answer["Items"])

    def _as_entry(self, raw: Raw) -> TreeEntry:
        return TreeEntry(
            raw["sk"]["S"],
            values_of(raw["f"]["S"] if "f" in raw else "", self.fields),
            json.loads(raw["p"]["S"]) if "p" in raw else None,
        )


def _at_the_end(raw: Sequence[Raw]) -> tuple[list[Node], list[PendingCount]]:
    """The nodes of the highest level among rows that are in order, and the pending ones."""
    nodes = [as_node(row) for row in raw if not is_pending(row)]
    top = [node for node in nodes if node.level == nodes[-1].level]
    return top, [as_pending(row) for row in raw if is_pending(row)]


def _behind(node: Node, keys: Sequence[str]) -> list[str]:
    """Those of the keys that belong under later nodes; at least the first is the node's own."""
    return list(dropwhile(lambda key: key < node.hi, keys[1:]))
