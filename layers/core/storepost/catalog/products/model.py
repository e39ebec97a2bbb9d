"""Products as values, with what lists show of them in each of their locales."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from storepost.catalog.products.records import Value
from storepost.values.ids import derived_bytes, derived_id
from storepost.values.money import Money
from storepost.values.stored_enum import StoredEnum


class ProductStatus(StoredEnum):
    """Whether a product is sold.

    `active`: on sale. `unlisted`: on sale for people who have its address. `draft`: not on sale
    yet. `archived`: not on sale any more. `removed`: no source has the product any more.
    """

    ACTIVE = "active"
    UNLISTED = "unlisted"
    DRAFT = "draft"
    ARCHIVED = "archived"
    REMOVED = "removed"


_PRODUCT = "product"
"""What a product's id is derived from, beside its store's and its external id."""
ON_SALE = frozenset({ProductStatus.ACTIVE, ProductStatus.UNLISTED})
"""Published unless it is said otherwise."""


class Stock(StoredEnum):
    """Whether there is any: `in_stock`, `out_of_stock`, or `not_tracked` where nobody counts."""

    IN_STOCK = "in_stock"
    OUT_OF_STOCK = "out_of_stock"
    NOT_TRACKED = "not_tracked"


class MissingField(StoredEnum):
    """A field without which a product is hard to show in an email, and that no source has."""

    TITLE = "title"
    LINK = "link"
    PRICE = "price"
    IMAGE = "image"


@dataclass(frozen=True)
class Summary:
    """What a list shows of a product in one locale."""

    title: str | None
    missing: tuple[MissingField, ...]
    published: bool
    handle: str | None
    status: ProductStatus
    vendor: str | None
    product_type: str | None
    tags: tuple[str, ...]
    image: Mapping[str, Value] | None
    """Its url and alt."""
    price: tuple[Money, Money] | None
    """The lowest and the highest price of the variants."""
    compare_at_price: Money | None
    """The compare-at price of the cheapest variant."""
    variant_count: int
    stock: Stock
    inventory: int | None


@dataclass(frozen=True)
class LayerMark:
    """What the product's own row says of a source's layer."""

    source: UUID
    rows: int
    """How many rows the layer has; a small one has none and is stored in the product's row."""
    digest: str
    """A hash of what the source said: a repetition is recognised without reading the layer."""
    locales: tuple[str, ...]
    """The locales of its live records."""
    is_live: bool


@dataclass(frozen=True)
class Product:
    """A product as its row and the lists have it."""

    id: UUID
    store_id: UUID
    external_id: str
    added_at: datetime
    changed_at: datetime
    """When a source last said something new of it."""
    removed_at: datetime | None
    primary_locale: str
    """The store's primary locale when the product was written."""
    summaries: Mapping[str, Summary]
    layers: Mapping[UUID, LayerMark]
    skus: tuple[str, ...] = ()
    """The SKUs of its variants in any source, or of a removed product those that it had: search
    finds it by them. No more than its row has room for.
    """

    @property
    def summary(self) -> Summary:
        """Returns the summary in the store's primary locale."""
        return self.summaries[self.primary_locale]

    @property
    def texts(self) -> list[str]:
        """Returns the texts that `q` searches besides the external id: all titles come first."""
        summaries = self.summaries.values()
        texts = [
            *(each.title for each in summaries),
            *(text for each in summaries for text in (each.vendor, each.product_type, each.handle)),
            *(tag for each in summaries for tag in each.tags),
        ]
        return list(dict.fromkeys(text for text in texts if text))

    @property
    def locales(self) -> list[str]:
        """Returns the locales that it has, the store's primary one first."""
        return list(self.summaries)


@lru_cache(maxsize=1024)
def product_id(store_id: UUID, external_id: str) -> UUID:
    """Returns a product's id, derived from its store's and external id: a return revives it."""
    return derived_id(store_id, _PRODUCT, external_id)


def product_id_bytes(store_id: UUID) -> Callable[[str], bytes]:
    """Returns the function that makes the bytes of a `product_id` fast, for thousands of them."""
    return derived_bytes(store_id, _PRODUCT)


def variant_id(product: UUID, key: str) -> UUID:
    """Returns the id of a product's variant."""
    return derived_id(product, "variant", key)


def record_id(product: UUID, source: UUID, variant: str | None, locale: str | None) -> UUID:
    """Returns the id of one source's record."""
    about = ["product"] if variant is None else ["variant", variant]
    return derived_id(product, "record", str(source), locale or "", *about)
