"""Evidence of consent is deleted with the address of a customer whom a shop has redacted."""

from typing import Any

import pytest

from storepost.sync.webhooks import redacting
from tests.harness.world import Someone
from tests.shopify.hooks import EMAIL, PHONE, Hooks, consents, customer_body
from tests.shopify.privacy_requests import REDACT, profiles, put_elsewhere


@pytest.fixture
def known(hooks: Hooks, owner: Someone) -> Hooks:
    """A customer of the shop with both addresses, whose email another store has, too."""
    hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
    put_elsewhere(hooks, owner)
    return hooks


def evidence(hooks: Hooks, owner: Someone, **query: object) -> dict[str, Any]:
    """The person's evidence."""
    [profile] = profiles(hooks, owner)
    return dict(owner.call("GET", f"/profiles/{profile['id']}/consent/evidence", query=query).json)


def say(hooks: Hooks, owner: Someone, channel: str, number: int) -> None:
    """A request with a proof of the present state."""
    [profile] = profiles(hooks, owner)
    path = f"/profiles/{profile['id']}/consent/{channel}"
    body = {"state": "subscribed", "proof": {"reference": f"form-{number}"}}
    assert owner.call("PUT", path, body).status == 200


@pytest.mark.parametrize("at_once", [1, 25])
def test_evidence_of_address_known_only_to_shop_is_deleted(
    known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(redacting, "MAX_ROWS", at_once)
    for number in range(3):
        say(known, owner, "sms", number)
        say(known, owner, "email", number)
    before = evidence(known, owner)
    assert before["total"] == 8
    known.notify("customers/redact", REDACT)
    left = evidence(known, owner)
    assert left["items"] == [each for each in before["items"] if each["address"] == EMAIL]
    assert left["total"] == 4
    assert [row for row in known.world.rows() if PHONE in repr(vars(row))] == []


def test_later_evidence_is_listed_completely(known: Hooks, owner: Someone) -> None:
    known.notify("customers/redact", REDACT)
    for number in range(3):
        say(known, owner, "email", number)
    found = evidence(known, owner)
    references = [each["proof"]["reference"] for each in found["items"]]
    assert references == ["form-2", "form-1", "form-0", None]
    last = evidence(known, owner, page=2, pageSize=10)
    assert (last["total"], last["items"]) == (4, [])


def test_opt_in_request_is_deleted(hooks: Hooks, owner: Someone) -> None:
    """An opt-in request has the address and the form's proof, as the evidence beside it."""
    hooks.notify("customers/create", customer_body(**consents("not_subscribed", "not_subscribed")))
    [profile] = profiles(hooks, owner)
    proof = {"reference": "form-1", "ip": "198.51.100.7", "userAgent": "Netscape 4"}
    response = owner.call("POST", f"/profiles/{profile['id']}/opt-in-requests", {"proof": proof})
    assert response.status == 202, response.body
    hooks.world.deliver()
    hooks.notify("customers/redact", REDACT)
    rows = [repr(vars(row)) for row in hooks.world.rows(hooks.workspace.key)]
    assert not [row for row in rows if EMAIL in row or "198.51.100.7" in row]


@pytest.mark.parametrize("at_once", [1, redacting.MAX_ROWS])
@pytest.mark.parametrize("days", [0, 30])
def test_evidence_is_sealed_for_configured_retention(
    known: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch, at_once: int, days: int
) -> None:
    monkeypatch.setattr(redacting, "MAX_ROWS", at_once)
    call, token = known.world.call, owner.token
    settings = {"evidenceRetentionDays": days}
    assert call("PUT", "/consent/settings", token=token, json_body=settings).status == 200
    for number in range(3):
        say(known, owner, "sms", number)
        say(known, owner, "email", number)
    of_phone = [each for each in evidence(known, owner)["items"] if each["address"] == PHONE]
    assert len(of_phone) == 4
    known.notify("customers/redact", REDACT)
    assert [row for row in known.world.rows() if PHONE in repr(vars(row))] == []
    for channel, address, stored in (("sms", PHONE, of_phone), ("email", EMAIL, [])):
        body = {"channel": channel, "address": address}
        answer = call("POST", "/consent/erased-evidence", token=token, json_body=body)
        assert answer.status == 200
        assert answer.json["items"] == (stored if days else [])
