"""The end of a list, as one knows it who goes on appending to it.

Whoever appends in order cuts the last leaf behind its entries: what comes next gets a leaf and a
page of its own, or a page beside that of a leaf that isn't full. All that stands under the leaf was
read once, and its version says that this is so still. Nothing is read again, then, and no page is
written anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.items import Node, pages_named
from storepost.platform.persistence.counted_tree.keys import END, KeyRange, behind, separator
from storepost.platform.persistence.counted_tree.model import TreeEntry, total
from storepost.platform.persistence.counted_tree.node_cache import NodeCache
from storepost.platform.persistence.counted_tree.node_writes import Addition, NodeWrites
from storepost.platform.persistence.counted_tree.packed_entries import PackedEntries
from storepost.platform.persistence.counted_tree.pages import generation
from storepost.platform.persistence.counted_tree.rows import Rows
from storepost.platform.persistence.item import Raw


@dataclass(frozen=True)
class Tail:
    """A list's last leaf."""

    leaf: Node
    last: str
    """No entry that it counts, nor any row under it, has a later key."""
    span: KeyRange | None
    """Where entries of the list may stand in pages."""
    appended: int = 0
    """Leaves that came since the nodes above were looked at."""

    def takes(self, entries: Sequence[TreeEntry]) -> bool:
        """Returns whether all of the entries come behind what is there."""
        return self.last < entries[0].key


@dataclass(frozen=True)
class Appended:
    """What a unit appends, and how the list ends once that is written."""

    tail: Tail
    pages: Sequence[Raw]
    above: Sequence[Addition]


def read_tail(rows: Rows) -> Tail | None:
    """Returns how the list ends; None for one that never had an entry.

    Where an entry is gone that the leaf counts still, a row says so until it is counted.
    """
    leaf = rows.first(0, KeyRange(), 1, descending=True)
    if not leaf:
        return None
    stored = rows.stored(leaf[0].range)
    pages = [key for page in stored.pages for key in stored.keys_of(page)]
    return Tail(leaf[0], max([leaf[0].lo, *stored.rows, *pages]), rows.span())


def append(
    rows: Rows,
    changes: Changes,
    nodes: NodeCache,
    tail: Tail,
    parts: Sequence[PackedEntries],
    foreseen: str = "",
) -> Appended:
    """Adds to the unit that entries behind the tail get pages, one for each part.

    A small first one stands beside those of the last leaf; the others have leaves of their own. Up
    to the `foreseen` key others are to follow: where pages may be is widened for all of them.
    """
    leaf, pages = tail.leaf, list[Raw]()
    leaves, last = [replace(leaf, version=leaf.version + 1)], tail.last
    for packed in parts:
        first = packed.entries[0].key
        if not pages and _is_to_grow(rows, leaf, len(packed.entries)):
            leaves = [_with_page(leaves[0], packed)]
        else:
            begin = separator(last, first)
            leaves[-1] = replace(leaves[-1], hi=begin)
            new = replace(leaf, lo=begin, hi=END, version=1, counts=packed.counts)
            leaves.append(replace(new, page=generation(1)))
        pages.append(packed.page(rows.partition, leaves[-1].page_keys[-1]))
        last = packed.entries[-1].key
    rows.rewrite(changes, leaf, leaves[0])
    for new in leaves[1:]:
        rows.create(changes, new)
    added = [(last, total(packed.counts for packed in parts))]
    above = NodeWrites(rows, changes, nodes).add(added, level=1) if leaf.has_parent else []
    paged = KeyRange(parts[0].entries[0].key, behind(last).lo)
    span = _widened(rows, changes, tail.span, paged, foreseen)
    return Appended(Tail(leaves[-1], last, span, tail.appended + len(leaves) - 1), pages, above)


def _with_page(leaf: Node, packed: PackedEntries) -> Node:
    """The leaf, in its new version, with one page more."""
    names = pages_named(leaf.lo, [*leaf.page_keys, generation(leaf.version)])
    return replace(leaf, counts=total((leaf.counts, packed.counts)), page=names)


def _widened(
    rows: Rows, changes: Changes, span: KeyRange | None, paged: KeyRange, foreseen: str
) -> KeyRange:
    """Where pages may be once the new one is there."""
    if span and span.lo <= paged.lo and paged.hi <= span.hi:
        return span
    upto = max(paged.hi, behind(foreseen).lo)
    lo, hi = (min(span.lo, paged.lo), max(span.hi, upto)) if span else (paged.lo, upto)
    wide = KeyRange(lo, hi)
    rows.widen_span(changes, span, wide)
    return wide


def _is_to_grow(rows: Rows, leaf: Node, entries: int) -> bool:
    """Whether a leaf that was loaded has room for so many entries more, and for their page."""
    packing = rows.packing
    if packing is None or not leaf.page or len(leaf.page_keys) >= packing.pages:
        return False
    return leaf.n + entries <= packing.entries
