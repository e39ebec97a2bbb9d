"""Large lists with page numbers and exact totals; start reading at `Tree`."""

from storepost.platform.persistence.counted_tree.keys import (
    EVERYTHING,
    KeyRange,
    behind,
    id_of,
    moment_key,
    moment_of,
    moments,
    text_key,
)
from storepost.platform.persistence.counted_tree.model import (
    Filter,
    FilterField,
    FilterValue,
    TreeEntry,
)
from storepost.platform.persistence.counted_tree.pages import PACKS_WHAT_IS_COLD, Packing
from storepost.platform.persistence.counted_tree.tree import Tree

__all__ = [
    "EVERYTHING",
    "PACKS_WHAT_IS_COLD",
    "Filter",
    "FilterField",
    "FilterValue",
    "KeyRange",
    "Packing",
    "Tree",
    "TreeEntry",
    "behind",
    "id_of",
    "moment_key",
    "moment_of",
    "moments",
    "text_key",
]
