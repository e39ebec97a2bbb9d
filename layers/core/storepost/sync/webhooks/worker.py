"""The worker: handles one webhook of the queue, which may arrive repeatedly and at any time."""

from collections.abc import Callable

from storepost.platform.jobs.runs import Remaining
from storepost.platform.persistence.objects import ObjectGone
from storepost.shopify.claims import find_claim
from storepost.shopify.errors import NeedsReauth, RequestRefused
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.records.reading import NoRecord
from storepost.sync.webhooks import people, records, shop
from storepost.sync.webhooks.messages import Webhook
from storepost.values.logs import logger
from storepost.values.problems import PayloadTooLarge, ValidationFailed

STORE_TOPICS: dict[str, Callable[[Store, Webhook], None]] = {
    "customers/create": people.customer_changed,
    "customers/update": people.customer_changed,
    "customers/delete": people.customer_deleted,
    "customers/merge": people.customers_merged,
    "customers_email_marketing_consent/update": people.email_consent_changed,
    "customers_marketing_consent/update": people.sms_consent_changed,
    "orders/create": records.order_changed,
    "orders/updated": records.order_changed,
    "orders/delete": records.order_deleted,
    "products/create": records.product_changed,
    "products/update": records.product_changed,
    "products/delete": records.product_deleted,
    "app/uninstalled": shop.app_removed,
    "app/scopes_update": shop.scopes_changed,
    "locales/create": shop.details_changed,
    "locales/update": shop.details_changed,
    "locales/destroy": shop.details_changed,
    "shop/update": shop.details_changed,
}
"""The function for each topic about the store that the shop is connected as."""


def work_on(message: str, remaining: Remaining) -> None:
    """Handles a webhook. Raises errors that a retry may fix; logs others.

    A webhook of a shop that isn't connected is ignored, except for the mandatory privacy topics.
    """
    topic = None
    try:
        webhook = Webhook.of(message)
        topic = webhook.topic
        _work_on(webhook, remaining)
    except (NoRecord, ObjectGone, NeedsReauth, RequestRefused) as error:
        # None of these has personal data.
        logger.warning("webhook not taken", extra={"topic": topic, "reason": str(error)})
    except (ValidationFailed, PayloadTooLarge) as problem:  # more than a record may have
        logger.warning("webhook not taken", extra={"topic": topic, "reason": problem.code})


def _work_on(webhook: Webhook, remaining: Remaining) -> None:
    if webhook.topic not in STORE_TOPICS:
        # These rare topics' imports take a twentieth of a cold start.
        from storepost.sync.webhooks.privacy import PRIVACY_TOPICS  # noqa: PLC0415 - 14 ms

        PRIVACY_TOPICS[webhook.topic](webhook, remaining)
        return
    store = _connected_store(webhook.shop)
    if store is not None:
        STORE_TOPICS[webhook.topic](store, webhook)


def _connected_store(shop: str) -> Store | None:
    """Returns the store that the shop is connected as, or None."""
    claim = find_claim(shop)
    store = StoreRepository(claim.workspace).get(claim.store_id) if claim else None
    return store if store and store.is_active else None
