"""The relay is run for records with events; a profile's write without events is none."""

from collections.abc import Callable

import pytest

from local.aws.stream_records import Record
from local.events import pumps
from storepost.values import clock
from storepost.webhooks.events.stream import events_of
from tests.harness.world import CANARY
from tests.orders.sample import order
from tests.webhooks.events.shop import EMAIL, READER, Shop


def seen(shop: Shop) -> None:
    body = {"profile": {"email": EMAIL}, "name": "viewed", "properties": {}}
    shop.call("POST", "/events", {**body, "occurredAt": clock.to_text(clock.now())})


def kinds(shop: Shop) -> list[str]:
    """The kinds of the rows for which the relay is run."""
    return [each["dynamodb"]["NewImage"]["kind"]["S"] for each in shop.records()]


@pytest.mark.parametrize("act", [seen, lambda shop: shop.profile()], ids=["an event", "an upsert"])
def test_last_seen_update_does_not_invoke_the_relay(
    shop: Shop, act: Callable[[Shop], object]
) -> None:
    shop.profile()
    shop.delivered()
    act(shop)
    assert kinds(shop) == []


def test_filter_passes_every_record_with_events(shop: Shop) -> None:
    """Every writer of a profile: orders, customers, consents, merges, erasures."""
    [reader] = [each for each in pumps.StreamPump().readers if each.function.job == READER]
    source, reader.source = reader.source, {}
    first = len(reader.waiting())
    eve, other = shop.profile(), shop.profile(email=f"o.{CANARY}@example.com", firstName="Olga")
    seen(shop)
    shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL}))
    shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "subscribed"})
    shop.call("PATCH", f"/profiles/{eve}", {"locale": "de-AT"})
    shop.call("POST", f"/profiles/{other}/merge", {"profileId": eve})
    shop.world.deliver()
    survivor = shop.get(f"/profiles/{eve}")["id"]
    shop.call("DELETE", f"/profiles/{survivor}")
    shop.world.deliver()
    records = reader.waiting()[first:]
    with_events = [each for each in records if events_of(each)]
    assert len(with_events) >= 8
    assert all(pumps.passes(each, source) for each in with_events)
    profiles = [each for each in records if _is_of(each, "profile") and pumps.passes(each, source)]
    # `profile.merged` covers what a merge changes of the survivor.
    assert [each for each in profiles if not events_of(each)] == [
        each for each in profiles if _merges(each)
    ]


def _is_of(record: Record, kind: str) -> bool:
    return bool(record["dynamodb"].get("NewImage", {}).get("kind") == {"S": kind})


def _merges(record: Record) -> bool:
    images = (record["dynamodb"].get(name, {}) for name in ("OldImage", "NewImage"))
    before, after = (int(image.get("merges", {"N": "0"})["N"]) for image in images)
    return after > before
