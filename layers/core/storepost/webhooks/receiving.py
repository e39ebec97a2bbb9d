"""Taking a webhook: its signature, and the way into the queue. Nothing else, as Shopify waits."""

import hashlib
from collections.abc import Mapping

from storepost import clock
from storepost.json_reading import read_json
from storepost.messaging.outbox import Queue, send_with
from storepost.persistence.changes import Changes
from storepost.problems import handles
from storepost.shop_records.reading import id_of, moment_of
from storepost.shopify.app import shopify_app
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.shopify.shops import is_shop
from storepost.shopify.signatures import is_signed
from storepost.webhooks.messages import Webhook, to_message
from storepost.webhooks.problems import SignatureInvalid
from storepost.webhooks.topics import TOPICS

_PREFIXES = ("x-shopify-", "shopify-")
"""Both spellings of Shopify's headers: of its webhooks, and of the events that follow them."""
_IDS = ("customer_id", "admin_graphql_api_customer_kept_id", "id")


def signed_webhook(headers: Mapping[str, str], raw: bytes) -> Webhook:
    """The webhook of a request, once it is seen to be Shopify's. Raises SignatureInvalid."""
    told = {name.lower(): value for name, value in headers.items()}
    if not is_signed(raw, _header(told, "hmac-sha256"), _secrets()):
        raise SignatureInvalid()
    triggered_at = moment_of(_header(told, "triggered-at")) or clock.now()
    shop, topic = _header(told, "shop-domain").lower(), _header(told, "topic").lower()
    return Webhook(shop, topic, min(triggered_at, clock.now()), raw)


def queue_webhook(webhook: Webhook, changes: Changes) -> None:
    """Queues it, if anybody here listens to its topic. What is about one record goes in turn."""
    if webhook.topic in TOPICS and is_shop(webhook.shop):
        send_with(changes, Queue.WEBHOOKS, [(to_message(webhook), _group(webhook))])


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
    about = f"{webhook.shop}\x1f{kind}\x1f{_id(webhook.raw)}"
    return hashlib.sha256(about.encode()).hexdigest()


def _id(raw: bytes) -> str:
    try:
        body = read_json(raw)
    except ValueError:
        return ""
    told = body if isinstance(body, dict) else {}
    return next((found for name in _IDS if (found := id_of(told.get(name)))), "")
