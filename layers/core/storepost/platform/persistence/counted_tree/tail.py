"""The end of a list, as it is known to a load that appends to it.

A load that appends in order cuts the last leaf after its entries: the new entries get a leaf and a
page of their own, or a further page of a leaf that isn't full. All contents of the leaf were read
once, and its version shows that they are still the same. So nothing is read again, and no page is
rewritten.
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
    """No entry that the leaf counts, and no row below it, has a greater key."""
    span: KeyRange | None
    """Where entries of the list may be in pages."""
    appended: int = 0
    """How many leaves were added since the nodes above were checked."""

    def takes(self, entries: Sequence[TreeEntry]) -> bool:
        """Returns whether all of the entries sort after those of the list."""
        return self.last < entries[0].key


@dataclass(frozen=True)
class Appended:
    """Holds what a unit appends, and how the list ends once that is written."""

    tail: Tail
    pages: Sequence[Raw]
    above: Sequence[Addition]


def read_tail(rows: Rows) -> Tail | None:
    """Returns how the list ends; None for one that never had an entry.

    A deleted entry that the leaf still counts has a tombstone until it is counted.
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
    """Adds to the unit the leaves of entries after the tail, which get one page for each part.

    A small first page is added to those of the last leaf; the others get leaves of their own.
    Further entries are to follow up to the `foreseen` key: the span is widened for all of them.
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
    """Returns the leaf, in its new version, with one more page."""
    names = pages_named(leaf.lo, [*leaf.page_keys, generation(leaf.version)])
    return replace(leaf, counts=total((leaf.counts, packed.counts)), page=names)


def _widened(
    rows: Rows, changes: Changes, span: KeyRange | None, paged: KeyRange, foreseen: str
) -> KeyRange:
    """Returns the span that includes the new pages; widens the stored one if needed."""
    if span and span | paged == span:
        return span
    new = KeyRange(paged.lo, max(paged.hi, behind(foreseen).lo))
    wide = span | new if span else new
    rows.widen_span(changes, span, wide)
    return wide


def _is_to_grow(rows: Rows, leaf: Node, entries: int) -> bool:
    """Returns whether a packed leaf has room for so many more entries, and for their page."""
    packing = rows.packing
    if packing is None or not leaf.page or len(leaf.page_keys) >= packing.pages:
        return False
    return leaf.n + entries <= packing.entries
