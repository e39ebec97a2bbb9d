"""Which webhooks were taken: Shopify sends one again whose answer it didn't get in time.

Shopify tries for four hours and gives each try the same `X-Shopify-Webhook-Id`. The id is kept for
two days, in the transaction that queues the webhook. It is no defence against forgers, as headers
aren't signed: it spares the work, and keeps an old body from being taken anew by mistake.
"""

import hashlib
from datetime import timedelta

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock

KEPT_FOR = timedelta(days=2)


class WebhookDeliveryItem(Item, discriminator="webhook_delivery"):
    """Records that a webhook was received."""


def delivery_key(webhook: Webhook) -> Key:
    """Returns the key of the row that says that the webhook was taken.

    One without an id is identified by its topic, its time and its body.
    """
    parts = [webhook.shop.encode(), webhook.delivery_id.encode()]
    if not webhook.delivery_id:
        at = clock.to_text(webhook.triggered_at)
        parts += [webhook.topic.encode(), at.encode(), webhook.raw]
    digest = hashlib.sha256(b"\x1f".join(parts)).hexdigest()
    return (f"webhook#{digest}", "delivery")


def is_new(webhook: Webhook) -> bool:
    """Returns whether the webhook wasn't taken before."""
    found = find(WebhookDeliveryItem, delivery_key(webhook))
    return found is None or (found.expiration is not None and found.expiration <= clock.now())


def remember(changes: Changes, webhook: Webhook) -> None:
    """Notes that the webhook is taken; a lost race where somebody took it meanwhile."""
    row = WebhookDeliveryItem(*delivery_key(webhook), expiration=clock.now() + KEPT_FOR)
    unseen = WebhookDeliveryItem.pk.does_not_exist()
    changes.save(row, unseen | (WebhookDeliveryItem.expiration <= clock.now()))
