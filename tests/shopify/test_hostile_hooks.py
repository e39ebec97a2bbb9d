"""Webhooks with a right signature and a hostile body: accepted or refused, and no more."""

from itertools import islice

import pytest

from storepost.sync.webhooks.topics import SHAPES
from tests.hostile.corpus import DOCUMENTS, VALUES, replaced
from tests.shopify.hooks import Hooks, consents, customer_body, order_body

EVERY_DOCUMENT, EVERY_VALUE = 17, 397


def bodies(topic: str) -> list[bytes]:
    """A part of the corpus: whole bodies, and values in one of the topic's own bodies."""
    body = order_body() if topic.startswith("orders") else customer_body(**consents("subscribed"))
    made = (
        template.replace("\0", value).encode()
        for _, template in replaced(body)
        for value in VALUES.values()
    )
    first = sorted(SHAPES).index(topic)
    whole = islice(DOCUMENTS.values(), first, None, EVERY_DOCUMENT)
    return [*whole, *islice(made, first * 17, None, EVERY_VALUE)]


@pytest.mark.parametrize("topic", sorted(SHAPES))
def test_hostile_body_causes_no_server_error_or_dead_letter(hooks: Hooks, topic: str) -> None:
    for body in bodies(topic):
        assert hooks.post(topic, body).status < 500
    hooks.world.deliver()
    assert hooks.world.queue_depth("WebhookQueue") == 0
    assert hooks.world.queue_depth("WebhookDeadLetters") == 0
