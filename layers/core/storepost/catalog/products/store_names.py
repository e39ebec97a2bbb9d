"""What a store's products and variants are called, read at once: a few queries instead of gets.

A query brings thousands of sort keys of the store's list and of its names; asked row by row, a
feed of 10,000 rows needs 40,000 keys. So most rows of nobody's are known without a read.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from uuid import UUID

from storepost.catalog.products.naming import (
    SHARDS,
    Called,
    Name,
    all_partitions,
    called_by,
    name_sort_key,
)
from storepost.catalog.products.trees import ProductLists
from storepost.platform.persistence.item import raw_rows_in
from storepost.platform.persistence.patience import with_patience
from storepost.stores.stores.model import Store
from storepost.values.ids import SHORT_LENGTH, short

MAX_NAMES = 100_000
"""Of a store that are held at once, and of its products: 20 MB."""
_AT_ONCE = 4
_DEVIATIONS = 6
"""By how many standard deviations a partition may have more than the average: one in a billion."""


@dataclass(frozen=True)
class StoreNames:
    """What a store's products and variants are called.

    A name that is in it may be one of before; one that isn't is nobody's.
    """

    products: AbstractSet[str]
    """The short ids of those that any source has."""
    variants: Mapping[str, tuple[str, str]]
    """Who is called so first and last, by the sort key of the name."""

    def has_product(self, product: UUID) -> bool:
        """Whether any source has the product."""
        return short(product) in self.products

    def has(self, name: Name) -> bool:
        """Whether a variant is called so, or was."""
        return name_sort_key(name) in self.variants

    def candidates(self, name: Name) -> list[Called]:
        """Who is called so, or was."""
        return called_by(self.variants.get(name_sort_key(name), ()))


def read_names(store: Store, most: int) -> StoreNames | None:
    """What the store's products and variants are called; None where that is more than `most` names.

    That is seen at one of the partitions of names already, over which they are spread evenly.
    """
    most = min(most, MAX_NAMES)
    average = most / SHARDS
    each = int(average + _DEVIATIONS * sqrt(average))
    read = partial(raw_rows_in, most=each, attributes=("sk", "first", "last"))
    first, *others = all_partitions(store)
    some = read(first)
    if some is None:
        return None
    listed = raw_rows_in(ProductLists(store.workspace, store.id).by_added.partition, most, ["sk"])
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = [some, *threads.map(with_patience(read), others)]
    if listed is None or None in found:
        return None
    names = {
        raw["sk"]["S"]: (raw["first"]["S"], raw["last"]["S"])
        for rows in found
        for raw in rows or ()
    }
    return StoreNames(frozenset(raw["sk"]["S"][-SHORT_LENGTH:] for raw in listed), names)
