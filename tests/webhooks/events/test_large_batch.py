"""A batch of 500 customers who unsubscribed, to an endpoint without `includeImports`."""

import json
from collections import Counter
from typing import Any

import pytest

from local.events.pumps import pump_queue
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.sync.batches import batch_store
from tests.webhooks.conftest import receiver
from tests.webhooks.receiving import DELIVERIES, HOOK, Hooks, waiting

__all__ = ["receiver"]

CUSTOMERS = 500


def queued_events() -> list[dict[str, Any]]:
    """The event of each delivery that waits for its first attempt."""
    return [dict(json.loads(message.body)["event"]) for message in waiting(DELIVERIES)]


def test_each_unsubscription_and_the_import_are_sent(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes about five seconds, as the largest batch there is.

    Tests of smaller batches cover the content of messages, so only the first ones are sent.
    """
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    owner = world.person()
    workspace = world.workspace(owner)
    sender = batch_store.Shop(world, owner, workspace, world.store(owner))
    world.deliver()
    Hooks(world, owner, workspace).endpoint()
    no = {"emailMarketingConsent": "unsubscribed"}
    sender.queue(customers=[batch_store.customer(n, **no) for n in range(CUSTOMERS)])
    world.deliver_outbox()
    while pump_queue(batch_store.QUEUE):
        world.deliver_outbox()
    queued = queued_events()
    types = Counter(each["type"] for each in queued)
    assert types == {"consent.changed": CUSTOMERS, "store_import.completed": 1}
    noes = [each for each in queued if each["type"] == "consent.changed"]
    assert len({each["ids"]["profileId"] for each in noes}) == CUSTOMERS
    assert pump_queue(DELIVERIES)
    assert {each.json["data"]["state"] for each in receiver.received} == {"unsubscribed"}
