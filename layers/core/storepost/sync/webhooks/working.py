"""The worker: one webhook from the queue, as often as it comes and whenever it does."""

from collections.abc import Callable

from storepost.platform.jobs.runs import Remaining
from storepost.platform.persistence.objects import ObjectGone
from storepost.shopify.errors import NeedsReauth, RequestRefused
from storepost.stores.stores.model import Store
from storepost.sync.records.reading import NoRecord
from storepost.sync.webhooks import people, privacy, selling, shop, stocking
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.stores import connected_store
from storepost.values.logs import logger

OF_A_STORE: dict[str, Callable[[Store, Webhook], None]] = {
    "customers/create": people.customer_changed,
    "customers/update": people.customer_changed,
    "customers/delete": people.customer_deleted,
    "customers/merge": people.customers_merged,
    "customers_email_marketing_consent/update": people.email_consent_changed,
    "customers_marketing_consent/update": people.sms_consent_changed,
    "orders/create": selling.order_changed,
    "orders/updated": selling.order_changed,
    "orders/delete": selling.order_deleted,
    "products/create": stocking.product_changed,
    "products/update": stocking.product_changed,
    "products/delete": stocking.product_deleted,
    "app/uninstalled": shop.app_removed,
    "app/scopes_update": shop.scopes_changed,
    "locales/create": shop.details_changed,
    "locales/update": shop.details_changed,
    "locales/destroy": shop.details_changed,
    "shop/update": shop.details_changed,
}
"""By topic: who does what of it, for the store that the shop is connected as."""

OF_THE_LAW: dict[str, Callable[[Webhook, Remaining], None]] = {
    "customers/data_request": privacy.data_requested,
    "customers/redact": privacy.customer_redacted,
    "shop/redact": privacy.shop_redacted,
}
"""What is done whether or not the shop is still connected."""


def work_on(message: str, remaining: Remaining) -> None:
    """Does what the webhook asks for. What another try may mend is raised; the rest is logged.

    A shop that is connected nowhere is nobody's any more: what it tells is left alone.
    """
    topic = None
    try:
        webhook = Webhook.of(message)
        topic = webhook.topic
        _work_on(webhook, remaining)
    except (NoRecord, ObjectGone, NeedsReauth, RequestRefused) as error:
        # Neither says anything of anybody.
        logger.warning("webhook not taken", extra={"topic": topic, "reason": str(error)})


def _work_on(webhook: Webhook, remaining: Remaining) -> None:
    if webhook.topic in OF_THE_LAW:
        OF_THE_LAW[webhook.topic](webhook, remaining)
        return
    store = connected_store(webhook.shop)
    if store is not None:
        OF_A_STORE[webhook.topic](store, webhook)
