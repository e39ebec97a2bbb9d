"""A batch whose worker meets throttling, conflicts and lost answers: as if it met none."""

from contextlib import nullcontext
from typing import Any

import pytest

from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.call_interruption import Side, around_calls
from tests.harness.faults import FakeTime, refusal
from tests.harness.throttling import MANY, Throttling, run_until_done
from tests.harness.world import World
from tests.sync.batches.batch_store import QUEUE, Shop, customer, order
from tests.sync.batches.test_loads import NEW, outcome, ready, small_loads

CUSTOMERS = [customer(n, emailMarketingConsent="subscribed") for n in (0, 10, 30)]
ORDERS = [*NEW, order(1, 9, total=NEW[0]["total"])]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("seconds", [None, 30.1])
def test_throttled_import_equals_undisturbed_one(
    world: World, fake_time: FakeTime, seed: int, seconds: float | None
) -> None:
    """Three calls in ten are refused; one in ten is carried out and its answer lost.

    Also with runs of a tenth of a second, which leave the rest to the next message.
    """
    shop = ready(world)
    with small_loads():
        shop.queue(customers=CUSTOMERS, orders=ORDERS)
        back = world.checkpoint(deliver=False)
        assert shop.run_worker() == []
        expected, events = outcome(shop), events_of(shop)
        back()
        clear_key_cache()
        faults = Throttling(fake_time, seed)
        result = run_until_done(
            faults,
            QUEUE,
            lambda tries: shop.run_worker(tries) == [],
            lambda: shop.turns().running is not None,
            seconds,
        )
    assert (result.runs > 1) == (seconds is not None)
    assert faults.share > MANY
    assert outcome(shop) == expected
    assert events_of(shop) == events


@pytest.mark.parametrize("loads", [False, True])
@pytest.mark.parametrize("reads_before", range(1, 8))
@pytest.mark.usefixtures("fake_time")
def test_throttled_reads_refuse_no_record(world: World, reads_before: int, *, loads: bool) -> None:
    """Writes aren't throttled, so any problem that the run makes of it could be stored."""
    shop, reads = ready(world), 0

    def step(_number: int, operation: str, side: Side) -> None:
        nonlocal reads
        if operation == "BatchGetItem" and side is Side.BEFORE:
            reads += 1
            if reads > reads_before:
                raise refusal("ProvisionedThroughputExceededException")

    with small_loads() if loads else nullcontext():
        queued = shop.queue(orders=[order(number) for number in range(10, 24)])
        with around_calls(step):
            shop.run_worker()
        assert shop.problems(queued) == []
        assert shop.run_worker(2) == []
    assert shop.problems(queued) == []
    assert shop.read(queued)["imported"]["orders"] == 14
    shop.check_lists()


def events_of(shop: Shop) -> dict[str, Any]:
    """Profiles' events of their orders, by what identifies each."""
    return {
        row["email"]: sorted(
            str((event["name"], event["occurredAt"]))
            for event in shop.get(f"/profiles/{row['id']}/events", pageSize=100)["items"]
        )
        for row in shop.get("/profiles", pageSize=100)["items"]
    }
