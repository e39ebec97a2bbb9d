"""A redacted customer with another person's address is none of its other customers any more."""

import json
from typing import Any

import pytest

from storepost.people.consent.items import ConsentAddressItem
from storepost.sync.webhooks import privacy
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.harness.world import CANARY, Someone
from tests.shopify.hooks import EMAIL, LATER, Hooks, consents, customer_body
from tests.shopify.privacy_requests import REDACT, put_elsewhere
from tests.shopify.shops import SHOP

EVA = f"eva.{CANARY}@example.com"
NUMBER = 3
REDACT_EVA = {**REDACT, "customer": {"id": NUMBER}, "orders_to_redact": []}


@pytest.fixture
def somebody(hooks: Hooks, owner: Someone) -> str:
    """The profile of the person who has the address that Eva's customer has now, too."""
    answer = owner.call("POST", "/profiles", {"email": EMAIL})
    assert answer.status == 201, answer.body
    body = {"id": NUMBER, "phone": None}
    hooks.notify("customers/create", customer_body(email=EVA, **body, **consents("subscribed")))
    both = {"email": EMAIL, "updated_at": LATER, **consents("subscribed", at=LATER)}
    hooks.notify("customers/update", customer_body(**body, **both))
    [row] = with_customers(hooks)
    assert row.other_customers == [[str(hooks.store.id), str(NUMBER)]]
    return str(answer.json["id"])


def with_customers(hooks: Hooks) -> list[ConsentAddressItem]:
    """The addresses with customers of other profiles."""
    rows = hooks.world.rows(hooks.workspace.key)
    return [row for row in rows if isinstance(row, ConsentAddressItem) and row.other_customers]


def unsubscribe(hooks: Hooks, owner: Someone, profile: str) -> dict[str, Any]:
    """The change that unsubscribes the address of a profile."""
    path, body = f"/profiles/{profile}/consent/email", {"state": "unsubscribed"}
    answer = owner.call("PUT", path, body)
    assert answer.status == 200, answer.body
    change: dict[str, Any] = answer.json
    return change


def test_shop_gets_write_backs_before_redaction(
    hooks: Hooks, owner: Someone, somebody: str
) -> None:
    change = unsubscribe(hooks, owner, somebody)
    assert [each["store"]["id"] for each in change["writeBacks"]] == [str(hooks.store.id)]


@pytest.mark.parametrize("is_known_to_others", [True, False])
def test_shop_gets_no_write_backs_after_redaction(
    hooks: Hooks, owner: Someone, somebody: str, is_known_to_others: bool
) -> None:
    if is_known_to_others:
        put_elsewhere(hooks, owner, email=EVA)
    for _ in range(2):
        hooks.notify("customers/redact", REDACT_EVA)
    assert with_customers(hooks) == []
    change = unsubscribe(hooks, owner, somebody)
    assert (change["state"], change["address"], change["writeBacks"]) == ("unsubscribed", EMAIL, [])


def test_repeated_redaction_before_erasure_worker(
    hooks: Hooks, owner: Someone, somebody: str
) -> None:
    body = json.dumps(REDACT_EVA).encode()
    webhook = Webhook(SHOP, "customers/redact", clock.now(), body)
    for _ in range(2):
        privacy.customer_redacted(webhook, lambda: 10**6)
    hooks.world.deliver()
    assert with_customers(hooks) == []
    assert unsubscribe(hooks, owner, somebody)["writeBacks"] == []
