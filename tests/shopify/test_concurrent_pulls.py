"""A pull, with other writers of the same person between its reads and its writes."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.people.profiles.repository import ProfileRepository
from storepost.sync.pulls import running
from storepost.sync.records.reading import moment_of
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.world import Someone
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    LATER,
    ORDER,
    PHONE,
    UPDATED,
    Hooks,
    consents,
    customer_body,
    order_body,
)
from tests.shopify.pulls import ask, order_node, state
from tests.shopify.shops import SHOP, Shopify
from tests.sync.batches.batch_store import Shop

type Meanwhile = Callable[[], object]


@pytest.fixture
def shop(hooks: Hooks, owner: Someone, shopify: Shopify) -> Shop:
    """A store whose shop has a customer with an order, who is unknown here."""
    at = moment_of(UPDATED)
    assert at is not None
    buyer = ShopCustomer(CUSTOMER, EMAIL, None, "Barnabas", "Biller", created_at=at, updated_at=at)
    buyer.email_consent = Consent("SUBSCRIBED", at)
    shopify.shop(SHOP).customers.append(buyer)
    shopify.shop(SHOP).orders.append(order_node(ORDER, buyer))
    return Shop(hooks.world, owner, hooks.workspace, str(hooks.store.id))


def by_key(shop: Shop) -> None:
    """A request upserts the person."""
    body = {"email": EMAIL, "anonymousId": "a-1"}
    answer = shop.world.call("POST", "/profiles", token=shop.owner.token, json_body=body)
    assert answer.status in {200, 201}, answer.body


def by_webhook(hooks: Hooks) -> None:
    """The shop's webhook has the person, newer."""
    change = {"updated_at": LATER, "phone": PHONE, **consents("subscribed", "subscribed")}
    hooks.notify("customers/update", customer_body(last_name="Builder", **change))


def by_order(hooks: Hooks) -> None:
    """The shop's webhook has the person's order, newer."""
    hooks.notify("orders/updated", order_body(updated_at=LATER, customer={"id": CUSTOMER}))


def by_another_store(shop: Shop, other: str) -> None:
    """Another store puts the person."""
    at = clock.to_text(clock.now())
    body = {"email": EMAIL, "externalCreatedAt": at, "externalUpdatedAt": at}
    path = f"/stores/{other}/customers/c-1"
    answer = shop.world.call("PUT", path, token=shop.owner.token, json_body=body)
    assert answer.status in {200, 201}, answer.body


@pytest.mark.parametrize("who", ["by key", "by webhook", "by order", "by another store"])
def test_concurrent_writers_lead_to_one_profile_and_no_lost_update(
    hooks: Hooks, owner: Someone, shop: Shop, who: str
) -> None:
    other = hooks.world.store(owner)
    meanwhile: Meanwhile = {
        "by key": partial(by_key, shop),
        "by webhook": partial(by_webhook, hooks),
        "by order": partial(by_order, hooks),
        "by another store": partial(by_another_store, shop, other),
    }[who]
    import_id = ask(hooks, owner).json["id"]
    hooks.world.deliver_outbox()
    restore = hooks.world.checkpoint(deliver=False)
    pull = partial(running.pull, hooks.store, 1, lambda: 10**6)
    transactions = counted(pull).count("TransactWriteItems")
    assert transactions >= 6
    for which in range(1, transactions + 1):
        restore()
        with before_the_commit(meanwhile, which):
            pull()
        assert state(hooks, owner, import_id)["status"] == "completed", which
        shop.check_lists()
        [profile] = shop.get("/profiles")["items"]
        assert _is_shown(who, profile, shop), (which, profile)
        whole = ProfileRepository(hooks.workspace).get(UUID(profile["id"]))
        order = hooks.order()
        assert whole is not None
        assert order is not None
        assert (whole.orders, order.profile_id) == (1, whole.id), which
        assert (profile["email"], profile["emailMarketingConsent"]) == (EMAIL, "subscribed")
        assert hooks.customer().profile_id == whole.id


def _is_shown(who: str, profile: dict[str, Any], shop: Shop) -> bool:
    """Whether the profile shows the other writer's values."""
    names = shop.get(f"/profiles/{profile['id']}/identities")["items"]
    kinds = {each["type"] for each in names}
    found: dict[str, bool] = {
        "by key": "anonymous_id" in kinds,
        "by webhook": (profile["name"], profile["phone"]) == ("Barnabas Builder", PHONE),
        "by order": shop.get("/orders")["items"][0]["fulfillmentStatus"] == "partially_fulfilled",
        "by another store": len(profile["storeIds"]) == 2,
    }
    return found[who]
