"""Webhooks whose signature is right and whose body means harm: taken or refused, and no more."""

from itertools import islice

import pytest

from storepost.webhooks.topics import TOPICS
from tests.hostile.corpus import DOCUMENTS, VALUES
from tests.shopify.hooks import Hooks

EVERY = 9
NAMES = (
    "admin_graphql_api_id",
    "email",
    "phone",
    "first_name",
    "locale",
    "currency",
    "created_at",
    "updated_at",
    "processed_at",
    "cancelled_at",
    "total_price_set",
    "line_items",
    "customer",
    "variants",
    "options",
    "tags",
    "email_marketing_consent",
    "shop_domain",
    "current",
    "orders_to_redact",
)


def bodies(first: int) -> list[bytes]:
    """A part of the corpus: whole bodies, and values in the place of all that is read of one."""
    values = islice(VALUES.values(), first, None, EVERY)
    made = [
        '{"id":%s,%s}' % (number, ",".join(f'"{name}":{value}' for name in NAMES))
        for value in values
        for number in ("7", value)
    ]
    return [*islice(DOCUMENTS.values(), first, None, EVERY), *(text.encode() for text in made)]


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_whatever_a_body_says(hooks: Hooks, topic: str) -> None:
    for body in bodies(sorted(TOPICS).index(topic) % EVERY):
        answer = hooks.post(topic, body)
        assert answer.status < 500
    hooks.world.deliver()
    assert hooks.world.queue_depth("WebhookQueue") == 0
    assert hooks.world.queue_depth("WebhookDeadLetters") == 0
