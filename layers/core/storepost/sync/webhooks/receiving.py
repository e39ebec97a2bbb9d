"""Taking a webhook: its signature, its shape, and the way into the queue, as Shopify waits."""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.shopify.app import shopify_app
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.shopify.shops import is_shop
from storepost.shopify.signatures import is_signed
from storepost.sync.records.reading import NoRecord, id_of, moment_of
from storepost.sync.webhooks.deliveries import is_new, remember
from storepost.sync.webhooks.messages import Webhook, to_message
from storepost.sync.webhooks.problems import SignatureInvalid
from storepost.sync.webhooks.topics import SHAPES
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.problems import handles

_PREFIXES = ("x-shopify-", "shopify-")
"""Both spellings of Shopify's headers: of its webhooks, and of the events that follow them."""
_IDS = ("customer_id", "admin_graphql_api_customer_kept_id", "id")


def signed_webhook(headers: Mapping[str, str], raw: bytes) -> Webhook:
    """The webhook of a request, once it is seen to be Shopify's. Raises SignatureInvalid.

    With the same secret Shopify signs the query of an install's callback, which whoever approves
    sees: it is no JSON object, which every webhook's body is.
    """
    told = {name.lower(): value for name, value in headers.items()}
    if not is_signed(raw, _header(told, "hmac-sha256"), _secrets()):
        raise SignatureInvalid()
    triggered_at = moment_of(_header(told, "triggered-at")) or clock.now()
    webhook = Webhook(
        shop=_header(told, "shop-domain").lower(),
        topic=_header(told, "topic").lower(),
        triggered_at=min(triggered_at, clock.now()),
        raw=raw,
        delivery_id=_header(told, "webhook-id"),
    )
    _check_shop(webhook)
    return webhook


def take_webhook(webhook: Webhook, changes: Changes) -> None:
    """Queues the webhook where somebody listens to its topic and it comes for the first time.

    A body that isn't of the topic's shape is dropped: Shopify would send the same one again.
    """
    shape = SHAPES.get(webhook.topic)
    if shape is None or not is_shop(webhook.shop):
        return
    try:
        shape.check(webhook.body())
    except NoRecord as error:
        logger.warning("webhook not taken", extra={"topic": webhook.topic, "reason": str(error)})
        return
    if is_new(webhook):
        remember(changes, webhook)
        queue_webhook(webhook, changes)


def queue_webhook(webhook: Webhook, changes: Changes, at: datetime | None = None) -> None:
    """Queues the webhook, not before `at`. What is about one record goes in turn."""
    send_with(changes, Queue.WEBHOOKS, [(to_message(webhook), _group(webhook))], at)


def _check_shop(webhook: Webhook) -> None:
    """Raises SignatureInvalid where the body is no object, or names another shop."""
    try:
        body = webhook.body()
    except NoRecord as error:
        raise SignatureInvalid() from error
    shape = SHAPES.get(webhook.topic)
    named = shape.shop_of(body) if shape else None
    if named is not None and named != webhook.shop:
        raise SignatureInvalid()


def _header(told: Mapping[str, str], name: str) -> str:
    return next((told[p + name] for p in _PREFIXES if p + name in told), "")


@handles(ShopifyNotConfigured)
def _secrets() -> tuple[str, ...]:
    """The app's secrets, the old one too while it is rotated."""
    try:
        return shopify_app().secrets()
    except ShopifyNotConfigured:
        return ()


def _group(webhook: Webhook) -> str:
    """The FIFO group: a shop's customer, or its order, or the shop itself."""
    kind = webhook.topic.partition("/")[0].partition("_")[0]
    body = webhook.body()
    record = next((found for name in _IDS if (found := id_of(body.get(name)))), "")
    about = f"{webhook.shop}\x1f{kind}\x1f{record}"
    return hashlib.sha256(about.encode()).hexdigest()
