"""Draws one of many entries, for one read unit a level, however long the list is.

It reads only the first few nodes of each level, from a random end, and the first few entries of a
leaf. If none of those counts, the caller has to find an entry by its number.
"""

import secrets
from collections.abc import Sequence

from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import EVERYTHING
from storepost.platform.persistence.counted_tree.model import ENTRIES, Filter, TreeEntry
from storepost.platform.persistence.counted_tree.rows import Rows

_LIMIT = 24
"""About as many of our rows as fit into a read unit, which is 4 KB."""


def draw(rows: Rows, only: Filter | None) -> TreeEntry | None:
    """Returns one of the entries that the filter keeps; None where none of those read counts."""
    within, level = EVERYTHING, _top_level(rows)
    node: Node | None = None
    while level is not None and level >= 0:
        node = _weighted_choice(
            rows.first(level, within, _LIMIT, descending=_random_direction()), only
        )
        if node is None:
            return None
        within, level = node.range, level - 1
    return _entry(rows, node, only) if node else None


def _top_level(rows: Rows) -> int | None:
    if rows.levels is not None:
        return rows.levels - 1
    top = rows.top()
    return top[0].level if top else None


def _weighted_choice(nodes: Sequence[Node], only: Filter | None) -> Node | None:
    """Returns one of the nodes, the more likely the more of its entries count; None without any."""
    counters = only.counters if only else (ENTRIES,)
    weights = [max(0, sum(node.counts[counter] for counter in counters)) for node in nodes]
    if not sum(weights):
        return None
    left = secrets.randbelow(sum(weights))
    for node, weight in zip(nodes, weights, strict=True):
        if left < weight:
            return node
        left -= weight
    raise AssertionError("a number below the sum is within one of the weights")


def _entry(rows: Rows, leaf: Node, only: Filter | None) -> TreeEntry | None:
    if leaf.page:
        found = rows.stored(leaf.range).entries(leaf.range, leaf.page_keys)
    else:
        found = rows.live(leaf.range, _LIMIT, descending=_random_direction())
    counted = [entry for entry in found if only is None or only.keeps(entry)]
    return secrets.choice(counted) if counted else None


def _random_direction() -> bool:
    return bool(secrets.randbelow(2))
