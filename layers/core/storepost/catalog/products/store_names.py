"""All names of a store's products and variants, read at once: a few queries instead of gets.

A query returns thousands of sort keys of the store's list and of its names; read row by row, a feed
of 10,000 rows needs 40,000 keys. So most rows that match nothing are known without a read.
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
"""Names of a store that are in memory at once, and as many of its products: 20 MB."""
_AT_ONCE = 4
_DEVIATIONS = 6
"""By how many standard deviations a partition may exceed the average: one in a billion does."""


@dataclass(frozen=True)
class StoreNames:
    """The names of a store's products and variants.

    A name in it may be a former one; a name that isn't in it is nobody's.
    """

    products: AbstractSet[bytes]
    """The ids of the products that any source has."""
    variants: Mapping[bytes, tuple[str, str]]
    """The first and the last variant with a name, by the name."""
    product_id_bytes: Callable[[str], bytes]
    """Makes a product's id from its external id."""

    def has_product(self, product: UUID) -> bool:
        """Returns whether any source has the product."""
        return product.bytes in self.products

    def product(self, external_id: str) -> UUID | None:
        """Returns the id of the product with that external id, if any source has it."""
        found = self.product_id_bytes(external_id)
        return UUID(bytes=found) if found in self.products else None

    def candidates(self, name: Name) -> list[Called]:
        """Returns the variants that have or had the name."""
        return called_by(self.variants.get(name_bytes(name), ()))


def read_names(store: Store, limit: int) -> StoreNames | None:
    """Returns the names of a store's products and variants; None if they are more than `limit`.

    One partition of names shows that already, as names are spread evenly over them.
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
