"""Products as a shop tells of them: each time whole, and guarded by its own time."""

from storepost.catalog.products.service import tombstone_product, write_product
from storepost.platform.persistence.changes import commit_anew
from storepost.stores.stores.model import Store
from storepost.sync.records.products import product_of
from storepost.sync.records.reading import needed_id
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.stores import write_unless_stale


def product_changed(store: Store, webhook: Webhook) -> None:
    """Writes the product of `products/create` and `products/update`."""
    product = product_of(store, webhook.body())
    write_unless_stale(lambda changes: write_product(store, product, changes))


def product_deleted(store: Store, webhook: Webhook) -> None:
    """Deletes the product of `products/delete`: nothing sent before brings it back."""
    external_id, at = needed_id(webhook.body(), "id"), webhook.triggered_at
    commit_anew(lambda changes: tombstone_product(store, external_id, changes, at))
