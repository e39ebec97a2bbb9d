"""An opt-out holds while a store is disconnected, and after the person was erased."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from local.events.pumps import pump_queue
from storepost.lifecycle.erasures import service
from storepost.people.consent import resending
from storepost.people.consent.missed_write_backs import missed_partition
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent.write_back_queue import queue_write_backs
from storepost.values import clock
from tests.harness import later_attempts
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    disconnect,
    erase,
    free,
    owed_rows,
    put_customer,
    received,
    reconnect,
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
    upserted,
)
from tests.people.consent.listening_store import URL, Shop


class TestReconnecting:
    """A store that is connected again is sent the missed changes that still hold."""

    def test_missed_effective_changes_are_queued_again(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        put_customer(shop, store, "o", 5, email=BEN, **subscribed(5))
        send_write_backs(shop)
        disconnect(shop, store)
        change_consent(shop, ANN, "unsubscribed", 10)
        change_consent(shop, BEN, "unsubscribed", 10)
        change_consent(shop, BEN, "subscribed", 11)
        send_write_backs(shop)
        assert listener.received == []
        reconnect(shop, store)
        send_write_backs(shop)
        assert sorted(received(listener)) == [("subscribed", "o"), ("unsubscribed", "c")]
        assert (stated_by(shop, store, "c"), stated_by(shop, store, "o")) == (
            "unsubscribed",
            "subscribed",
        )
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_missed_changes_exceeding_one_transaction(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resending, "MAX_CHANGES", 2)
        store, people = shop.store(), [f"{n}.{ANN}" for n in range(5)]
        for number, email in enumerate(people):
            put_customer(shop, store, f"c{number}", 5, email=email, **subscribed(5))
        send_write_backs(shop)
        disconnect(shop, store)
        for email in people:
            change_consent(shop, email, "unsubscribed", 10)
        send_write_backs(shop)
        reconnect(shop, store)
        send_write_backs(shop)
        assert sorted(received(listener)) == [("unsubscribed", f"c{n}") for n in range(5)]

    def test_manual_retry_of_skipped_write_back(self, shop: Shop, listener: Receiver) -> None:
        """A write-back is retried that was skipped for a reason that no longer exists."""
        store = shop.store(listens=False)
        put_customer(shop, store, "c", 5, **subscribed(5))
        no = change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        person = profile_of(shop, ANN)["id"]
        path = f"/profiles/{person}/consent/{no['id']}/write-backs/{store}/retry"
        shop.secret(store)
        assert shop.owner.call("POST", path).status == 200
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "c")]
        again = shop.owner.call("POST", path)
        assert again.problem() == (409, "write_back_not_failed")


class TestErasure:
    """The hash keeps the time: only a later dated statement subscribes the address again."""

    @pytest.fixture(params=["before the worker", "after the worker"])
    def erased(self, shop: Shop, request: pytest.FixtureRequest) -> str:
        """Erases a person who opted out; a moment after that."""
        change_consent(shop, ANN, "unsubscribed", 10)
        erase(shop)
        if request.param == "after the worker":
            shop.world.deliver()
        shop.world.advance(minutes=2)
        return clock.to_text(clock.now() - timedelta(minutes=1))

    def test_request_dated_before_erasure_does_not_count(self, shop: Shop, erased: str) -> None:
        change = change_consent(shop, ANN, "subscribed", 20)
        assert (change["state"], change["occurredAt"]) == ("subscribed", at(20))
        assert state_of(shop) == "not_subscribed"
        assert history_of(shop, profile_of(shop, ANN)) == [change]
        now = change_consent(shop, ANN, "subscribed")
        assert now["id"] != change["id"]
        assert state_of(shop) == "subscribed"
        assert change_consent(shop, ANN, "subscribed", 21) == now

    def test_store_value_counts_if_dated_after_erasure(self, shop: Shop, erased: str) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 20, **subscribed(20))
        assert state_of(shop) == "not_subscribed"
        put_customer(shop, store, "c", 21, **subscribed(20, locale="de"))
        assert state_of(shop) == "not_subscribed"
        put_customer(shop, store, "c", 22, **subscribed(emailMarketingConsentUpdatedAt=erased))
        assert state_of(shop) == "subscribed"

    def test_other_stores_value_counts_if_dated_after_erasure(
        self, shop: Shop, erased: str
    ) -> None:
        put_customer(shop, shop.store(), "c", 20, **subscribed(20))
        put_customer(
            shop, shop.store(), "o", 21, **subscribed(emailMarketingConsentUpdatedAt=erased)
        )
        assert state_of(shop) == "subscribed"

    @pytest.mark.parametrize("proof", [None, PROOF])
    def test_import_dated_after_erasure_counts_with_proof_only(
        self, shop: Shop, erased: str, proof: dict[str, str] | None
    ) -> None:
        word = {"email": ANN, "state": "subscribed", "occurredAt": erased}
        assert counts(shop, {**word, "proof": proof}) == ((1, 0, 0) if proof else (0, 0, 1))

    def test_undated_store_value_does_not_count(self, shop: Shop, erased: str) -> None:
        put_customer(shop, shop.store(), "c", 20, **subscribed())
        assert state_of(shop) == "not_subscribed"


class TestErasureOfFormerHolder:
    """Another person has the address now, and the change that holds is the erased person's."""

    def test_superseded_subscription_does_not_count_after_erasure(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        change_consent(shop, ANN, "unsubscribed", 10)
        path, token = f"/profiles/{person['id']}", shop.owner.token
        shop.world.call("PATCH", path, token=token, json_body={"email": BEN})
        before = shop.profile(UUID(person["id"]))
        remaining = {each: seen for each, seen in before.sightings.items() if each.value != ANN}
        shop.save(before, replace(before, sightings=remaining))
        free(shop, ANN)
        put_customer(shop, shop.store(), "c", 20, **subscribed())
        assert state_of(shop) == "unsubscribed"
        assert shop.world.call("DELETE", path, token=token).status == 204
        shop.world.deliver()
        put_customer(shop, shop.store(), "o", 21, **subscribed(15))
        effective = ConsentRepository(shop.workspace).consent_of(Address(Channel.EMAIL, ANN))
        assert effective.state is ConsentState.NOT_SUBSCRIBED


class TestOwedAfterErasure:
    """A store that hasn't accepted an opt-out yet is still sent it after the erasure."""

    @pytest.mark.parametrize("is_worked", [True, False])
    def test_pending_opt_out_is_sent_without_address(
        self, shop: Shop, listener: Receiver, is_worked: bool
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        send_write_backs(shop)
        no = change_consent(shop, ANN, "unsubscribed", 10)
        erase(shop)
        if is_worked:
            shop.world.deliver()
        send_write_backs(shop)
        [received] = listener.received
        data = received.json["data"]
        assert (data["changeId"], data["state"], data["address"]) == (
            no["id"],
            "unsubscribed",
            None,
        )
        assert data["customers"] == [{"externalId": "c"}]
        assert owed_rows(shop) == []

    def test_failed_opt_out_is_sent_again(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        send_write_backs(shop)
        listener.answers = [410, 204]
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        erase(shop)
        [row] = owed_rows(shop)
        assert ANN not in repr(row.attribute_values)
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")] * 2
        assert owed_rows(shop) == []

    def test_disconnected_store_gets_opt_out_when_reconnected(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        send_write_backs(shop)
        disconnect(shop, store)
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        erase(shop)
        shop.world.deliver()
        assert listener.received == []
        assert len(owed_rows(shop)) == 1
        reconnect(shop, store)
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")]
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    @pytest.mark.parametrize("is_removed", [False, True], ids=["to be removed", "removed"])
    def test_store_reconnected_during_erasure_gets_opt_out(
        self, shop: Shop, listener: Receiver, is_removed: bool
    ) -> None:
        """Also if it is connected before the person's history is removed."""
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        disconnect(shop, store)
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        erase(shop)
        shop.world.relay()
        if is_removed:
            assert pump_queue("ProfileErasureQueue") == 1
        send_write_backs(shop)
        reconnect(shop, store)
        send_write_backs(shop)
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")]
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    @pytest.mark.parametrize("refusal", [503, 400], ids=["that waits", "that failed"])
    @pytest.mark.parametrize("erased_after", ["nothing", "attempt", "address", "end"])
    def test_write_back_address_removed_and_set_again_gets_the_opt_out(
        self, shop: Shop, listener: Receiver, erased_after: str, refusal: int
    ) -> None:
        """The store gets it as soon as it has an address again, whenever the person was erased."""
        store = shop.store()
        path = f"/stores/{store}/write-back"
        put_customer(shop, store, "c", 5, **subscribed(5))
        send_write_backs(shop)
        listener.always = refusal
        change_consent(shop, ANN, "unsubscribed", 10)

        def reach(step: str) -> None:
            if erased_after == step:
                erase(shop)
            shop.world.deliver()

        reach("nothing")
        reach("attempt")
        assert shop.owner.call("DELETE", path).status == 204
        reach("address")
        later_attempts.advance(timedelta(minutes=1))
        reach("end")
        listener.always = 204
        listener.received.clear()
        assert shop.owner.call("PUT", path, {"url": URL}).status == 200
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")]
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    @pytest.mark.parametrize("is_disconnected", [False, True])
    def test_write_back_address_removed_before_first_attempt(
        self, shop: Shop, listener: Receiver, is_disconnected: bool
    ) -> None:
        """The store had an address for it: it is kept, though the store was never sent it."""
        store = shop.store()
        path = f"/stores/{store}/write-back"
        put_customer(shop, store, "c", 5, **subscribed(5))
        if is_disconnected:
            disconnect(shop, store)
        change_consent(shop, ANN, "unsubscribed", 10)
        if is_disconnected:
            shop.world.deliver()
        erase(shop)
        if is_disconnected:
            reconnect(shop, store)
        assert shop.owner.call("DELETE", path).status == 204
        shop.world.deliver()
        assert listener.received == []
        assert shop.owner.call("PUT", path, {"url": URL}).status == 200
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")]
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_store_without_write_back_address_keeps_nothing(self, shop: Shop) -> None:
        """Nothing of the person is kept for it."""
        store = shop.store(listens=False)
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        erase(shop)
        shop.world.deliver()
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_restarted_delivery_has_same_id_after_erasure(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The store has acknowledged the delivery before, and would ignore its id."""
        store = shop.store()
        put_customer(shop, store, "c", 1, **subscribed())
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        listener.answers = [503]
        put_customer(shop, store, "c", 20, **subscribed())
        send_write_backs(shop)
        erase(shop)
        send_write_backs(shop)
        first, again, after = (each.headers["webhook-id"] for each in listener.received)
        assert first != again == after

    def test_message_of_earlier_release_is_delivered(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its message lacks the mark of an owed opt-out."""
        plain = queue_write_backs
        put_customer(shop, shop.store(), "c", 1, **subscribed())
        listener.answers = [503]
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        with monkeypatch.context() as before:
            before.setattr(service, "queue_write_backs", lambda *args: plain(*args[:4]))
            erase(shop)
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "c")] * 2
        assert owed_rows(shop) == []

    def test_store_with_later_subscription_gets_no_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        send_write_backs(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        erase(shop)
        shop.world.advance(minutes=2)
        since = clock.to_text(clock.now())
        put_customer(shop, store, "c", 20, **subscribed(emailMarketingConsentUpdatedAt=since))
        shop.world.deliver()
        assert received(listener) == []
        assert owed_rows(shop) == []
        assert state_of(shop) == "subscribed"

    def test_accepted_opt_out_is_not_stored(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        listener.received.clear()
        erase(shop)
        assert owed_rows(shop) == []
        shop.world.deliver()
        assert listener.received == []
