"""Opt-outs in batches, and opt-outs that a batch's store is sent."""

from uuid import UUID

import pytest

from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    erase,
    owed_rows,
    received,
    state_of,
    stated_by,
    subscribed,
)
from tests.people.consent.imports import ANN, BEN, at, history_of, profile_of
from tests.people.consent.listening_store import Shop


def send(shop: Shop, store: UUID, external_id: str, minutes: int, **fields: object) -> None:
    """A batch of one customer, once it was imported and its write-backs were sent."""
    record = {
        "externalId": external_id,
        "email": ANN,
        "externalCreatedAt": at(0),
        "externalUpdatedAt": at(minutes),
        **fields,
    }
    path, body = f"/stores/{store}/batches", {"customers": [record]}
    answer = shop.owner.call("POST", path, body)
    assert answer.status == 202, answer.body
    shop.world.deliver()
    path = f"/stores/{store}/imports/{answer.json['id']}"
    found = shop.owner.call("GET", path).json
    assert (found["status"], found["imported"]["customers"]) == ("completed", 1)


class TestUntickedBoxes:
    """`not_subscribed` from the store that gave `subscribed` last is an opt-out."""

    @pytest.mark.parametrize("minutes", [15, None], ids=["dated", "by the record"])
    def test_not_subscribed_after_subscribed_is_opt_out(
        self, shop: Shop, listener: Receiver, minutes: int | None
    ) -> None:
        store, other = shop.store(), shop.store()
        send(shop, store, "c", 5, **subscribed(5))
        send(shop, other, "o", 5, **subscribed(5))
        listener.received.clear()
        send(
            shop,
            store,
            "c",
            20,
            **{**subscribed(minutes), "emailMarketingConsent": "not_subscribed"},
        )
        [change, *_] = history_of(shop, profile_of(shop, ANN))
        assert (change["state"], change["occurredAt"]) == ("unsubscribed", at(minutes or 20))
        assert received(listener) == [("unsubscribed", "o")]

    def test_not_subscribed_without_earlier_subscribed_is_no_opt_out(self, shop: Shop) -> None:
        store = shop.store()
        send(shop, store, "c", 5, emailMarketingConsent="not_subscribed")
        change_consent(shop, ANN, "subscribed", 2)
        send(shop, shop.store(), "o", 6, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"

    def test_late_batch_is_no_opt_out(self, shop: Shop) -> None:
        """The state from before the store gave `subscribed` is no unticked box."""
        store = shop.store()
        send(shop, store, "c", 20, **subscribed(20))
        record = {
            "externalId": "c",
            "email": ANN,
            "externalCreatedAt": at(0),
            "externalUpdatedAt": at(10),
            "emailMarketingConsent": "not_subscribed",
        }
        path, body = f"/stores/{store}/batches", {"customers": [record]}
        shop.owner.call("POST", path, body)
        shop.world.deliver()
        assert state_of(shop) == "subscribed"


class TestOptOutSentToStore:
    """A store whose batch has a yes where an opt-out holds is sent the opt-out."""

    @pytest.mark.parametrize("consent_at", [5, None], ids=["older", "undated"])
    def test_subscribed_where_opt_out_holds_gets_opt_out(
        self, shop: Shop, listener: Receiver, consent_at: int | None
    ) -> None:
        change_consent(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        send(shop, store, "c", 20, **subscribed(consent_at))
        assert received(listener) == [("unsubscribed", "c")]
        assert (stated_by(shop, store, "c"), state_of(shop)) == ("unsubscribed", "unsubscribed")

    def test_two_customers_of_one_batch_with_same_address(
        self, shop: Shop, listener: Receiver
    ) -> None:
        change_consent(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        records = [
            {
                "externalId": external_id,
                "email": ANN,
                "externalCreatedAt": at(0),
                "externalUpdatedAt": at(20),
                **subscribed(5),
            }
            for external_id in ("c", "d")
        ]
        path, body = f"/stores/{store}/batches", {"customers": records}
        shop.owner.call("POST", path, body)
        shop.world.deliver()
        assert set(received(listener)) == {("unsubscribed", "c"), ("unsubscribed", "d")}
        assert (stated_by(shop, store, "c"), stated_by(shop, store, "d")) == (
            "unsubscribed",
            "unsubscribed",
        )

    def test_owed_opt_out_of_erased_person_is_sent_after_success(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        send(shop, store, "c", 5, **subscribed(5))
        send(shop, store, "d", 5, **{**subscribed(5), "email": BEN})
        listener.answers = [410]
        change_consent(shop, ANN, "unsubscribed", 10)
        shop.world.deliver()
        listener.answers = [410]
        erase(shop)
        shop.world.deliver()
        assert len(owed_rows(shop)) == 1
        listener.received.clear()
        change_consent(shop, BEN, "unsubscribed", 10)
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "d"), ("unsubscribed", "c")]
        assert owed_rows(shop) == []
