"""A batch whose worker meets throttling, conflicts and lost answers: as if it met none."""

from typing import Any

import pytest

from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.faults import FakeTime
from tests.harness.throttling import MANY, Throttling, bring_until_done
from tests.harness.world import World
from tests.sync.batches.batch_store import QUEUE, Shop, customer, order
from tests.sync.batches.test_loads import NEW, outcome, ready, small_loads

CUSTOMERS = [customer(n, emailMarketingConsent="subscribed") for n in (0, 10, 30)]
ORDERS = [*NEW, order(1, 9, total=NEW[0]["total"])]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("seconds", [None, 30.1])
def test_nothing_fails_and_nothing_is_there_twice(
    world: World, fake_time: FakeTime, seed: int, seconds: float | None
) -> None:
    """Three calls in ten are refused, one in ten is carried out unheard.

    Also of runs of a tenth of a second, which leave the rest to the next message.
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
        brought = bring_until_done(
            faults,
            QUEUE,
            lambda tries: shop.run_worker(tries) == [],
            lambda: shop.turns().running is not None,
            seconds,
        )
    assert (brought.runs > 1) == (seconds is not None)
    assert faults.share > MANY
    assert outcome(shop) == expected
    assert events_of(shop) == events


def events_of(shop: Shop) -> dict[str, Any]:
    """What profiles have of their orders, by what identifies each."""
    return {
        row["email"]: sorted(
            str((event["name"], event["occurredAt"]))
            for event in shop.get(f"/profiles/{row['id']}/events", pageSize=100)["items"]
        )
        for row in shop.get("/profiles", pageSize=100)["items"]
    }
