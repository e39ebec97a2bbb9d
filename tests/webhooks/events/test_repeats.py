"""Repeated records, runs that are killed, and concurrent workspaces."""

from collections import Counter

import pytest

from local.events.pumps import _stream_record
from storepost.webhooks.events.stream import events_of
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.world import World
from tests.orders.sample import order
from tests.webhooks.events.shop import EMAIL, Shop


def put(shop: Shop, **change: object) -> None:
    """The store puts its order."""
    shop.call("PUT", f"/stores/{shop.store}/orders/o-1", order(**change))


class TestSameRecord:
    def test_repeated_stream_record_gives_the_same_events(self, shop: Shop) -> None:
        """Lambda delivers a record in another form than `GetRecords` returns it."""
        put(shop)
        put(shop, fulfillmentStatus="fulfilled")
        records = shop.records()
        first = [events_of(each) for each in records]
        assert [events_of(each) for each in records] == first
        assert [events_of(_stream_record(each, "arn")) for each in records] == first
        ids = [event.event_id for events in first for _, event in events]
        assert len(set(ids)) == len(ids) >= 3


class TestKilled:
    def test_request_killed_at_any_call_causes_one_order_event(
        self, world: World, shop: Shop
    ) -> None:
        path, body = f"/stores/{shop.store}/orders/o-1", order(customer={"email": EMAIL})

        def send() -> object:
            return shop.owner.call("PUT", path, body, key=KEY)

        run = crashes(world, send)
        assert len(run.found) >= 3
        for positions in run:
            shop._seen = 0
            until_answered(world, send)  # type: ignore[arg-type]
            types = Counter(event.type for event in shop.events())
            assert types["order.created"] == types["profile.created"] == 1, positions

    def test_erasure_killed_at_any_call_causes_one_event(self, world: World, shop: Shop) -> None:
        eve = shop.profile()
        put(shop, customer={"email": EMAIL})
        shop.call("PUT", f"/profiles/{eve}/consent/email", {"state": "unsubscribed"})
        shop.delivered()

        def erase() -> None:
            until_answered(
                world,
                lambda: shop.owner.call("DELETE", f"/profiles/{eve}", key=KEY),
            )
            world.deliver()

        for positions in crashes(world, erase):
            shop._seen = 0
            world.advance(minutes=20)
            erase()
            assert shop.types() == ["profile.erased"], positions


class TestWorkspaces:
    def test_event_belongs_to_the_workspace_of_the_changed_row(
        self, world: World, shop: Shop
    ) -> None:
        other = world.person()
        workspace = world.workspace(other)
        store = world.store(other)
        shop.records()
        other.call("PUT", f"/stores/{store}/orders/o-1", order())
        events = [each for record in shop.records() for each in events_of(record)]
        assert {scope for scope, _ in events} == {workspace}
        assert sorted(event.type for _, event in events) == ["order.created", "profile.created"]


@pytest.mark.parametrize("path", ["/orders", "/profiles", "/stores", "/members", "/api-keys"])
def test_reads_cause_no_events(shop: Shop, path: str) -> None:
    shop.get(path)
    assert shop.types() == []
