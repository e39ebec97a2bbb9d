"""A request without `occurredAt`: the statement is of now, after all others."""

from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.api.reference import documents
from storepost.values import clock
from tests.people.consent.listening_store import Shop

CHANNELS = {"email": "consent.putEmail", "sms": "consent.putSms"}
NEEDS_NONE = "an unsubscription by request needs none"


def described(operation_id: str) -> dict[str, Any]:
    """The operation in the service's own description."""
    [found] = (
        operation
        for methods in documents.interface()["paths"].values()
        for operation in methods.values()
        if operation["operationId"] == operation_id
    )
    return dict(found)


class TestUnsubscribing:
    """PUT /profiles/{id}/consent/email and /sms with `unsubscribed` alone."""

    @pytest.mark.parametrize("channel", CHANNELS)
    @pytest.mark.parametrize("body", [{}, {"occurredAt": None}])
    def test_overrides_subscription_of_same_millisecond(
        self, shop: Shop, channel: str, body: dict[str, None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        profile, now = shop.person(), clock.now()
        monkeypatch.setattr(clock, "now", lambda: now)
        before = shop.change(profile, "subscribed", channel=channel)
        assert before["occurredAt"] == clock.to_text(now)
        change = shop.change(profile, "unsubscribed", channel=channel, **body)
        assert (change["state"], change["recordedAt"]) == ("unsubscribed", clock.to_text(now))
        assert change["occurredAt"] > before["occurredAt"]
        assert shop.read(profile, change)["occurredAt"] == change["occurredAt"]

    @pytest.mark.parametrize("channel", CHANNELS)
    def test_api_key_without_proof_is_accepted(self, shop: Shop, channel: str) -> None:
        profile = shop.person()
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        shop.change(profile, "subscribed", channel=channel)
        began = clock.now()
        path, body = f"/profiles/{profile.id}/consent/{channel}", {"state": "unsubscribed"}
        answer = shop.world.call("PUT", path, token=key, json_body=body)
        assert (answer.status, answer.json["state"]) == (200, "unsubscribed")
        assert began <= clock.from_text(answer.json["occurredAt"]) <= clock.now()

    @pytest.mark.parametrize("operation_id", CHANNELS.values())
    def test_api_description_requires_only_state(self, operation_id: str) -> None:
        operation = described(operation_id)
        assert NEEDS_NONE in " ".join(operation["description"].split())
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        name = schema["$ref"].rsplit("/", 1)[1]
        assert documents.interface()["components"]["schemas"][name]["required"] == ["state"]
