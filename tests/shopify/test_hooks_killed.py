"""Webhooks whose worker dies at any of its calls to AWS: the next run ends as the first would."""

import json
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from local.shopify.customers import ShopCustomer
from storepost.shopify.claims import find_claim
from storepost.shopify.errors import ShopUnavailable
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.worker import STORE_TOPICS, work_on
from storepost.values import clock
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    LATER,
    ORDER,
    PHONE,
    SHOP_BODY,
    Hooks,
    consents,
    customer_body,
    order_body,
)
from tests.shopify.shops import SHOP, Shopify
from tests.sync.batches.batch_store import Shop
from tests.sync.batches.state import state_of

NEW, OTHER = 11, 12
_CONSENT = {"state": "unsubscribed", "opt_in_level": None, "consent_updated_at": LATER}
_NEW_PERSON = {"email": f"new.{CANARY}@example.com", "phone": None, **consents("subscribed")}

BODIES: dict[str, dict[str, Any]] = {
    "customers/create": customer_body(id=NEW, **_NEW_PERSON),
    "customers/update": customer_body(
        last_name="Builder",
        email=f"moved.{CANARY}@example.com",
        updated_at=LATER,
        **consents("subscribed", "unsubscribed", LATER),
    ),
    "customers/delete": {"id": CUSTOMER},
    "customers/merge": {
        "admin_graphql_api_customer_kept_id": f"gid://shopify/Customer/{OTHER}",
        "admin_graphql_api_customer_deleted_id": f"gid://shopify/Customer/{CUSTOMER}",
        "status": "completed",
    },
    "customers_email_marketing_consent/update": {
        "customer_id": CUSTOMER,
        "email_address": EMAIL,
        "email_marketing_consent": _CONSENT,
    },
    "customers_marketing_consent/update": {
        "id": CUSTOMER,
        "phone": PHONE,
        "sms_marketing_consent": _CONSENT,
    },
    "orders/create": order_body(id=NEW, customer={"id": NEW}, email=_NEW_PERSON["email"]),
    "orders/updated": order_body(updated_at=LATER, cancelled_at=LATER),
    "orders/delete": {"id": ORDER},
    "app/uninstalled": SHOP_BODY,
    "app/scopes_update": {"previous": [], "current": []},
    "locales/create": {"locale": "fr"},
    "locales/update": {"locale": "fr"},
    "locales/destroy": {"locale": "fr"},
    "shop/update": SHOP_BODY,
}
"""What each topic tells; all of them change something, or ask the shop and find it as it was."""


def test_every_topic_is_tested() -> None:
    """Except products: `tests/catalog/products` kills their one write, whoever made it."""
    of_products = {topic for topic in STORE_TOPICS if topic.startswith("products/")}
    assert BODIES.keys() == STORE_TOPICS.keys() - of_products


@pytest.fixture
def shop(hooks: Hooks, owner: Someone, shopify: Shopify) -> Shop:
    """A customer with an order, whose shop has another customer with the same phone."""
    at = moment_of(LATER)
    assert at is not None
    other = ShopCustomer(OTHER, EMAIL, PHONE, "Barnabas", created_at=at, updated_at=at)
    shopify.shop(SHOP).customers.append(other)
    shopify.shop(SHOP).name = f"Renamed {CANARY}"
    hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
    hooks.notify("orders/create", order_body())
    return Shop(hooks.world, owner, hooks.workspace, str(hooks.store.id))


def outcome(shop: Shop, shopify: Shopify) -> dict[str, object]:
    """The rows that result, once other workers have handled their messages."""
    shop.world.deliver()
    shop.check_lists()
    stored = shopify.store(shop.workspace)
    store = (
        stored.status,
        stored.connection_status,
        stored.name,
        stored.locales,
        stored.takes_consent,
    )
    return {"store": store, "claimed": find_claim(SHOP) is not None, **state_of(shop)}


@pytest.mark.parametrize("topic", BODIES)
def test_killed_at_any_call(hooks: Hooks, shop: Shop, shopify: Shopify, topic: str) -> None:
    webhook = Webhook(SHOP, topic, clock.now(), json.dumps(BODIES[topic]).encode())
    work = partial(work_on, json.dumps(webhook.payload()), lambda: 10**6)
    if topic == "app/uninstalled":
        shopify.shop(SHOP).installation = None
    restore = hooks.world.checkpoint()
    before = outcome(shop, shopify)
    restore()
    found = crashes(hooks.world, work, outside=[shopify.server.pretend.shops])
    expected = outcome(shop, shopify)
    assert (expected == before) is (topic == "app/scopes_update")
    for positions in found:
        with suppress(ShopUnavailable):  # who died while refreshing tokens keeps others waiting
            work()
        hooks.world.advance(seconds=30)
        work()
        assert outcome(shop, shopify) == expected, positions
