"""A pull, with other writers of the same person between its reads and its writes."""

import json
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.people.profiles.repository import ProfileRepository
from storepost.sync.pulls import running
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.worker import work_on
from storepost.values import clock
from tests.harness.call_interruption import (
    another_container,
    at_call,
    before_the_commit,
    counted,
)
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
from tests.shopify.privacy_requests import REDACT
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
    answer = shop.owner.call("POST", "/profiles", {"email": EMAIL, "anonymousId": "a-1"})
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
    answer = shop.owner.call("PUT", f"/stores/{other}/customers/c-1", body)
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


@pytest.mark.parametrize("is_known", [False, True])
def test_person_redacted_during_pull_does_not_return(
    hooks: Hooks, shop: Shop, is_known: bool
) -> None:
    """The redaction comes before any of the pull's reads of records: a second for all of them."""
    if is_known:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
    ask(hooks, shop.owner)
    hooks.world.deliver_outbox()
    pull = partial(running.pull, hooks.store, 1, lambda: 10**6)
    check_redaction_within(shop, pull, ["BatchGetItem"])


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("topic", ["customers/update", "orders/create"])
def test_person_redacted_during_webhook_does_not_return(
    hooks: Hooks, shop: Shop, topic: str, is_known: bool
) -> None:
    """The redaction comes between any two reads of the webhook's worker."""
    if is_known:
        hooks.notify("customers/create", customer_body(**consents("subscribed")))
    is_order = topic == "orders/create"
    check_redaction_within(shop, webhook(topic, order_body() if is_order else customer_body()))


@pytest.mark.parametrize("topic", ["customers/update", "orders/create"])
def test_customer_redacted_during_webhook_does_not_return_to_known_person(
    hooks: Hooks, shop: Shop, topic: str
) -> None:
    """Another store has the person, too, who stays without the shop's customer."""
    by_another_store(shop, hooks.world.store(shop.owner))
    hooks.notify("customers/create", customer_body(**consents("subscribed")))
    is_order = topic == "orders/create"
    work = webhook(topic, order_body() if is_order else customer_body())
    for place in redacted_within(shop, work):
        [profile] = shop.get("/profiles")["items"]
        identities = shop.get(f"/profiles/{profile['id']}/identities")["items"]
        kinds = [(each["type"], each["value"]) for each in identities]
        assert ("platform_customer_id", str(CUSTOMER)) not in kinds, place
        assert hooks.find_customer() is None, place
        assert {each["buyer"] for each in orders_of(shop)} <= {None}, place


def webhook(topic: str, body: object) -> Meanwhile:
    """Lets the worker handle a webhook."""
    received = Webhook(SHOP, topic, clock.now(), json.dumps(body).encode())
    return partial(work_on, json.dumps(received.payload()), lambda: 10**6)


def check_redaction_within(
    shop: Shop, work: Meanwhile, names: Collection[str] = ("GetItem", "BatchGetItem")
) -> None:
    """The shop redacts its customer before any read of the work: nobody is left."""
    for place in redacted_within(shop, work, names):
        assert shop.get("/profiles")["items"] == [], place
        assert {each["buyer"] for each in orders_of(shop)} <= {None}, place


def orders_of(shop: Shop) -> list[Any]:
    """All orders, whole; a buyer as text, to be compared."""
    orders = [shop.get(f"/orders/{each['id']}") for each in shop.get("/orders")["items"]]
    return [each | {"buyer": each["buyer"] and str(each["buyer"])} for each in orders]


def redacted_within(
    shop: Shop, work: Meanwhile, names: Collection[str] = ("GetItem", "BatchGetItem")
) -> Iterator[int]:
    """Runs the work once for each of its reads, before which the shop redacts its customer."""
    redact = webhook("customers/redact", REDACT)
    restore = shop.world.checkpoint(deliver=False)

    def meanwhile() -> None:
        with another_container():
            redact()

    reads = [number for number, name in enumerate(counted(work), 1) if name in names]
    assert len(reads) > 3
    for place in reads:
        restore()
        with at_call(place, meanwhile):
            work()
        shop.world.deliver()
        yield place
