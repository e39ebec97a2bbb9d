"""The worker: one webhook from the queue, as often as it comes and whenever it does."""

from storepost.logs import logger
from storepost.persistence.objects import ObjectGone
from storepost.shop_records.reading import NoRecord
from storepost.shopify.errors import NeedsReauth, RequestRefused
from storepost.webhooks.messages import Webhook, from_message
from storepost.webhooks.privacy import Remaining
from storepost.webhooks.stores import connected_store
from storepost.webhooks.topics import OF_A_STORE, OF_THE_LAW


def work_on(message: str, remaining: Remaining) -> None:
    """Does what the webhook asks for. What another try may mend is raised; the rest is logged.

    A shop that is connected nowhere is nobody's any more: what it tells is left alone.
    """
    topic = None
    try:
        webhook = from_message(message)
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
