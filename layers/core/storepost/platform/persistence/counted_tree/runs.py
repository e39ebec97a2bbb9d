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
        pages = leaf.page_keys
        if last and last.range.hi == leaf.lo:
            joined[-1] = Run(KeyRange(last.range.lo, leaf.hi), (*last.pages, *pages))
        elif last and leaf.hi == last.range.lo:
            joined[-1] = Run(KeyRange(leaf.lo, last.range.hi), (*last.pages, *pages))
        else:
            joined.append(Run(leaf.range, pages))
    return joined
