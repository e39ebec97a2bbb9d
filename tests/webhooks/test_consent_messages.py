"""One change of consent, sent to a store and to a webhook endpoint at the same address.

Both messages have the type `consent.changed`. A receiver that verifies one never takes it for the
other.
"""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from storepost.people.consent_changes.requests import WriteBackData
from storepost.platform.attempts import posting
from storepost.webhooks.events.registry import EVENT_TYPES
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY
from tests.webhooks.receiving import URL, Hooks, is_signed_with

EMAIL = f"eve.{CANARY}@example.com"
WRITE_BACK = Draft202012Validator(TypeAdapter(WriteBackData).json_schema(mode="serialization"))
[EVENT] = [
    Draft202012Validator(each.json_schema())
    for each in EVENT_TYPES
    if each.type == "consent.changed"
]


def ask(hooks: Hooks, method: str, path: str, body: object) -> dict[str, Any]:
    """The answer to the owner's request."""
    answer = hooks.owner.call(method, path, body)
    assert answer.status < 300, answer.body
    return dict(answer.json)


@pytest.mark.parametrize("erased", [False, True], ids=["known", "erased meanwhile"])
def test_write_back_and_event_differ_in_signature_and_schema(
    hooks: Hooks, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, *, erased: bool
) -> None:
    monkeypatch.setattr(posting, "post", receiver.post)
    store = hooks.world.store(hooks.owner)
    store_secret = ask(hooks, "PUT", f"/stores/{store}/write-back", {"url": URL})["secret"]
    endpoint_secret = hooks.made(["consent.changed"])["secret"]
    at = "2026-01-01T00:00:00Z"
    customer = {"email": EMAIL, "externalCreatedAt": at, "externalUpdatedAt": at}
    ask(hooks, "PUT", f"/stores/{store}/customers/c-1", customer)
    profile = ask(hooks, "POST", "/profiles", {"email": EMAIL})["id"]
    ask(hooks, "PUT", f"/profiles/{profile}/consent/email", {"state": "unsubscribed"})
    if erased:
        assert hooks.owner.call("DELETE", f"/profiles/{profile}").status == 204
    hooks.world.deliver()
    assert {(each.url, each.json["type"]) for each in receiver.received} == {
        (URL, "consent.changed")
    }
    [write_back] = [each for each in receiver.received if is_signed_with(store_secret, each)]
    [event] = [each for each in receiver.received if is_signed_with(endpoint_secret, each)]
    assert write_back is not event
    assert len(receiver.received) == 2
    assert WRITE_BACK.is_valid(write_back.json["data"])
    assert not WRITE_BACK.is_valid(event.json["data"])
    assert EVENT.is_valid(event.json["data"])
    assert not EVENT.is_valid(write_back.json["data"])
    assert write_back.id == f"{write_back.json['data']['changeId']}.{store}"
    assert "." not in event.id
