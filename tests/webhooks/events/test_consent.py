"""Events of changes of consent."""

from typing import Any
from uuid import UUID

import pytest

from storepost.values import clock
from tests.webhooks.events.shop import EMAIL, Shop, of


@pytest.fixture
def eve(shop: Shop) -> str:
    """A person whose address has no consent yet."""
    profile_id = shop.profile()
    shop.delivered()
    return profile_id


def change(shop: Shop, profile_id: str, state: str) -> dict[str, Any]:
    """The answered change, with a proof that has every field."""
    proof = {"ip": "198.51.100.7", "userAgent": "Mozilla/5.0", "reference": "form-1"}
    body = {"state": state, "proof": proof}
    answered: dict[str, Any] = shop.call("PUT", f"/profiles/{profile_id}/consent/email", body).json
    return answered


class TestChanged:
    def test_payload_equals_the_change_without_ip_and_user_agent(
        self, shop: Shop, eve: str
    ) -> None:
        answered = change(shop, eve, "subscribed")
        event = shop.only("consent.changed")
        assert of(event) == ("consent_change", UUID(answered["id"]))
        own = shop.get(f"/profiles/{eve}/consent/{answered['id']}")
        proof = {name: own["proof"][name] for name in ("userId", "apiKeyId", "reference")}
        assert shop.data(event) == {**own, "proof": proof, "profileId": eve}
        assert "198.51" not in str(shop.data(event))
        assert "Mozilla" not in str(shop.data(event))

    @pytest.mark.parametrize(("state", "always"), [("subscribed", False), ("unsubscribed", True)])
    def test_unsubscription_is_marked_always(
        self, shop: Shop, eve: str, state: str, always: bool
    ) -> None:
        change(shop, eve, state)
        event = shop.only("consent.changed")
        assert (event.always, event.imported) == (always, False)

    def test_write_back_result_causes_no_event(
        self, shop: Shop, eve: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "127.0.0.1:9")
        shop.call("PUT", f"/stores/{shop.store}/write-back", {"url": "http://127.0.0.1:9/"})
        body = {"email": EMAIL, "externalCreatedAt": "2026-01-01T00:00:00Z"}
        body["externalUpdatedAt"] = body["externalCreatedAt"]
        shop.call("PUT", f"/stores/{shop.store}/customers/c-1", body)
        shop.delivered()
        change(shop, eve, "unsubscribed")
        event = shop.only("consent.changed")
        assert [each["status"] for each in shop.data(event)["writeBacks"]] == ["pending"]
        shop.call("POST", f"/stores/{shop.store}/disconnect")
        shop.world.deliver()
        assert [each["status"] for each in shop.data(event)["writeBacks"]] == ["skipped"]
        assert "consent.changed" not in shop.types()

    def test_repeated_statement_causes_no_event(self, shop: Shop, eve: str) -> None:
        change(shop, eve, "subscribed")
        shop.delivered()
        before = shop.get(f"/profiles/{eve}/consent")["total"]
        change(shop, eve, "subscribed")
        events = [each for each in shop.events() if each.type == "consent.changed"]
        assert len(events) == shop.get(f"/profiles/{eve}/consent")["total"] - before

    def test_pending_event_of_an_erased_profile_has_only_ids(self, shop: Shop, eve: str) -> None:
        answered = change(shop, eve, "unsubscribed")
        event = shop.only("consent.changed")
        shop.call("DELETE", f"/profiles/{eve}")
        assert shop.data(event) == {"id": answered["id"], "profileId": eve}


class TestImported:
    def test_imported_unsubscription_restoring_opt_in_request_is_sent_always(
        self, shop: Shop, eve: str
    ) -> None:
        """It ends a subscription that nothing proves, though it is older than the question."""
        before = clock.to_text(clock.now())
        shop.world.advance(hours=1)
        shop.call("POST", f"/profiles/{eve}/opt-in-requests", {"proof": {"reference": "form"}})
        question = shop.only("consent.changed")
        shop.world.advance(hours=1)
        change = {"email": EMAIL, "state": "subscribed", "occurredAt": clock.to_text(clock.now())}
        shop.call("POST", "/consent/import", {"changes": [change]})
        shop.delivered()
        change |= {"state": "unsubscribed", "occurredAt": before}
        shop.call("POST", "/consent/import", {"changes": [change]})
        event = shop.only("consent.changed")
        assert (event.imported, event.always) == (True, True)
        assert of(event) == of(question)
        assert shop.data(event)["state"] == "pending"

    def test_imported_unsubscription_is_marked_always(self, shop: Shop) -> None:
        statements = [
            {"email": f"p{n}.{EMAIL}", "state": state, "occurredAt": at}
            for n, (state, at) in enumerate(
                [("subscribed", "2026-01-01T00:00:00Z"), ("unsubscribed", "2026-01-01T00:00:00Z")]
            )
        ]
        shop.call("POST", "/consent/import", {"changes": statements})
        events = [event for event in shop.events() if event.type == "consent.changed"]
        assert sorted((event.imported, event.always) for event in events) == [
            (True, False),
            (True, True),
        ]
