"""An opt-out holds everywhere: each way in which a person could still be sent marketing."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from storepost.values import clock
from tests.harness.call_interruption import (
    Side,
    another_container,
    around_calls,
    before_the_commit,
)
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    erase,
    free,
    put_customer,
    received,
    send_write_backs,
    state_of,
    stated_by,
    subscribed,
)
from tests.people.consent.imports import (
    ANN,
    BEN,
    PROOF,
    at,
    counts,
    history_of,
    profile_of,
    row,
    upserted,
)
from tests.people.consent.listening_store import Shop, hand_over
from tests.people.suppressions.suppression_requests import create

LATER = clock.to_text(clock.now() + timedelta(days=30_000))

type Statement = Callable[[Shop, UUID], object]
"""States something about Ann's address; the store is one that hasn't got her as a customer."""

NOES: dict[str, Statement] = {
    "complaint": lambda shop, _: create(shop, ANN, "complaint"),
    "import": lambda shop, _: counts(shop, row(ANN, "unsubscribed", 20)),
    "store": lambda shop, store: put_customer(
        shop, store, "c", 20, emailMarketingConsent="unsubscribed"
    ),
}
OLDER_YESES: dict[str, Statement] = {
    "undated, store": lambda shop, store: put_customer(shop, store, "c", 30, **subscribed()),
    "import": lambda shop, _: counts(shop, row(ANN, "subscribed", 15, proof=PROOF)),
    "request": lambda shop, _: change_consent(shop, ANN, "subscribed", 15),
}


class TestUnprovenSubscription:
    """A `subscribed` that isn't proven to be later doesn't override `unsubscribed`."""

    @pytest.mark.parametrize(
        "more",
        [{"occurredAt": LATER}, {"occurredAt": LATER, "proof": PROOF}, {}],
        ids=["future", "future, with proof", "without proof"],
    )
    def test_unproven_import_does_not_override(self, shop: Shop, more: dict[str, Any]) -> None:
        change_consent(shop, ANN, "unsubscribed", 10)
        assert counts(shop, row(ANN, "subscribed", 20, **more)) == (0, 0, 1)
        assert state_of(shop) == "unsubscribed"

    def test_import_with_proof_overrides(self, shop: Shop) -> None:
        change_consent(shop, ANN, "unsubscribed", 10)
        assert counts(shop, row(ANN, "subscribed", 20, proof=PROOF)) == (1, 0, 0)
        assert state_of(shop) == "subscribed"

    def test_store_value_dated_in_future_does_not_override(self, shop: Shop) -> None:
        change_consent(shop, ANN, "unsubscribed", 10)
        put_customer(
            shop, shop.store(), "c", 20, **subscribed(emailMarketingConsentUpdatedAt=LATER)
        )
        assert state_of(shop) == "unsubscribed"

    @pytest.mark.parametrize("state", ["unsubscribed", "not_subscribed"])
    @pytest.mark.parametrize("minutes", [25, None], ids=["dated", "by the record"])
    def test_unsubscription_counts_after_subscription_dated_in_future(
        self, shop: Shop, state: str, minutes: int | None
    ) -> None:
        """Statements after a store's wrong clock dated one in the future still count."""
        store = shop.store()
        put_customer(shop, store, "c", 20, **subscribed(emailMarketingConsentUpdatedAt=LATER))
        assert state_of(shop) == "subscribed"
        put_customer(
            shop, store, "c", 25, **{**subscribed(minutes), "emailMarketingConsent": state}
        )
        assert state_of(shop) == "unsubscribed"

    def test_future_unsubscription_counts_as_now(self, shop: Shop) -> None:
        change_consent(shop, ANN, "subscribed")
        fields = {"emailMarketingConsent": "unsubscribed", "emailMarketingConsentUpdatedAt": LATER}
        put_customer(shop, shop.store(), "c", 20, **fields)
        assert state_of(shop) == "unsubscribed"
        [change, _] = history_of(shop, profile_of(shop, ANN))
        assert change["occurredAt"] <= clock.to_text(clock.now())


