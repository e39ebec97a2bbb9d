"""Noes that batches bring, and noes that a batch's store is told."""

from uuid import UUID

import pytest

from tests.people.consent.imports import ANN, BEN, at, history_of, profile_of
from tests.people.consent.listening_store import Listener, Shop
from tests.people.consent.test_no_holds import erase, has, owed_rows, say, state_of, told, yes


def send(shop: Shop, store: UUID, external_id: str, minutes: int, **given: object) -> None:
    """A batch of one customer, once it was worked on, and its store told what it is to be told."""
    record = {
        "externalId": external_id,
        "email": ANN,
        "externalCreatedAt": at(0),
        "externalUpdatedAt": at(minutes),
        **given,
    }
    path, body = f"/stores/{store}/batches", {"customers": [record]}
    answer = shop.world.call("POST", path, token=shop.owner.token, json_body=body)
    assert answer.status == 202, answer.body
    shop.world.deliver()
    path = f"/stores/{store}/imports/{answer.json['id']}"
    found = shop.world.call("GET", path, token=shop.owner.token).json
    assert (found["status"], found["imported"]["customers"]) == ("completed", 1)


class TestBoxes:
    """`not_subscribed` from the store that gave `subscribed` last is a no."""

    @pytest.mark.parametrize("minutes", [15, None], ids=["dated", "by the record"])
    def test_unticked(self, shop: Shop, listener: Listener, minutes: int | None) -> None:
        store, other = shop.store(), shop.store()
        send(shop, store, "c", 5, **yes(5))
        send(shop, other, "o", 5, **yes(5))
        listener.received.clear()
        send(shop, store, "c", 20, **{**yes(minutes), "emailMarketingConsent": "not_subscribed"})
        [change, *_] = history_of(shop, profile_of(shop, ANN))
        assert (change["state"], change["occurredAt"]) == ("unsubscribed", at(minutes or 20))
        assert told(listener) == [("unsubscribed", "o")]

    def test_never_ticked(self, shop: Shop) -> None:
        store = shop.store()
        send(shop, store, "c", 5, emailMarketingConsent="not_subscribed")
        say(shop, ANN, "subscribed", 2)
        send(shop, shop.store(), "o", 6, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"

    def test_a_batch_that_is_late(self, shop: Shop) -> None:
        """What the store had before it gave `subscribed` is no unticked box."""
        store = shop.store()
        send(shop, store, "c", 20, **yes(20))
        record = {
            "externalId": "c",
            "email": ANN,
            "externalCreatedAt": at(0),
            "externalUpdatedAt": at(10),
            "emailMarketingConsent": "not_subscribed",
        }
        path, body = f"/stores/{store}/batches", {"customers": [record]}
        shop.world.call("POST", path, token=shop.owner.token, json_body=body)
        shop.world.deliver()
        assert state_of(shop) == "subscribed"


class TestTold:
    """A store whose batch comes with a yes where a no holds is told the no."""

    @pytest.mark.parametrize("consent_at", [5, None], ids=["older", "undated"])
    def test_with_a_yes(self, shop: Shop, listener: Listener, consent_at: int | None) -> None:
        say(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        send(shop, store, "c", 20, **yes(consent_at))
        assert told(listener) == [("unsubscribed", "c")]
        assert (has(shop, store, "c"), state_of(shop)) == ("unsubscribed", "unsubscribed")

    def test_two_of_one_batch_with_one_address(self, shop: Shop, listener: Listener) -> None:
        say(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        records = [
            {
                "externalId": external_id,
                "email": ANN,
                "externalCreatedAt": at(0),
                "externalUpdatedAt": at(20),
                **yes(5),
            }
            for external_id in ("c", "d")
        ]
        path, body = f"/stores/{store}/batches", {"customers": records}
        shop.world.call("POST", path, token=shop.owner.token, json_body=body)
        shop.world.deliver()
        assert set(told(listener)) == {("unsubscribed", "c"), ("unsubscribed", "d")}
        assert (has(shop, store, "c"), has(shop, store, "d")) == ("unsubscribed", "unsubscribed")

    def test_whoever_was_erased_before_the_store_took_it(
        self, shop: Shop, listener: Listener
    ) -> None:
        store = shop.store()
        send(shop, store, "c", 5, **yes(5))
        send(shop, store, "d", 5, **{**yes(5), "email": BEN})
        listener.answers = [410]
        say(shop, ANN, "unsubscribed", 10)
        shop.world.deliver()
        listener.answers = [410]
        erase(shop)
        shop.world.deliver()
        assert len(owed_rows(shop)) == 1
        listener.received.clear()
        say(shop, BEN, "unsubscribed", 10)
        shop.world.deliver()
        assert told(listener) == [("unsubscribed", "d"), ("unsubscribed", "c")]
        assert owed_rows(shop) == []
