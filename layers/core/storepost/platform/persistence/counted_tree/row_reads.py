"""Queries the rows of a counted tree, always strongly consistent.

An entry stands under the list's own partition key, a node under `<list>#nodes` with its level and
its lowest key. All levels share one partition, so that a query from its end begins with the top
level, however many levels there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from pynamodb.expressions.condition import Condition

from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, Node, Raw, as_node
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, LOWEST, KeyRange
from storepost.platform.persistence.counted_tree.model import FilterField, TreeEntry
from storepost.platform.persistence.counted_tree.pages import Packing, Stored
from storepost.platform.persistence.counted_tree.pending import (
    PENDING,
    PENDING_END,
    PendingCount,
    as_pending,
    is_pending,
)
from storepost.platform.persistence.item import Item, connection

TOP_NODES = 32
"""A level with so many nodes and none above it gets one: as many are read for a total."""

SPAN = "}"
"""The sort key of the row that says where pages may be: between all levels and what is pending."""

_LAST_LEVEL = 9
_LIMIT_GROWTH = 4

_SEVERAL = 3
_READ_AHEAD = 48
"""Nodes that are read on for each key, at most two read units; a query each would take one."""


@dataclass(frozen=True)
class Summit:
    """Holds what one query finds at the end of the nodes' partition.

    The top level's nodes in order, what is to be added to the nodes, and where pages may be.
    """

    top: list[Node]
    pending: list[PendingCount]
    span: KeyRange | None


@dataclass(frozen=True)
class RowReads:
    """Reads the rows of one tree."""

    partition: str
    fields: tuple[FilterField, ...]
    top_nodes: int = TOP_NODES
    levels: int | None = None
    """How many there are, in a list that has the same ones always."""
    packing: Packing | None = None
    """How the list's leaves are packed; None in a list that never has a page."""
    keys_stay: bool = False
    """Whether an entry has the same key for as long as it is listed."""

    @property
    def nodes_partition(self) -> str:
        """Returns where the nodes stand."""
        return f"{self.partition}#nodes"

    def stored(self, within: KeyRange) -> Stored:
        """Returns all that stands within a range, pages too."""
        return self.first_stored(within, None, descending=False)

    def live(
        self, within: KeyRange, limit: int | None = None, *, descending: bool = False
    ) -> list[TreeEntry]:
        """Returns the first entries that are rows within a range, in the order asked for.

        There may be others in pages.
        """
        return self.first_stored(within, limit, descending=descending).live[:limit]

    def first_stored(self, within: KeyRange, limit: int | None, *, descending: bool) -> Stored:
        """Returns the first rows up to so many entries, with the pages among them."""
        found, entries = Stored(self.fields), 0
        while not within.is_empty:
            # `between` takes its upper bound in, which a range leaves out: one row more, then.
            rows = None if limit is None else limit - entries + 1
            read, last = 0, ""
            condition = Item.sk.between(within.lo, within.hi)
            for raw in self._query(self.partition, condition, rows, descending=descending):
                read, last = read + 1, raw["sk"]["S"]
                if last in within:
                    entries += found.add(raw)
            if rows is None or read < rows or entries >= (limit or 0):
                break
            # What is gone, and pages, took the places of entries.
            within &= KeyRange(hi=last) if descending else KeyRange(last + BEFORE_KEYS)
        return found

    def top(self) -> list[Node]:
        """Returns the top level's nodes in order; none in a tree that never had an entry."""
        return self.summit().top

    def summit(self) -> Summit:
        """Returns the top level's nodes, what is to be added to nodes, and the span, by one query.

        Were they read one after the other, what is counted in between would be counted twice, or
        not at all. So a query that saw too little is made anew, for more.
        """
        if self.levels is not None:
            return self._from_level_on(self.levels - 1)
        limit = self.top_nodes
        while True:
            condition = Item.sk.between("0", PENDING_END)
            raw = list(self._query(self.nodes_partition, condition, limit, descending=True))
            summit = _as_summit(raw[::-1])
            if len(raw) < limit or (summit.top and (summit.top[0].lo == LOWEST)):
                return summit
            if summit.top:
                return self._from_level_on(summit.top[0].level)
            limit *= _LIMIT_GROWTH

    def span(self) -> KeyRange | None:
        """Returns where entries of the list may stand in pages; it only ever grows."""
        raw = list(self._query(self.nodes_partition, Item.sk.between(SPAN, SPAN)))
        return _span(raw[0]) if raw else None

    def _from_level_on(self, level: int) -> Summit:
        """The same where the top level is this one or one above."""
        condition = Item.sk.between(f"{level}{LOWEST}", PENDING_END)
        return _as_summit(list(self._query(self.nodes_partition, condition)))

    def pending(self, limit: int | None = None) -> list[PendingCount]:
        """Returns what is to be added to the nodes."""
        condition = Item.sk.between(PENDING, PENDING_END)
        return list(map(as_pending, self._query(self.nodes_partition, condition, limit)))

    def children(self, parent: Node, last: Node | None = None) -> list[Node]:
        """Returns the nodes one level below, in order, of one parent or of all up to the last."""
        return self._nodes(parent.level - 1, KeyRange(parent.lo, (last or parent).hi))

    def children_and_next(self, parent: Node, *, descending: bool) -> list[Node]:
        """Returns the nodes below a parent, in order, and those of the level that one reads on to.

        Ascending that is one; descending it is as many as a query finds that may have all of the
        parent's. Of a parent that has more, the query finds no other's.
        """
        level = parent.level - 1
        if not descending:
            condition = Item.sk.between(f"{level}{parent.lo}", f"{level}{parent.hi}")
            return list(map(as_node, self._query(self.nodes_partition, condition)))
        condition = Item.sk.between(f"{level}{LOWEST}", f"{level}{parent.hi}")
        limit = 2 * (self.packing.node_fan_out if self.packing else 0) + 2
        raw = self._query(self.nodes_partition, condition, limit, descending=True)
        return list(map(as_node, raw))[::-1]

    def first(self, level: int, within: KeyRange, limit: int, *, descending: bool) -> list[Node]:
        """Returns the first so many nodes of a level within a range, from either end."""
        condition = Item.sk.between(f"{level}{within.lo}", f"{level}{within.hi}")
        row_limit = limit + 1  # the node behind the range may be among them
        raw = self._query(self.nodes_partition, condition, row_limit, descending=descending)
        return [node for node in map(as_node, raw) if node.lo in within][:limit]

    def floor(self, level: int, key: str) -> Node | None:
        """Returns the node of a level under which the key belongs; None without such a level."""
        condition = Item.sk.between(f"{level}{LOWEST}", f"{level}{key}")
        found = self._query(self.nodes_partition, condition, 1, descending=True)
        return next(map(as_node, found), None)

    def floors(self, level: int, keys: Sequence[str]) -> list[Node]:
        """Returns the nodes of a level under which the keys belong, in order, as the keys are.

        Keys of one unit of work are often near one another: where there are several, one query
        reads on from the first one's node. None where there is no such level.
        """
        found: list[Node] = []
        remaining = list(keys)
        while remaining and (node := self.floor(level, remaining[0])):
            found.append(node)
            remaining = _behind(node, remaining)
            if len(remaining) >= _SEVERAL:
                for further in self._onward(node, remaining):
                    if remaining and remaining[0] in further.range:
                        found.append(further)
                        remaining = _behind(further, remaining)
        return found

    def _onward(self, node: Node, keys: Sequence[str]) -> Iterator[Node]:
        """The nodes behind one, up to the last key's or as many as are read for so many keys."""
        condition = Item.sk.between(f"{node.level}{node.hi}", f"{node.level}{keys[-1]}")
        raw = self._query(self.nodes_partition, condition, _READ_AHEAD * len(keys))
        return map(as_node, raw)

    def neighbour_before(self, node: Node) -> Node | None:
        """Returns the node that ends where this one begins."""
        condition = Item.sk.between(f"{node.level}{LOWEST}", node.sort_key)
        found = map(as_node, self._query(self.nodes_partition, condition, 2, descending=True))
        return next((other for other in found if other.hi == node.lo), None)

    def everything(self) -> tuple[list[Node], list[TreeEntry]]:
        """Returns all nodes by level and key, and all entries by key."""
        raw = self._query(self.nodes_partition, Item.sk.between("0", str(_LAST_LEVEL) + END))
        nodes = list(map(as_node, raw))
        pages = [page for node in nodes for page in node.page_keys]
        return nodes, self.stored(EVERYTHING).entries(EVERYTHING, pages)

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


def _as_summit(raw: Sequence[Raw]) -> Summit:
    """Reads a summit from rows in order, of which those of lower levels don't count."""
    nodes = [as_node(row) for row in raw if row["sk"]["S"] < SPAN]
    top = [node for node in nodes if node.level == nodes[-1].level]
    spans = [_span(row) for row in raw if row["sk"]["S"] == SPAN]
    return Summit(top, [as_pending(row) for row in raw if is_pending(row)], (*spans, None)[0])


def _span(raw: Raw) -> KeyRange:
    return KeyRange(raw["lo"]["S"], raw["hi"]["S"])


def _behind(node: Node, keys: Sequence[str]) -> list[str]:
    """Those of the keys that belong under later nodes; at least the first is the node's own."""
    return list(dropwhile(lambda key: key < node.hi, keys[1:]))
