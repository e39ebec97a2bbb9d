"""Puts and deletes a custom store's products, and reads one product in full."""

from datetime import datetime
from functools import partial
from uuid import UUID

from storepost.catalog.products.details import ProductDetails
from storepost.catalog.products.in_force import RulesRepository
from storepost.catalog.products.incoming import IncomingProduct
from storepost.catalog.products.model import Product, Stock, product_id
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.resolution import ResolvedProduct, ResolvedVariant
from storepost.catalog.products.summaries import stock_of
from storepost.catalog.products.writing import (
    ProductSource,
    WriteOutcome,
    Written,
    remove_layer,
    replace_layer,
    tombstone_layer,
)
from storepost.platform.persistence.changes import Changes, until_won
from storepost.stores.stores.finding import active_custom_store, found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut, is_among
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope


def put_product(
    workspace: WorkspaceScope, store_id: UUID, incoming: IncomingProduct, changes: Changes
) -> tuple[ProductDetails, bool]:
    """Writes a custom store's product; returns it, and whether it is new."""
    store = active_custom_store(workspace, store_id)
    written = write_product(store, incoming, changes)
    layers = written.layers or ProductRepository(workspace).layers(written.product)
    records = [record for layer in layers.values() for record in layer.records]
    rules = RulesRepository(store).get().rules
    details = ProductDetails(written.product, store, rules, records)
    return details, written.outcome is WriteOutcome.CREATED


def write_product(store: Store, incoming: IncomingProduct, changes: Changes) -> Written:
    """Adds to a unit of work a product that arrives from a store.

    Raises StaleUpdate and CurrencyMismatch, before it has added anything.
    """
    incoming.check_currency(store)
    return replace_layer(changes, ProductSource(store, store.id), incoming.as_source_product(store))


def delete_product(
    workspace: WorkspaceScope, store_id: UUID, external_id: str, changes: Changes
) -> None:
    """Removes a custom store's product; what feeds say of it stays."""
    mark_product_removed(active_custom_store(workspace, store_id), external_id, changes)


def mark_product_removed(
    store: Store, external_id: str, changes: Changes, at: datetime | None = None
) -> None:
    """Adds to a unit of work that a store no longer has a product. Raises NotFound.

    Data older than `at`, the store's own time of the removal, doesn't restore it.
    """
    written = remove_layer(changes, ProductSource(store, store.id), external_id, at=at)
    if written is None or written.outcome is WriteOutcome.UNCHANGED:
        raise _unknown()


def tombstone_product(store: Store, external_id: str, changes: Changes, at: datetime) -> None:
    """Adds to a unit of work that a shop deleted a product at that moment, stored or not.

    Older data doesn't create it, in whatever order it arrives.
    """
    tombstone_layer(changes, ProductSource(store, store.id), external_id, at)


def get_product(workspace: WorkspaceScope, product_id: UUID) -> ProductDetails:
    """Returns a product in full, removed or not; 404 where the workspace has none of that id."""
    # It may be written between the reads.
    return until_won(partial(_read, workspace, product_id))


def get_product_of_store(
    workspace: WorkspaceScope, store_id: UUID, external_id: str
) -> ProductDetails:
    """Returns the product with that external id, in full, removed or not. Raises NotFound."""
    store = found_store(StoreRepository(workspace), store_id)
    try:
        return get_product(workspace, product_id(store.id, external_id))
    except NotFound as error:
        raise _unknown() from error


def _unknown() -> NotFound:
    return NotFound("No product with this external id exists in this store.")


def _read(workspace: WorkspaceScope, product_id: UUID) -> ProductDetails:
    repository = ProductRepository(workspace)
    product = needed(repository.get(product_id), NotFound.of("product"))
    store = found_store(StoreRepository(workspace), product.store_id)
    layers = repository.layers(product).values()
    records = [record for layer in layers for record in layer.records]
    return ProductDetails(product, store, RulesRepository(store).get().rules, records)


def list_variants(
    product: ResolvedProduct,
    stocks: list[Stock] | None,
    page: PageRequest,
    *,
    include_removed: bool,
) -> Listing[ResolvedVariant]:
    """Returns a product's variants by position: those that a source has, or the removed ones."""
    variants = [
        variant
        for variant in product.variants
        if (variant.removed_at is not None) is include_removed
        and is_among(stock_of(variant.resolved), stocks)
    ]
    return cut(variants, page)


def product_of(workspace: WorkspaceScope, product_id: UUID) -> Product:
    """Returns a product as lists have it; 404 where the workspace has none of that id."""
    return needed(ProductRepository(workspace).get(product_id), NotFound.of("product"))
