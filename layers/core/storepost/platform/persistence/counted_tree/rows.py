"""The rows of a counted tree and the few queries that read them, all strongly consistent.

An entry stands under the list's own partition key, a node under `<list>#nodes` with its level and
its lowest key. All levels share one partition, so that a query from its end begins with the top
level, however many levels there are.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from typing import Any

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import (
    ENTRIES,
    Counts,
    FilterField,
    TreeEntry,
    marks,
    values_of,
)
from storepost.platform.persistence.item import Item, Json, connection

type _Raw = dict[str, dict[str, Any]]

TOP_NODES = 32
"""A level with so many nodes and none above it gets one: as many are read for a total."""

_LAST_LEVEL = 9

_SEVERAL = 3
_READ_AHEAD = 48
"""Nodes that are read on for each key, at most two read units; a query each would take one."""


class EntryItem(Item, discriminator="entry"):
    """An entry; `marks` holds its filter values, a letter for each of the tree's fields."""

    marks = UnicodeAttribute(attr_name="f", null=True)
    payload = Json(attr_name="p", null=True)


class NodeItem(Item, discriminator="node"):
    """A node, with one more number attribute for each value of a filter that it counts.

    `version` grows with every write below it that could change how it is split. `has_parent` says
    that a level stands above, which whoever writes must keep right too.
    """

    n = NumberAttribute()
    hi = UnicodeAttribute()
    version = NumberAttribute(attr_name="v")
    has_parent = BooleanAttribute(attr_name="up", null=True)


@dataclass(frozen=True)
class Node:
    """What a node says: how many entries stand from `lo` (inclusive) to `hi` (exclusive)."""

    level: int
    lo: str
    hi: str
    counts: Counts
    version: int
    has_parent: bool

    @property
    def n(self) -> int:
        """How many entries stand under it."""
        return self.counts[ENTRIES]

    @property
    def sort_key(self) -> str:
        """The row's sort key."""
        return f"{self.level}{self.lo}"

    @property
    def range(self) -> KeyRange:
        """The keys that belong under it."""
        return KeyRange(self.lo, self.hi)


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
        if self.levels is not None:
            return self._nodes(self.levels - 1, EVERYTHING)
        found: list[Node] = []
        condition = Item.sk.between("0", str(_LAST_LEVEL) + END)
        for raw in self._query(self.nodes_partition, condition, self.top_nodes, descending=True):
            node = _as_node(raw)
            if found and node.level != found[0].level:
                break
            found.append(node)
        else:
            if found and found[-1].lo != LOWEST:
                level = found[0].level
                found += reversed(self._nodes(level, KeyRange(LOWEST, found[-1].lo)))
        return found[::-1]

    def children(self, parent: Node) -> list[Node]:
        """The nodes one level below, in order."""
        return self._nodes(parent.level - 1, parent.range)

    def first(self, level: int, within: KeyRange, limit: int, *, descending: bool) -> list[Node]:
        """The first so many nodes of a level within a range, from either end."""
        condition = Item.sk.between(f"{level}{within.lo}", f"{level}{within.hi}")
        row_limit = limit + 1  # the node behind the range may be among them
        raw = self._query(self.nodes_partition, condition, row_limit, descending=descending)
        return [node for node in map(_as_node, raw) if node.lo in within][:limit]

    def floor(self, level: int, key: str) -> Node | None:
        """The node of a level under which the key belongs; None where there is no such level."""
        condition = Item.sk.between(f"{level}{LOWEST}", f"{level}{key}")
        found = self._query(self.nodes_partition, condition, 1, descending=True)
        return next(map(_as_node, found), None)

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
        return map(_as_node, raw)

    def neighbour_before(self, node: Node) -> Node | None:
        """The node that ends where this one begins."""
        condition = Item.sk.between(f"{node.level}{LOWEST}", node.sort_key)
        found = map(_as_node, self._query(self.nodes_partition, condition, 2, descending=True))
        return next((other for other in found if other.hi == node.lo), None)

    def everything(self) -> tuple[list[Node], list[TreeEntry]]:
        """All nodes by level and key, and all entries by key."""
        nodes = self._query(self.nodes_partition, Item.sk.between("0", str(_LAST_LEVEL) + END))
        return [_as_node(raw) for raw in nodes], self.entries(EVERYTHING)

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

    def _nodes(self, level: int, within: KeyRange) -> list[Node]:
        condition = Item.sk.between(f"{level}{within.lo}", f"{level}{within.hi}")
        found = map(_as_node, self._query(self.nodes_partition, condition))
        return [node for node in found if node.lo in within]

    def _query(
        self, partition: str, keys: Condition, limit: int | None = None, *, descending: bool = False
    ) -> Iterator[_Raw]:
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

    def _as_entry(self, raw: _Raw) -> TreeEntry:
        return TreeEntry(
            raw["sk"]["S"],
            values_of(raw["f"]["S"] if "f" in raw else "", self.fields),
            json.loads(raw["p"]["S"]) if "p" in raw else None,
        )


def _behind(node: Node, keys: Sequence[str]) -> list[str]:
    """Those of the keys that belong under later nodes; at least the first is the node's own."""
    return list(dropwhile(lambda key: key < node.hi, keys[1:]))


def is_whole(nodes: Sequence[Node], within: KeyRange) -> bool:
    """Whether the nodes follow each other without a gap, from end to end.

    They may not where they were read while one of them was split.
    """
    return (
        bool(nodes)
        and (nodes[0].lo, nodes[-1].hi) == (within.lo, within.hi)
        and all(left.hi == right.lo for left, right in pairwise(nodes))
    )


def _as_node(raw: _Raw) -> Node:
    sort_key = raw["sk"]["S"]
    return Node(
        level=int(sort_key[0]),
        lo=sort_key[1:],
        hi=raw["hi"]["S"],
        counts=Counter({name: int(v["N"]) for name, v in raw.items() if "N" in v and name != "v"}),
        version=int(raw["v"]["N"]),
        has_parent="up" in raw,
    )
