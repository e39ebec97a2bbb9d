"""Requests and workers that die at any of their calls to AWS, and messages that come twice."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.sync.batches import chunks
from tests.harness.call_interruption import Side, killed_at
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.world import World
from tests.sync.batches.batch_store import Body, Shop, buyer, customer, open_shop, order
from tests.sync.batches.state import state_of

BATCH: Body = {
    "customers": [customer(0, emailMarketingConsent="subscribed"), customer(1)],
    "orders": [
        order(0),
        order(1, total={"amount": 1, "currency": "USD"}),
        order(2, customer=buyer(0)),
        order(3, -1),
        order(4, customer=None),
    ],
}
"""Two chunks and more: people who come again, a problem, an order that is older than what is held,
a consent."""


def ready(world: World) -> Shop:
    """A store that has one of the orders already, and newer."""
    shop = open_shop(world)
    body = {name: value for name, value in order(3, 5).items() if name != "externalId"}
    assert shop.do("PUT", "/orders/o-3", body).status == 201
    clear_key_cache()
    return shop


def outcome(shop: Shop) -> dict[str, Any]:
    """The one import and the rows that it wrote, without moments and ids."""
    [shown] = shop.get(f"{shop.path}/imports")["items"]
    assert shown["queuedAt"] <= shown["startedAt"] <= shown["completedAt"]
    shop.check_lists()
    assert shop.turns().waiting == 0
    assert shop.turns().running is None
    summary = {name: shown[name] for name in ("status", "stage", "imported", "error")}
    return {**summary, "problems": shop.problems(shown["id"]), **state_of(shop)}


@pytest.fixture
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are several."""
    monkeypatch.setattr(chunks, "READ_AHEAD", 3)


class TestRequest:
    """POST /stores/{id}/batches: one import, with one message or more."""

    def test_killed_at_any_call(self, world: World) -> None:
        shop = ready(world)
        send = partial(shop.send, key=KEY, **BATCH)
        found = crashes(world, send)
        assert len(found.positions) > 10
        shop.world.deliver()
        expected = outcome(shop)
        for positions in found:
            assert len(world.objects()) <= 1
            answer = until_answered(world, send)
            assert answer.status == 202, (positions, answer.body)
            replay = send()
            assert (replay.status, replay.body) == (202, answer.body)
            assert len(world.objects()) == 1
            world.deliver()
            assert outcome(shop) == expected, positions
            assert world.rows(PARTITION) == []

    def test_killed_without_retry(self, world: World) -> None:
        """Either only an object that expires is left, or an import that is completed."""
        shop = ready(world)
        totals = set()
        for _ in crashes(world, partial(shop.send, **BATCH)):
            world.deliver()
            listed = shop.get(f"{shop.path}/imports")
            totals.add(listed["total"])
            assert [row["status"] for row in listed["items"]] == ["completed"] * listed["total"]
        assert totals == {0, 1}


@pytest.mark.usefixtures("_small_chunks")
class TestWorker:
    """However a run ends, the next one continues, and the result is the same."""

    def queued(self, world: World) -> tuple[Shop, Callable[[], None]]:
        """A store with an import whose message is queued; a function that restores that state."""
        shop = ready(world)
        shop.queue(**BATCH)
        return shop, world.checkpoint(deliver=False)

    def work(self, shop: Shop) -> None:
        """One run that nothing kills."""
        assert shop.run_worker() == []

    def test_killed_at_any_call(self, world: World) -> None:
        shop, _ = self.queued(world)
        found = crashes(world, lambda: self.work(shop), deliver=False)
        expected = outcome(shop)
        assert expected["imported"] == {"customers": 2, "orders": 4, "products": 0}
        assert len(found.positions) > 30
        for positions in found:
            self.work(shop)
            assert outcome(shop) == expected, positions

    @pytest.mark.parametrize("calls", [4, 7, 10])
    def test_killed_repeatedly(self, world: World, calls: int) -> None:
        """Each run dies after so many calls; a run that wrote nothing gets one call more."""
        shop, begin_anew = self.queued(world)
        self.work(shop)
        expected = outcome(shop)
        begin_anew()
        for number in range(calls, calls + 40):
            if not killed_at(number, Side.AFTER, lambda: self.work(shop)):
                break
        assert outcome(shop) == expected

    def test_delivered_twice(self, world: World) -> None:
        shop, begin_anew = self.queued(world)
        self.work(shop)
        expected = outcome(shop)
        begin_anew()
        for _ in range(2):
            self.work(shop)
        assert outcome(shop) == expected

    def test_delivered_by_the_sweep(self, world: World) -> None:
        """The sweep sends messages whose stream records were lost."""
        shop, begin_anew = self.queued(world)
        self.work(shop)
        expected = outcome(shop)
        begin_anew()
        world.lose_stream()
        world.advance(minutes=3)
        world.sweep()
        assert world.queue_depth("StoreImportQueue") == 1
        world.deliver()
        assert outcome(shop) == expected
