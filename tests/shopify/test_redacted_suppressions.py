"""Suppressions of a redacted customer's addresses: only their hashes are kept."""

import json
from functools import partial
from typing import Any

import pytest

from storepost.sync.webhooks import privacy, redacting
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.harness.crash_points import crashes
from tests.harness.world import Someone
from tests.shopify.hooks import EMAIL, PHONE, Hooks, consents, customer_body
from tests.shopify.privacy_requests import REDACT, profiles, put_elsewhere
from tests.shopify.shops import SHOP

NOTE = "Barnabas wrote to us"


@pytest.fixture
def known(hooks: Hooks, owner: Someone) -> Hooks:
    """A customer of the shop, whose phone another store has, too."""
    hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
    put_elsewhere(hooks, owner, email=None, phone=PHONE)
    return hooks


def call(
    hooks: Hooks, owner: Someone, method: str, path: str, body: object = None, **query: str
) -> Any:
    """The answer to the owner."""
    answer = owner.call(method, path, body, query=query)
    assert answer.status < 300, answer.body
    return answer.json if answer.body else None


def suppress(hooks: Hooks, owner: Someone, reason: str, channel: str = "email") -> str:
    """The id of a new suppression of the customer's address."""
    address = EMAIL if channel == "email" else PHONE
    body = {"channel": channel, "address": address, "reason": reason, "note": NOTE}
    made = call(hooks, owner, "POST", "/suppressions", body)
    hooks.world.deliver()
    return str(made["id"])


def in_clear(hooks: Hooks, *words: str) -> list[str]:
    """The rows that name the person."""
    rows = hooks.world.rows(hooks.workspace.key)
    return [f"{row.pk} {row.sk}" for row in rows if any(w in repr(vars(row)) for w in words)]


@pytest.mark.parametrize("at_once", [1, redacting.MAX_LIFTED])
def test_only_hash_of_address_remains(
    known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(redacting, "MAX_LIFTED", at_once)
    lifted = [suppress(known, owner, "hard_bounce")]
    for _ in range(2):
        call(known, owner, "DELETE", f"/suppressions/{lifted[-1]}", note=NOTE)
        lifted.append(suppress(known, owner, "hard_bounce"))
    holding = suppress(known, owner, "complaint")
    known.notify("customers/redact", REDACT)
    assert in_clear(known, EMAIL, "Barnabas") == []
    for each in (*lifted, holding):
        found = call(known, owner, "GET", f"/suppressions/{each}")
        assert (found["address"], found["note"], found["liftNote"]) == (None, None, None)
    body = {"addresses": [{"channel": "email", "address": EMAIL}]}
    [item] = call(known, owner, "POST", "/suppressions/check", body)["items"]
    assert (item["suppressed"], item["reason"]) == (True, "complaint")


def test_address_known_to_other_store_remains(known: Hooks, owner: Someone) -> None:
    made = suppress(known, owner, "manual", "sms")
    known.notify("customers/redact", REDACT)
    assert [each["phone"] for each in profiles(known, owner)] == [PHONE]
    found = call(known, owner, "GET", f"/suppressions/{made}")
    assert (found["address"], found["note"]) == (PHONE, NOTE)


def test_killed_at_any_call(known: Hooks, owner: Someone) -> None:
    suppress(known, owner, "hard_bounce")
    body = json.dumps({**REDACT, "orders_to_redact": []}).encode()
    webhook = Webhook(SHOP, "customers/redact", clock.now(), body)
    work = partial(privacy.customer_redacted, webhook, lambda: 10**6)
    for positions in crashes(known.world, work):
        work()
        known.world.deliver()
        assert in_clear(known, EMAIL, "Barnabas") == [], positions
