"""Feeds as sources of a store's products, written as an import would write them."""

from collections.abc import Mapping
from typing import Any

from storepost.catalog.products.feeds import add_feed
from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.writing import (
    ProductSource,
    SourceProduct,
    WriteOutcome,
    keys_behind,
    keys_of,
    replace_layer,
)
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id


def feed(store: Store, name: str = "A feed") -> ProductSource:
    """A new feed of the store."""
    identifier = new_id()
    commit_anew(lambda changes: add_feed(changes, store, identifier, name))
    return ProductSource(store, identifier)


def says(
    external_id: str,
    locale: str | None = None,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    custom: Mapping[str, str] | None = None,
    **fields: Any,
) -> SourceProduct:
    """Returns a feed's values for a product and for some of its variants."""
    fields |= {f"custom.{key}": value for key, value in (custom or {}).items()}
    own = [SourceValues(fields, locale)] if fields else []
    others = [SourceValues(values, locale, key) for key, values in (variants or {}).items()]
    return SourceProduct(external_id, (*own, *others))


def write_layers(
    product_source: ProductSource, *source_products: SourceProduct
) -> list[WriteOutcome]:
    """Writes products in one transaction, whose rows are read ahead."""

    def write(changes: Changes) -> list[WriteOutcome]:
        reads = ReadAhead()
        names = [each.external_id for each in source_products]
        reads.prefetch(keys_of(product_source.store, names))
        reads.prefetch(keys_behind(product_source.store, names, reads))
        changes.reads = reads
        return [replace_layer(changes, product_source, each).outcome for each in source_products]

    return commit_anew(write)
