"""Orders as a shop tells of them: each time whole, and guarded by its own time."""

from storepost.orders.service import tombstone_order, write_order
from storepost.platform.persistence.changes import commit_anew
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import CurrencyMismatch
from storepost.sync.records import rest
from storepost.sync.records.reading import needed_id
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.stores import write_unless_stale
from storepost.values.logs import logger


def order_changed(store: Store, webhook: Webhook) -> None:
    """Writes the order of `orders/create` and `orders/updated`."""
    order = rest.order_of(store, webhook.body())
    try:
        write_unless_stale(lambda changes: write_order(store, order, changes))
    except CurrencyMismatch as problem:
        logger.warning("order not taken", extra={"code": problem.code})


def order_deleted(store: Store, webhook: Webhook) -> None:
    """Deletes the order of `orders/delete`: for good, as Shopify gives no id twice."""
    external_id = needed_id(webhook.body(), "id")
    commit_anew(lambda changes: tombstone_order(store, external_id, changes, webhook.triggered_at))
