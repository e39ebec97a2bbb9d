"""Checks a tree's invariants: whole levels, counts that add up, and pages that exist."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from storepost.platform.persistence.counted_tree.items import Node, is_whole
from storepost.platform.persistence.counted_tree.keys import END, EVERYTHING, KeyRange
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    counts_of,
    difference,
    negative,
    nonzero,
    total,
)
from storepost.platform.persistence.counted_tree.pages import Stored
from storepost.platform.persistence.counted_tree.pending import changes_of
from storepost.platform.persistence.counted_tree.tree import Tree


def faults(tree: Tree) -> list[str]:
    """Returns what is wrong with the tree: gaps in a level, counts that aren't the sums below.

    The leaves must count their entries as they were before the pending changes.

    It reads the whole list; it is for tests and for an operator who doubts a list.
    """
    nodes, entries = tree.rows.everything()
    faulty = _faults_of_pages(tree, nodes)
    levels = {level: list(same) for level, same in groupby(nodes, key=lambda node: node.level)}
    below = [(entry.key, counts_of(entry, tree.filters)) for entry in entries]
    below += [(c.key, negative(c.counts(tree.filters))) for c in changes_of(tree.rows.pending())]
    below.sort(key=lambda counted: counted[0])
    if not levels:
        uncounted = total(counts for _, counts in below)
        return ["entries without a node"] if nonzero([uncounted]) else []
    found = faulty
    for level in range(len(levels)):
        same = levels.get(level, [])
        found += [f"level {level}: {fault}" for fault in _faults_of(same, below, levels)]
        below = [(node.lo, node.counts) for node in same]
    return found


def _faults_of(
    same: Sequence[Node],
    below: Sequence[tuple[str, Counts]],
    levels: Mapping[int, Sequence[Node]],
) -> list[str]:
    found = []
    if not is_whole(same, EVERYTHING):
        found.append("it has a gap")
    if any(node.has_parent != (node.level + 1 in levels) for node in same):
        found.append("it doesn't know whether a level stands above it")
    keys = [key for key, _ in below]
    for node in same:
        under = below[bisect_left(keys, node.lo) : bisect_left(keys, node.hi)]
        if node.level and node.lo not in keys:
            found.append("a node begins where none below it does")
        if difference(total(counts for _, counts in under), node.counts):
            found.append("a node doesn't hold the sum of what is below it")
    return found


def _faults_of_pages(tree: Tree, nodes: Sequence[Node]) -> list[str]:
    """Returns what is wrong with the pages that the leaves name."""
    named = [node for node in nodes if node.page]
    if not named:
        return []
    stored, span = tree.rows.stored(EVERYTHING), tree.rows.span() or KeyRange(END)
    return [fault for node in named for fault in _faults_of_page(node, stored, span)]


def _faults_of_page(node: Node, stored: Stored, span: KeyRange) -> Iterator[str]:
    if node.level:
        yield "a node that is no leaf has a page"
    if not stored.has(node.page_keys):
        yield "a leaf's page isn't there"
    if any(page not in node.range for page in node.page_keys):
        yield "a leaf's page stands below another one"
    if any(e.key not in node.range & span for p in node.page_keys for e in stored.page(p)):
        yield "a page has entries that it must not have"
