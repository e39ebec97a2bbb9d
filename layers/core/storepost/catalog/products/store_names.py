"""What a store's products and variants are called, read at once: a few queries instead of gets.

A query returns thousands of sort keys of the store's list and of its names; read row by row, a feed
of 10,000 rows needs 40,000 keys. So most rows of nobody's are known without a read.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from uuid import UUID

from storepost.catalog.products.model import product_id_bytes
from storepost.catalog.products.naming import (
    SHARDS,
    Called,
    Name,
    all_partitions,
    called_by,
    name_bytes,
    name_bytes_of,
)
from storepost.catalog.products.trees import ProductLists
from storepost.platform.persistence.item import raw_rows_in
from storepost.platform.persistence.patience import with_patience
from storepost.stores.stores.model import Store
from storepost.values.ids import SHORT_LENGTH, from_short

MAX_NAMES = 100_000
"""Of a store that are in memory at once, and of its products: 20 MB."""
_AT_ONCE = 4
_DEVIATIONS = 6
"""By how many standard deviations a partition may have more than the average: one in a billion."""


@dataclass(frozen=True)
class StoreNames:
    """What a store's products and variants are called.

    A name that is in it may be one of before; one that isn't is nobody's.
    """

    products: AbstractSet[bytes]
    """The ids of those that any source has."""
    variants: Mapping[bytes, tuple[str, str]]
    """Who is called so first and last, by the name."""
    product_id_bytes: Callable[[str], bytes]
    """What makes a product's id of its external id."""

    def has_product(self, product: UUID) -> bool:
        """Returns whether any source has the product."""
        return product.bytes in self.products

    def product(self, external_id: str) -> UUID | None:
        """Returns the id of the product of that external id, if any source has it."""
        found = self.product_id_bytes(external_id)
        return UUID(bytes=found) if found in self.products else None

    def candidates(self, name: Name) -> list[Called]:
        """Returns who is called so, or was."""
        return called_by(self.variants.get(name_bytes(name), ()))


def read_names(store: Store, limit: int) -> StoreNames | None:
    """Returns the names of a store's products and variants; None where they are more than `limit`.

    That is seen at one of the partitions of names already, over which they are spread evenly.
    """
    limit = min(limit, MAX_NAMES)
    average = limit / SHARDS
    each = int(average + _DEVIATIONS * sqrt(average))
    read = partial(raw_rows_in, limit=each, attributes=("sk", "first", "last"))
    first, *others = all_partitions(store)
    some = read(first)
    if some is None:
        return None
    listed = ProductLists(store.workspace, store.id).by_added.keys(limit)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = [some, *threads.map(with_patience(read), others)]
    if listed is None or None in found:
        return None
    names = {
        name_bytes_of(raw["sk"]["S"]): (raw["first"]["S"], raw["last"]["S"])
        for rows in found
        for raw in rows or ()
    }
    products = frozenset(from_short(key[-SHORT_LENGTH:]).bytes for key in listed)
    return StoreNames(products, names, product_id_bytes(store.id))
