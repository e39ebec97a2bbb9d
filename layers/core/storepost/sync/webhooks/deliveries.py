"""Records received webhooks: Shopify sends a webhook again if it got no answer in time.

Shopify tries for four hours, each time with the same `X-Shopify-Webhook-Id`. The id is stored for
two days, in the transaction that queues the webhook. It is no protection from forgery, as headers
aren't signed: it saves work, and prevents that an old body is accepted again by mistake.
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
    """Returns the key of the row that records the webhook.

    A webhook without an id is identified by its topic, its time and its body.
    """
    parts = [webhook.shop.encode(), webhook.delivery_id.encode()]
    if not webhook.delivery_id:
        at = clock.to_text(webhook.triggered_at)
        parts += [webhook.topic.encode(), at.encode(), webhook.raw]
    digest = hashlib.sha256(b"\x1f".join(parts)).hexdigest()
    return (f"webhook#{digest}", "delivery")


def is_new(webhook: Webhook) -> bool:
    """Returns whether the webhook wasn't recorded before."""
    found = find(WebhookDeliveryItem, delivery_key(webhook))
    return found is None or (found.expiration is not None and found.expiration <= clock.now())


def remember(changes: Changes, webhook: Webhook) -> None:
    """Records the webhook; a lost race if another request has recorded it meanwhile."""
    row = WebhookDeliveryItem(*delivery_key(webhook), expiration=clock.now() + KEPT_FOR)
    unseen = WebhookDeliveryItem.pk.does_not_exist()
    changes.save(row, unseen | (WebhookDeliveryItem.expiration <= clock.now()))
