"""Runs of adjacent leaves, which one query reads."""

from collections.abc import Iterable
from dataclasses import dataclass

from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.keys import KeyRange


@dataclass(frozen=True)
class Run:
    """Leaves that one query reads: their range, and the sort keys of their pages."""

    range: KeyRange
    pages: tuple[str, ...]


def runs(leaves: Iterable[Node]) -> list[Run]:
    """Returns the leaves in their order as runs, with neighbours joined."""
    joined: list[Run] = []
    for leaf in leaves:
        last = joined[-1] if joined else None
        if last and (last.range.hi == leaf.lo or leaf.hi == last.range.lo):
            joined[-1] = Run(last.range | leaf.range, (*last.pages, *leaf.page_keys))
        else:
            joined.append(Run(leaf.range, leaf.page_keys))
    return joined
