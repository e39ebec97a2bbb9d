"""What an event costs, with one endpoint and its delivery's log, and without an endpoint."""

import pytest

from benchmarks.measure.reckoning import Usage
from local.template import functions
from storepost.platform.attempts import posting
from tests.costs.metering import Meter
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.orders.sample import order
from tests.webhooks.receiving import HOOK, Hooks

pytestmark = pytest.mark.dynoxide

MAX_WRITES = 3


@pytest.fixture
def shop(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[Hooks, str]:
    """A workspace and its store; endpoints take whatever is sent."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    monkeypatch.setattr(posting, "post", Receiver().post)
    owner = world.person()
    hooks = Hooks(world, owner, world.workspace(owner))
    store = world.store(owner)
    put(hooks, store, 0)  # the first one makes the lists, too
    return hooks, store


def put(hooks: Hooks, store: str, number: int) -> dict[str, Usage]:
    """What an order of an anonymous buyer used, by the job of the function."""
    meter = Meter()
    with meter.on():
        answer = hooks.owner.call("PUT", f"/stores/{store}/orders/o-{number}", order(customer=None))
        hooks.world.deliver()
    assert answer.status == 201, answer.body
    jobs = {each.name: each.job for each in functions()}
    return {jobs[name]: used for name, used in meter.used.items()}


def test_event_with_delivery_log_costs_three_write_units_at_most(shop: tuple[Hooks, str]) -> None:
    hooks, store = shop
    without = put(hooks, store, 1)
    hooks.endpoint(["order.*"])
    hooks.world.deliver()
    first, second = put(hooks, store, 2), put(hooks, store, 3)
    for used, writes in ((first, 2), (second, 1)):
        assert used["webhook_delivery"].writes == writes <= MAX_WRITES
        assert used["outbox_relay"].writes == without["outbox_relay"].writes
        assert used["outbox_relay"].reads == without["outbox_relay"].reads + 1
        assert used["webhook_delivery"].reads <= 4


def test_endpoint_adds_no_cost_to_the_request(shop: tuple[Hooks, str]) -> None:
    """Compares several requests, as some also record that the key was used, or its budget."""
    hooks, store = shop
    without = [put(hooks, store, number) for number in range(1, 6)]
    hooks.endpoint(["order.*"])
    hooks.world.deliver()
    with_endpoint = [put(hooks, store, number) for number in range(6, 11)]
    assert least(with_endpoint) == least(without)
    assert not [each for each in without if "webhook_delivery" in each]
    assert {each["outbox_relay"].reads for each in without} == {1}


def least(orders: list[dict[str, Usage]]) -> tuple[float, float, float]:
    """The write units, read units and calls of an order's own request, at least."""
    own = [each["orders"] for each in orders]
    return (
        min(each.writes for each in own),
        min(each.reads for each in own),
        min(each.read_calls + each.transactions for each in own),
    )
