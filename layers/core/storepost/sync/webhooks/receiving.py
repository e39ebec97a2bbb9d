"""Receives a webhook: checks its signature and its shape, and queues it while Shopify waits."""

from collections.abc import Mapping

from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.shopify.app import shopify_app
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.shopify.shops import is_shop
from storepost.shopify.signatures import is_signed
from storepost.sync.records.reading import NoRecord, moment_of
from storepost.sync.webhooks.deliveries import is_new, remember
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.problems import SignatureInvalid
from storepost.sync.webhooks.topics import SHAPES
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.problems import handles

_PREFIXES = ("x-shopify-", "shopify-")
"""Both spellings of Shopify's headers: of webhooks, and of its newer events."""


def signed_webhook(headers: Mapping[str, str], raw: bytes) -> Webhook:
    """Returns the webhook of a request, after checking its signature. Raises SignatureInvalid.

    Shopify signs the query of an install's callback with the same secret, and the person who
    approves sees it. But it isn't a JSON object, which every webhook's body is.
    """
    headers = {name.lower(): value for name, value in headers.items()}
    if not is_signed(raw, _header(headers, "hmac-sha256"), _secrets()):
        raise SignatureInvalid()
    triggered_at = moment_of(_header(headers, "triggered-at")) or clock.now()
    webhook = Webhook(
        shop=_header(headers, "shop-domain").lower(),
        topic=_header(headers, "topic").lower(),
        triggered_at=min(triggered_at, clock.now()),
        raw=raw,
        delivery_id=_header(headers, "webhook-id"),
    )
    _check_shop(webhook)
    return webhook


def take_webhook(webhook: Webhook, changes: Changes) -> None:
    """Queues the webhook if its topic is subscribed and it arrives for the first time.

    A body that hasn't the topic's shape is dropped: Shopify would send the same one again.
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
        send(changes, webhook)


def _check_shop(webhook: Webhook) -> None:
    """Raises SignatureInvalid where the body is no object, or names another shop."""
    try:
        body = webhook.body()
    except NoRecord as error:
        raise SignatureInvalid() from error
    shape = SHAPES.get(webhook.topic)
    shop = shape.shop_of(body) if shape else None
    if shop is not None and shop != webhook.shop:
        raise SignatureInvalid()


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((headers[p + name] for p in _PREFIXES if p + name in headers), "")


@handles(ShopifyNotConfigured)
def _secrets() -> tuple[str, ...]:
    """The app's secrets, including the old one during a rotation."""
    try:
        return shopify_app().secrets()
    except ShopifyNotConfigured:
        return ()