class TestConcurrentSubscription:
    """A no and an older yes, of which one is decided on before the other one is committed."""

    @pytest.mark.parametrize("no", NOES)
    @pytest.mark.parametrize("yes", OLDER_YESES)
    def test_opt_out_holds_whichever_is_committed_first(
        self, shop: Shop, listener: Receiver, yes: str, no: str
    ) -> None:
        change_consent(shop, ANN, "subscribed", 10)
        states = (
            partial(NOES[no], shop, shop.store()),
            partial(OLDER_YESES[yes], shop, shop.store()),
        )
        restore = shop.world.checkpoint()
        for later, earlier in (states, states[::-1]):
            restore()
            with before_the_commit(earlier):
                later()
            send_write_backs(shop)
            assert state_of(shop) == "unsubscribed"
            assert {state for state, _ in received(listener)} <= {"unsubscribed"}


class TestStoresThatMissedOptOut:
    """A store that has, or sends, a yes where an opt-out holds is sent the opt-out."""

    def check(self, shop: Shop, listener: Receiver, store: UUID, external_id: str = "c") -> None:
        """Checks that the store gets the opt-out that holds, and accepts it."""
        assert received(listener)[-1] == ("unsubscribed", external_id)
        assert stated_by(shop, store, external_id) == "unsubscribed"
        assert state_of(shop) == "unsubscribed"
        assert send_write_backs(shop) == 0

    @pytest.mark.parametrize("consent_at", [5, None], ids=["older", "undated"])
    def test_store_connected_later_gets_opt_out(
        self, shop: Shop, listener: Receiver, consent_at: int | None
    ) -> None:
        no = change_consent(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        put_customer(shop, store, "c", 20, **subscribed(consent_at))
        [word, effective] = history_of(shop, profile_of(shop, ANN))
        assert [each["skipReason"] for each in word["writeBacks"]] == ["superseded"]
        assert (effective["id"], effective["writeBacks"][0]["status"]) == (no["id"], "pending")
        assert send_write_backs(shop) == 1
        self.check(shop, listener, store)

    def test_undated_resubscription_by_store_is_corrected(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        for minute in (20, 21):
            put_customer(shop, store, "c", minute, **subscribed())
            assert send_write_backs(shop) == 1
            self.check(shop, listener, store)
        ids = [each.headers["webhook-id"] for each in listener.received]
        assert len(set(ids)) == len(ids) == 3

    @pytest.mark.parametrize("consent_at", [6, None], ids=["older", "undated"])
    def test_resubscription_from_before_the_opt_out_is_corrected(
        self, shop: Shop, listener: Receiver, consent_at: int | None
    ) -> None:
        """A store may go on with times from before the opt-out that it accepted."""
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        no = change_consent(shop, ANN, "unsubscribed")
        assert send_write_backs(shop) == 1
        for minute in (20, 21):
            put_customer(shop, store, "c", minute, **subscribed(consent_at))
            [word, *_, effective, _] = history_of(shop, profile_of(shop, ANN))
            assert [each["skipReason"] for each in word["writeBacks"]] == ["superseded"]
            assert (effective["id"], effective["writeBacks"][0]["status"]) == (no["id"], "pending")
            assert send_write_backs(shop) == 1
            self.check(shop, listener, store)

    def test_subscription_repeated_while_store_accepts_opt_out_is_corrected(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The store may have stored its own record after the opt-out that it accepted."""
        store, waiting = shop.store(), [2]
        put_customer(shop, store, "c", 1, **subscribed())
        change_consent(shop, ANN, "unsubscribed")
        [message] = shop.queued()

        def meanwhile(_number: int, _operation: str, _moment: Side) -> None:
            if listener.received and waiting:
                minute = waiting.pop()
                with another_container():
                    put_customer(shop, store, "c", minute, **subscribed())

        with around_calls(meanwhile):
            assert hand_over(message)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "c")] * 2
        assert len(set(listener.ids)) == 2
        assert stated_by(shop, store, "c") == "unsubscribed"

    def test_repeated_record_causes_one_write_back(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        change_consent(shop, ANN, "unsubscribed", 10)
        put_customer(shop, store, "c", 20, **subscribed())
        assert put_customer(shop, store, "c", 20, **subscribed()).status == 200
        assert send_write_backs(shop) == 1
        self.check(shop, listener, store)

    def test_store_that_repeats_subscribed_fails_until_manual_retry(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        no = change_consent(shop, ANN, "unsubscribed", 10)
        for minute in range(25):
            put_customer(shop, store, "c", 20 + minute, **subscribed())
            send_write_backs(shop)
        assert len(listener.received) == 20
        person = profile_of(shop, ANN)
        [write_back] = history_of(shop, person)[-1]["writeBacks"]
        assert (write_back["status"], bool(write_back["error"])) == ("failed", True)
        path = f"/profiles/{person['id']}/consent/{no['id']}/write-backs/{store}/retry"
        assert shop.owner.call("POST", path).status == 200
        assert send_write_backs(shop) == 1
        self.check(shop, listener, store)

    def test_store_that_restores_deleted_customer_gets_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        assert shop.owner.call("DELETE", f"/stores/{store}/customers/c").status == 204
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        put_customer(shop, store, "c", 20, **subscribed(5))
        assert send_write_backs(shop) == 1
        self.check(shop, listener, store)

    def test_opt_out_of_former_holder_is_sent(self, shop: Shop, listener: Receiver) -> None:
        """The opt-out is in the history of a profile that has another address now."""
        person = upserted(shop, email=ANN)
        change_consent(shop, ANN, "unsubscribed", 10)
        shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": BEN})
        free(shop, ANN)
        store = shop.store()
        put_customer(shop, store, "c", 20, **subscribed(5))
        assert profile_of(shop, ANN)["id"] != person["id"]
        assert send_write_backs(shop) == 1
        self.check(shop, listener, store)


class TestUntickedBoxes:
    """`not_subscribed` from the store that gave `subscribed` last is an opt-out."""

    @pytest.mark.parametrize("minutes", [15, None], ids=["dated", "by the record"])
    def test_not_subscribed_after_subscribed_is_opt_out(
        self, shop: Shop, listener: Receiver, minutes: int | None
    ) -> None:
        store, other = shop.store(), shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        put_customer(shop, other, "o", 5, **subscribed(5))
        send_write_backs(shop)
        listener.received.clear()
        put_customer(
            shop,
            store,
            "c",
            20,
            **{**subscribed(minutes), "emailMarketingConsent": "not_subscribed"},
        )
        [change, *_] = history_of(shop, profile_of(shop, ANN))
        assert change["state"] == "unsubscribed"
        assert change["occurredAt"] == at(minutes or 20)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "o")]
        assert state_of(shop) == "unsubscribed"

    def test_record_older_than_write_back_is_no_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 20, emailMarketingConsent="not_subscribed")
        change_consent(shop, ANN, "subscribed", 10)
        send_write_backs(shop)
        assert stated_by(shop, store, "c") == "subscribed"
        put_customer(shop, store, "c", 20, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"
        put_customer(shop, store, "c", 21, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "unsubscribed"
        assert received(listener) == [("subscribed", "c")]

    def test_not_subscribed_without_earlier_subscribed_is_no_opt_out(self, shop: Shop) -> None:
        put_customer(shop, shop.store(), "c", 5, emailMarketingConsent="not_subscribed")
        change_consent(shop, ANN, "subscribed", 2)
        put_customer(shop, shop.store(), "o", 6, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"


class TestSameStateWithLaterTime:
    """The same state with a later consent time is a new value: statements between are older."""

    @pytest.mark.parametrize("stated", ["subscribed", "unsubscribed"])
    def test_statement_in_between_is_overridden(
        self, shop: Shop, listener: Receiver, stated: str
    ) -> None:
        """Also if the store never got the statement between."""
        store = shop.store()
        between = "unsubscribed" if stated == "subscribed" else "subscribed"
        put_customer(shop, store, "c", 5, **{**subscribed(5), "emailMarketingConsent": stated})
        change_consent(shop, ANN, between, 10)
        put_customer(shop, store, "c", 15, **{**subscribed(5), "emailMarketingConsent": stated})
        assert state_of(shop) == between
        put_customer(shop, store, "c", 20, **{**subscribed(15), "emailMarketingConsent": stated})
        assert state_of(shop) == stated

    @pytest.mark.parametrize("stated", ["subscribed", "unsubscribed"])
    def test_first_consent_time_counts_as_later(self, shop: Shop, stated: str) -> None:
        store = shop.store()
        between = "unsubscribed" if stated == "subscribed" else "subscribed"
        put_customer(shop, store, "c", 5, **{**subscribed(), "emailMarketingConsent": stated})
        change_consent(shop, ANN, between, 10)
        put_customer(shop, store, "c", 20, **{**subscribed(15), "emailMarketingConsent": stated})
        assert state_of(shop) == stated

    @pytest.mark.parametrize("at", [None, LATER], ids=["undated", "future"])
    def test_undated_or_future_time_does_not_override(self, shop: Shop, at: str | None) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        put_customer(shop, store, "c", 20, **{**subscribed(), "emailMarketingConsentUpdatedAt": at})
        assert state_of(shop) == "unsubscribed"

    def test_accepted_write_back_returned_with_store_time_is_ignored(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """A yes that the store sends back late would end the opt-out made meanwhile."""
        store = shop.store()
        put_customer(shop, store, "c", 5, emailMarketingConsent="not_subscribed")
        change_consent(shop, ANN, "subscribed", 10)
        send_write_backs(shop)
        change_consent(shop, ANN, "unsubscribed", 12)
        put_customer(shop, store, "c", 20, **subscribed(13))
        assert state_of(shop) == "unsubscribed"


class TestOptOutTime:
    """An opt-out is sent with a time after all that the store has: a shop takes nothing older."""

    def write_back_time(self, listener: Receiver) -> str:
        """The time of the opt-out in the store's last write-back."""
        data = listener.received[-1].json["data"]
        assert data["state"] == "unsubscribed"
        return str(data["occurredAt"])

    def test_repeated_opt_out_is_sent_with_last_time(self, shop: Shop, listener: Receiver) -> None:
        """The change has the first statement's time; the address counts the last one's."""
        put_customer(shop, shop.store(), "c", 5, **subscribed(5))
        no = change_consent(shop, ANN, "unsubscribed", 10)
        assert change_consent(shop, ANN, "unsubscribed", 30) == no
        send_write_backs(shop)
        assert self.write_back_time(listener) == at(30)

    def test_repeated_opt_out_of_erased_person_has_last_time(
        self, shop: Shop, listener: Receiver
    ) -> None:
        put_customer(shop, shop.store(), "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        change_consent(shop, ANN, "unsubscribed", 30)
        erase(shop)
        send_write_backs(shop)
        assert self.write_back_time(listener) == at(30)

    def test_opt_out_is_dated_after_ignored_later_subscription(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The yes is older than the opt-out of an address that the customer had before."""
        store = shop.store()
        put_customer(shop, store, "c", 5, email=BEN, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        change_consent(shop, BEN, "unsubscribed", 20)
        put_customer(shop, store, "c", 21, **subscribed(15))
        assert state_of(shop) == "unsubscribed"
        send_write_backs(shop)
        assert self.write_back_time(listener) > at(15)
        assert stated_by(shop, store, "c") == "unsubscribed"

    def test_later_subscription_during_decision_is_not_overridden(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The worker reads the customer after the address, whose consent has changed meanwhile."""
        store, waiting = shop.store(), [20]
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        [message] = shop.queued()

        def meanwhile(number: int, _operation: str, _moment: Side) -> None:
            if number == 3 and waiting:
                minute = waiting.pop()
                with another_container():
                    put_customer(shop, store, "c", minute, **subscribed(minute))

        with around_calls(meanwhile):
            assert hand_over(message)
        assert (waiting, listener.received) == ([], [])
        assert state_of(shop) == stated_by(shop, store, "c") == "subscribed"
