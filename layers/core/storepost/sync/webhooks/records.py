"""Handles webhooks about orders and products: complete records, compared by the shop's own time."""

from collections.abc import Callable

from storepost.catalog.products.service import tombstone_product, write_product
from storepost.orders.service import tombstone_order, write_order
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import CurrencyMismatch, StaleUpdate
from storepost.sync.records import rest
from storepost.sync.records.products import product_of
from storepost.sync.records.reading import needed_id
from storepost.sync.webhooks.messages import Webhook
from storepost.values.logs import logger


def order_changed(store: Store, webhook: Webhook) -> None:
    """Writes the order of `orders/create` and `orders/updated`."""
    order = rest.order_of(store, webhook.body())
    try:
        write_unless_stale(lambda changes: write_order(store, order, changes))
    except CurrencyMismatch as problem:
        logger.warning("order not taken", extra={"code": problem.code})


def order_deleted(store: Store, webhook: Webhook) -> None:
    """Deletes the order of `orders/delete`: for good, as Shopify never reuses an id."""
    external_id = needed_id(webhook.body(), "id")
    commit_anew(lambda changes: tombstone_order(store, external_id, changes, webhook.triggered_at))


def product_changed(store: Store, webhook: Webhook) -> None:
    """Writes the product of `products/create` and `products/update`."""
    product = product_of(store, webhook.body())
    write_unless_stale(lambda changes: write_product(store, product, changes))


def product_deleted(store: Store, webhook: Webhook) -> None:
    """Deletes the product of `products/delete`: no older data restores it."""
    external_id, at = needed_id(webhook.body(), "id"), webhook.triggered_at
    commit_anew(lambda changes: tombstone_product(store, external_id, changes, at))


def write_unless_stale(work: Callable[[Changes], object]) -> None:
    """Commits the work; a record that is older than the stored one changes nothing."""
    try:
        commit_anew(work)
    except StaleUpdate:
        return
