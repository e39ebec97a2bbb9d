"""Queries the rows of a counted tree, always strongly consistent.

An entry's partition key is the list's own. A node's is `<list>#nodes`, and its sort key is its
level and lowest key. All levels share one partition, so that a query from its end begins with the
top level, however many levels there are.
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
"""A top level with so many nodes gets a level above it: as many are read for a total."""

SPAN = "}"
"""The sort key of the row of the packed span: between all levels and the pending counts."""

_LAST_LEVEL = 9
_LIMIT_GROWTH = 4

_SEVERAL = 3
_READ_AHEAD = 48
"""How many further nodes are read for each key: at most two read units; a query each takes one."""


@dataclass(frozen=True)
class Summit:
    """Holds what one query finds at the end of the nodes' partition.

    It is the top level's nodes in order, the pending counts, and the span where pages may be.
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
    """The number of levels, in a list where it is fixed."""
    packing: Packing | None = None
    """How the list's leaves are packed; None in a list that never has a page."""
    keys_stay: bool = False
    """Whether an entry keeps its key for as long as it is listed."""

    @property
    def nodes_partition(self) -> str:
        """Returns the partition key of the nodes."""
        return f"{self.partition}#nodes"

    def stored(self, within: KeyRange) -> Stored:
        """Returns all rows within a range, pages included."""
        return self.first_stored(within, None, descending=False)

    def live(
        self, within: KeyRange, limit: int | None = None, *, descending: bool = False
    ) -> list[TreeEntry]:
        """Returns the first entries within a range that are rows, in the requested order.

        Pages may have other entries of the range.
        """
        return self.first_stored(within, limit, descending=descending).live[:limit]

    def first_stored(self, within: KeyRange, limit: int | None, *, descending: bool) -> Stored:
        """Returns the first rows until `limit` entries are found, with the pages among them."""
        found, entries = Stored(self.fields), 0
        while not within.is_empty:
            # `between` includes its upper bound, which a range excludes: so ask for one row more.
            rows = None if limit is None else limit - entries + 1
            read, last = 0, ""
            condition = Item.sk.between(within.lo, within.hi)
            for raw in self._query(self.partition, condition, rows, descending=descending):
                read, last = read + 1, raw["sk"]["S"]
                if last in within:
                    entries += found.add(raw)
            if rows is None or read < rows or entries >= (limit or 0):
                break
            # Tombstones and pages took the places of entries.
            within &= KeyRange(hi=last) if descending else KeyRange(last + BEFORE_KEYS)
        return found

    def top(self) -> list[Node]:
        """Returns the top level's nodes in order; none in a tree that never had an entry."""
        return self.summit().top

    def summit(self) -> Summit:
        """Returns the top level's nodes, the pending counts and the span, by one query.

        If they were read one after the other, a fold in between would be counted twice, or not at
        all. So a query that saw too little is repeated with a greater limit.
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
        """Returns the range where entries may be in pages; it only ever grows."""
        raw = list(self._query(self.nodes_partition, Item.sk.between(SPAN, SPAN)))
        return _span(raw[0]) if raw else None

    def _from_level_on(self, level: int) -> Summit:
        """Returns the summit where the top level is this one or one above."""
        condition = Item.sk.between(f"{level}{LOWEST}", PENDING_END)
        return _as_summit(list(self._query(self.nodes_partition, condition)))

    def pending(self, limit: int | None = None) -> list[PendingCount]:
        """Returns the pending counts."""
        condition = Item.sk.between(PENDING, PENDING_END)
        return list(map(as_pending, self._query(self.nodes_partition, condition, limit)))

    def children(self, parent: Node, last: Node | None = None) -> list[Node]:
        """Returns the nodes one level below, in order: of one parent, or of all up to `last`."""
        within = KeyRange(parent.lo, (last or parent).hi)
        found = self._nodes(parent.level - 1, within.lo, within.hi)
        return [node for node in found if node.lo in within]

    def children_and_next(self, parent: Node, *, descending: bool) -> list[Node]:
        """Returns a parent's children, in order, with those of the next parent in that direction.

        Ascending, that is one node. Descending, it is as many as a query returns with a limit that
        has room for all children of the parent. If the parent has more, the query returns no
        other's.
        """
        level = parent.level - 1
        if not descending:
            return list(self._nodes(level, parent.lo, parent.hi))
        limit = 2 * (self.packing.node_fan_out if self.packing else 0) + 2
        return list(self._nodes(level, LOWEST, parent.hi, limit, descending=True))[::-1]

    def first(self, level: int, within: KeyRange, limit: int, *, descending: bool) -> list[Node]:
        """Returns the first `limit` nodes of a level within a range, from either end."""
        # The node after the range may be among them.
        found = self._nodes(level, within.lo, within.hi, limit + 1, descending=descending)
        return [node for node in found if node.lo in within][:limit]

    def floor(self, level: int, key: str) -> Node | None:
        """Returns the node of a level that covers the key; None without such a level."""
        return next(self._nodes(level, LOWEST, key, 1, descending=True), None)

    def floors(self, level: int, keys: Sequence[str]) -> list[Node]:
        """Returns the nodes of a level that cover the keys, in the order of the keys.

        Keys of one unit of work are often near one another: where there are several, one query
        reads on from the first one's node. Returns none where there is no such level.
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
        """Returns the nodes after one, up to the last key's or the limit for that many keys."""
        return self._nodes(node.level, node.hi, keys[-1], _READ_AHEAD * len(keys))

    def neighbour_before(self, node: Node) -> Node | None:
        """Returns the node that ends where this one begins."""
        found = self._nodes(node.level, LOWEST, node.lo, 2, descending=True)
        return next((other for other in found if other.hi == node.lo), None)

    def everything(self) -> tuple[list[Node], list[TreeEntry]]:
        """Returns all nodes by level and key, and all entries by key."""
        raw = self._query(self.nodes_partition, Item.sk.between("0", str(_LAST_LEVEL) + END))
        nodes = list(map(as_node, raw))
        pages = [page for node in nodes for page in node.page_keys]
        return nodes, self.stored(EVERYTHING).entries(EVERYTHING, pages)

    def _nodes(
        self, level: int, lo: str, hi: str, limit: int | None = None, *, descending: bool = False
    ) -> Iterator[Node]:
        """Returns a level's nodes that begin at one of these keys or between them."""
        condition = Item.sk.between(f"{level}{lo}", f"{level}{hi}")
        raw = self._query(self.nodes_partition, condition, limit, descending=descending)
        return map(as_node, raw)

    def _query(
        self, partition: str, keys: Condition, limit: int | None = None, *, descending: bool = False
    ) -> Iterator[Raw]:
        """Returns what a query finds; the limit is for all of it, not for a page of DynamoDB's."""
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
    """Reads a summit from rows in order; those of lower levels are ignored."""
    nodes = [as_node(row) for row in raw if row["sk"]["S"] < SPAN]
    top = [node for node in nodes if node.level == nodes[-1].level]
    spans = [_span(row) for row in raw if row["sk"]["S"] == SPAN]
    return Summit(top, [as_pending(row) for row in raw if is_pending(row)], (*spans, None)[0])


def _span(raw: Raw) -> KeyRange:
    return KeyRange(raw["lo"]["S"], raw["hi"]["S"])


def _behind(node: Node, keys: Sequence[str]) -> list[str]:
    """Returns the keys of later nodes; at least the first key is this node's own."""
    return list(dropwhile(lambda key: key < node.hi, keys[1:]))
