"""A whole pull that dies, comes twice or is throttled anywhere ends as any other."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from local.shopify.exports import Operation
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.sync.batches import chunks
from storepost.sync.pulls import reconciling
from storepost.values import clock
from tests.harness.call_interruption import Side, killed_at
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.world import Someone
from tests.shopify.hooks import Hooks
from tests.shopify.pulls import ask, pulled
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_reconciling import fill, lose, removed
from tests.sync.batches.batch_store import Shop
from tests.sync.batches.state import state_of

TRIES = 10


@pytest.fixture
def shop(hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A store whose message waits: some records are new, some known, some missing at the shop."""
    monkeypatch.setattr(chunks, "READ_AHEAD", 3)
    monkeypatch.setattr(reconciling, "PAGE", 2)
    fill(shopify, 5, 4)
    pulled(hooks, owner)
    lose(shopify, customers={2, 4}, orders={2, 4})
    there = shopify.shop(SHOP)
    customers, orders, there.customers, there.orders = there.customers, there.orders, [], []
    fill(shopify, 7, 6)
    there.customers = [*customers, *there.customers[5:]]
    there.orders = [*orders, *there.orders[4:]]
    _began_at(clock.now(), monkeypatch)
    ask(hooks, owner)
    hooks.world.deliver_outbox()
    return Shop(hooks.world, owner, hooks.workspace, str(hooks.store.id))


def _began_at(moment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs' exports began then: deletions keep that moment."""
    real = Operation.node

    def node(operation: Operation, address: str) -> dict[str, Any]:
        return {**real(operation, address), "createdAt": clock.to_text(moment)}

    monkeypatch.setattr(Operation, "node", node)


def outcome(hooks: Hooks, shop: Shop) -> dict[str, object]:
    """The import, and all that the store has."""
    store_import = shop.get(f"{shop.path}/imports")["items"][0]
    shop.check_lists()
    shown = {name: store_import[name] for name in ("status", "stage", "imported", "error")}
    return {**shown, "removed": removed(hooks), **state_of(shop)}


@pytest.fixture
def anew(hooks: Hooks, shop: Shop, shopify: Shopify) -> Callable[[], None]:
    """Restores the state before the pull began."""
    restore = hooks.world.checkpoint(deliver=False)

    def run_import() -> None:
        restore()
        clear_key_cache()
        shopify.shop(SHOP).operations.clear()

    run_import()
    return run_import


def test_undisturbed_pull(hooks: Hooks, shop: Shop) -> None:
    """The undisturbed result, with which the others are compared."""
    assert shop.run_worker() == []
    found = outcome(hooks, shop)
    assert (found["status"], found["removed"]) == ("completed", 4)
    assert found["imported"] == {"customers": 5, "orders": 4, "products": 0}


@in_shards(3)
@pytest.mark.usefixtures("anew")
def test_killed_at_any_call(hooks: Hooks, shop: Shop, shopify: Shopify, shard: Shard) -> None:
    outside = [shopify.server.pretend.shops]
    found = crashes(hooks.world, shop.run_worker, outside=outside, deliver=False)
    expected = outcome(hooks, shop)
    for positions in found.shard(shard):
        shop.run_worker()
        hooks.world.deliver()
        assert outcome(hooks, shop) == expected, positions


def test_killed_repeatedly(hooks: Hooks, shop: Shop, anew: Callable[[], None]) -> None:
    """Each run dies somewhere, until one reaches the end."""
    shop.run_worker()
    expected = outcome(hooks, shop)
    anew()
    chance = random.Random(1)
    for _ in range(100):
        if not killed_at(chance.randrange(8, 40), Side.AFTER, shop.run_worker):
            break
    assert outcome(hooks, shop) == expected


def test_duplicate_message(hooks: Hooks, shop: Shop, anew: Callable[[], None]) -> None:
    shop.run_worker()
    expected = outcome(hooks, shop)
    anew()
    for _ in range(2):
        assert shop.run_worker() == []
    assert outcome(hooks, shop) == expected


def test_throttled_one_call_in_five(
    hooks: Hooks, shop: Shop, anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _seconds: None))
    shop.run_worker()
    expected = outcome(hooks, shop)
    anew()
    with throttled(5) as refused:
        assert any(shop.run_worker() == [] for _ in range(TRIES))
    assert len(refused) > 10
    assert outcome(hooks, shop) == expected


@contextmanager
def throttled(one_of: int) -> Iterator[list[str]]:
    """DynamoDB refuses each call with that probability, as it refuses throttled ones."""
    chance, refused = random.Random(one_of), list[str]()

    def refuse(request: Any, **_: object) -> AWSResponse | None:
        if chance.randrange(one_of):
            return None
        refused.append(request.headers["X-Amz-Target"])
        body = b'{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow"}'
        return AWSResponse(request.url, 400, HTTPHeaders(), _Raw(body))

    events = dynamodb_client().meta.events
    events.register_first("before-send.dynamodb", refuse)
    try:
        yield refused
    finally:
        events.unregister("before-send.dynamodb", refuse)


class _Raw:
    """An answer's body as urllib3 has it."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self._body
