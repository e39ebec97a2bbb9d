"""A shop's new orders are pulled with the pages of their lists; killed runs are continued."""

from collections.abc import Callable, Iterator

import pytest

from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.faults import FakeTime
from tests.harness.throttling import MANY, Throttling, run_until_done
from tests.harness.world import Someone
from tests.shopify.hooks import Hooks
from tests.shopify.pulls import ask, fill, order_node
from tests.shopify.shops import SHOP, Shopify
from tests.sync.batches.batch_store import QUEUE, Shop
from tests.sync.batches.state import state_of
from tests.sync.batches.test_loads import one_by_one, pages, small_loads

ORDERS = 14


@pytest.fixture(autouse=True)
def _small_loads() -> Iterator[None]:
    with small_loads():
        yield


@pytest.fixture
def shop(hooks: Hooks, owner: Someone, shopify: Shopify) -> Shop:
    """A store whose message waits: three people with orders in turn, a few without a buyer."""
    fill(shopify, 3, 0)
    there = shopify.shop(SHOP)
    for number in range(1, ORDERS + 1):
        buyer = there.customers[number // 2 % 3] if number % 5 else None
        placed = f"2026-03-01T10:{number:02}:00Z"
        codes = ["ONCE"] if number == 9 else []
        node = order_node(number, buyer, processedAt=placed, discountCodes=codes)
        there.orders.append(node)
    ask(hooks, owner)
    hooks.world.deliver_outbox()
    return Shop(hooks.world, owner, hooks.workspace, str(hooks.store.id))


def outcome(shop: Shop) -> dict[str, object]:
    """The import, and all that the store has."""
    store_import = shop.get(f"{shop.path}/imports")["items"][0]
    shop.check_lists()
    shown = {name: store_import[name] for name in ("status", "imported", "error")}
    return {**shown, "numbers": shop.numbers(), **state_of(shop)}


@pytest.fixture
def anew(hooks: Hooks, shopify: Shopify, shop: Shop) -> Callable[[], None]:
    """Restores the state before the pull began."""
    restore = hooks.world.checkpoint(deliver=False)

    def run_import() -> None:
        restore()
        clear_key_cache()
        shopify.shop(SHOP).operations.clear()

    return run_import


def test_load_equals_orders_written_one_by_one(shop: Shop, anew: Callable[[], None]) -> None:
    one_by_one(shop.run_worker)
    expected, plain_pages = outcome(shop), pages(shop)
    anew()
    assert shop.run_worker() == []
    assert outcome(shop) == expected
    assert (expected["status"], len(shop.numbers())) == ("completed", ORDERS)
    assert (plain_pages, pages(shop) > 2) == (0, True)


@in_shards(2)
def test_killed_at_any_call(hooks: Hooks, shopify: Shopify, shop: Shop, shard: Shard) -> None:
    """It takes seconds: the state after each call is continued to the end."""
    outside = [shopify.server.pretend.shops]
    found = crashes(hooks.world, shop.run_worker, outside=outside, deliver=False)
    expected = outcome(shop)
    for positions in found.shard(shard):
        shop.run_worker()
        hooks.world.deliver()
        assert outcome(shop) == expected, positions


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("seconds", [None, 30.1])
def test_throttled_with_lost_responses(
    shop: Shop, anew: Callable[[], None], fake_time: FakeTime, seed: int, seconds: float | None
) -> None:
    """Three calls in ten are refused, one in ten is carried out unheard; also of runs of a tenth
    of a second, which leave the rest to the next message."""
    shop.run_worker()
    expected = outcome(shop)
    anew()
    faults = Throttling(fake_time, seed)
    result = run_until_done(
        faults,
        QUEUE,
        lambda tries: shop.run_worker(tries) == [],
        lambda: shop.turns().running is not None,
        seconds,
    )
    assert result.runs > 1 or seconds is None
    assert faults.share > MANY
    assert outcome(shop) == expected
