"""Counts the bytes of a leaf's pages and rows, and finds where to cut a leaf with too many.

One page of a listing mostly touches at most two leaves, and both are read whole, so their size has
a bound.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from math import ceil

from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, Node
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.pages import Packing, generation, page_bytes
from storepost.platform.persistence.counted_tree.rows import Rows

ROW_BYTES = 170
"""About how many bytes an entry's row has in our lists."""


def bytes_of_page(rows: Rows, leaf: Node, entries: Sequence[TreeEntry]) -> int:
    """Returns how many bytes a page of the leaf has with those entries; 0 without any."""
    key = leaf.lo + BEFORE_KEYS + generation(leaf.version + 1)
    return page_bytes(rows.page_item(key, entries)) if entries else 0


def parts_of_leaf(
    packing: Packing,
    keys: Sequence[str],
    rows: Collection[str],
    paged_bytes: float,
    min_parts: int = 1,
) -> list[int]:
    """Returns where the parts of a leaf begin among its entries' keys, and where the last one ends.

    The entries in `rows` are rows; the others take `paged_bytes` in one page. There are `min_parts`
    parts with equally many entries, or, where one of these is too large, parts of about equally
    many bytes.
    """
    in_rows = [key in rows for key in keys]
    paged = paged_bytes / max(1, len(keys) - sum(in_rows))
    each = (ROW_BYTES if is_row else paged for is_row in in_rows)
    sums = list(accumulate(each, initial=0.0))
    bounds = [len(keys) * part // min_parts for part in range(min_parts + 1)]
    if all(sums[end] - sums[begin] <= packing.max_bytes for begin, end in pairwise(bounds)):
        return bounds
    parts = max(min_parts, ceil(sums[-1] / packing.max_bytes))
    begins = {bisect_left(sums, sums[-1] * part / parts) for part in range(1, parts)}
    return [0, *sorted(begins - {0, len(keys)}), len(keys)]
