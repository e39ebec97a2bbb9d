"""Missed opt-outs, killed at any call to AWS: reconnecting, owing, correcting, retrying."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from storepost.people.consent.missed_write_backs import missed_partition
from storepost.stores.stores.repository import StoreRepository
from tests.harness.crash_points import KEY, Crashes, crashes, until_answered
from tests.harness.receiver import Receiver
from tests.harness.world import Answer
from tests.people.consent.customers_of_stores import (
    change_consent,
    disconnect,
    erase,
    owed_rows,
    put_customer,
    received,
    send_write_backs,
    stated_by,
    subscribed,
)
from tests.people.consent.imports import ANN, BEN, profile_of
from tests.people.consent.listening_store import HOOK, Shop, hand_over
from tests.people.consent.test_failing_stores import emails

NO = ("unsubscribed", "c")


def known(shop: Shop, email: str = ANN, external_id: str = "c") -> UUID:
    """A store that has a customer as subscribed, and has no write-back to get."""
    store = shop.store()
    put_customer(shop, store, external_id, 5, email=email, **subscribed(5))
    send_write_backs(shop)
    return store


def sending(shop: Shop, method: str, path: str, body: object = None) -> Callable[[], Answer]:
    """A request, always with the same key."""
    return partial(shop.world.call, method, path, token=shop.owner.token, json_body=body, key=KEY)


def working(shop: Shop, listener: Receiver) -> tuple[dict[str, str], Crashes]:
    """The one waiting message, and the places at which the worker may die with it."""
    [message] = shop.queued()
    work = partial(hand_over, message)
    found = crashes(shop.world, work, outside=[listener.received], deliver=False)
    assert len(found.positions) > 6
    return message, found


def missed_rows(shop: Shop, store: UUID) -> list[Any]:
    """The write-backs that the store has missed."""
    return shop.world.rows(missed_partition(shop.workspace, store))


class TestReconnectingKilled:
    """A store that is connected again is sent a missed change once, and surely."""

    def missed_one(self, shop: Shop) -> tuple[UUID, dict[str, Any]]:
        """A store that was disconnected during an opt-out; the request that connects it again."""
        store = known(shop)
        found = shop.owner.call("GET", f"/stores/{store}").json
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        disconnect(shop, store)
        change_consent(shop, ANN, "unsubscribed", 10)
        return store, {name: found[name] for name in names}

    def ended(self, shop: Shop, listener: Receiver, store: UUID, positions: object) -> None:
        assert set(received(listener)) == {NO}, positions
        assert stated_by(shop, store, "c") == "unsubscribed", positions
        assert missed_rows(shop, store) == [], positions
        assert send_write_backs(shop) == 0, positions

    def test_recording_missed_write_back(self, shop: Shop, listener: Receiver) -> None:
        store, body = self.missed_one(shop)
        message, found = working(shop, listener)
        for positions in found:
            assert hand_over(message, 2)
            assert len(missed_rows(shop, store)) == 1, positions
            assert sending(shop, "POST", "/stores", body)().status == 200
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_reconnect_request(self, shop: Shop, listener: Receiver) -> None:
        store, body = self.missed_one(shop)
        send_write_backs(shop)
        send = sending(shop, "POST", "/stores", body)
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.positions) > 10
        for positions in found:
            assert until_answered(shop.world, send).status == 200, positions
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_queueing_missed_write_backs(self, shop: Shop, listener: Receiver) -> None:
        store, body = self.missed_one(shop)
        send_write_backs(shop)
        sending(shop, "POST", "/stores", body)()
        message, found = working(shop, listener)
        for positions in found:
            assert hand_over(message, 2)
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_sending_missed_write_back(self, shop: Shop, listener: Receiver) -> None:
        store, body = self.missed_one(shop)
        send_write_backs(shop)
        sending(shop, "POST", "/stores", body)()
        [waiting] = shop.queued()
        hand_over(waiting)
        message = shop.queued()[-1]
        work = partial(hand_over, message)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.positions) > 10
        for positions in found:
            assert hand_over(message, 2)
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)


class TestOwedKilled:
    """An owed opt-out is sent after the erasure, and then deleted."""

    def ended(self, shop: Shop, listener: Receiver, store: UUID, positions: object) -> None:
        assert set(received(listener)) == {NO}, positions
        assert {each.json["data"]["address"] for each in listener.received} == {None}, positions
        assert (owed_rows(shop), missed_rows(shop, store)) == ([], []), positions

    def test_erasure_request(self, shop: Shop, listener: Receiver) -> None:
        store = known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        send = sending(shop, "DELETE", f"/profiles/{profile_of(shop, ANN)['id']}")
        found = crashes(shop.world, send, outside=[listener.received], deliver=False)
        assert len(found.positions) > 10
        for positions in found:
            assert until_answered(shop.world, send).status == 204, positions
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_sending_owed_opt_out(self, shop: Shop, listener: Receiver) -> None:
        store = known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        shop.world.deliver_outbox()
        erase(shop)
        message, found = working(shop, listener)
        for positions in found:
            assert hand_over(message, 2)
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_recording_refusal_of_owed_opt_out(self, shop: Shop, listener: Receiver) -> None:
        """A new address of the store has it sent again."""
        store = known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        shop.world.deliver_outbox()
        erase(shop)
        listener.answers = [410]
        message, found = working(shop, listener)
        for positions in found:
            listener.received.clear()
            listener.answers = [410]
            assert hand_over(message, 2)
            listener.answers = []
            body = {"url": f"http://{HOOK}/mended"}
            assert sending(shop, "PUT", f"/stores/{store}/write-back", body)().status == 200
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)


class TestFailingKilled:
    """A refused write-back is found, reported to the owner once, and sent again."""

    def refused(self, shop: Shop, listener: Receiver) -> UUID:
        """A store that refused a customer's opt-out."""
        store = known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        listener.answers = [410]
        send_write_backs(shop)
        assert self.failed(shop) == [ANN]
        listener.received.clear()
        return store

    def failed(self, shop: Shop) -> list[str]:
        """The people whose write-backs are listed as failed."""
        listed = shop.owner.call("GET", "/write-backs", query={"status": "failed"}).json
        people = [each["profileId"] for each in listed["items"]]
        known = {profile_of(shop, ANN)["id"]: ANN}
        return [known.get(each, "somebody") for each in people]

    def ended(self, shop: Shop, listener: Receiver, store: UUID, positions: object) -> None:
        assert NO in received(listener), positions
        assert stated_by(shop, store, "c") == "unsubscribed", positions
        assert (self.failed(shop), missed_rows(shop, store)) == ([], []), positions
        assert send_write_backs(shop) == 0, positions

    def test_recording_refusal(self, shop: Shop, listener: Receiver) -> None:
        store = known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        listener.answers = [410]
        message, found = working(shop, listener)
        for positions in found:
            listener.answers = [410]
            assert hand_over(message, 2)
            listener.answers = []
            assert self.failed(shop) == [ANN], positions
            assert len(missed_rows(shop, store)) == 1, positions
            assert len(emails(shop)) == 1, positions

    def test_request_with_new_url(self, shop: Shop, listener: Receiver) -> None:
        store = self.refused(shop, listener)
        send = sending(shop, "PUT", f"/stores/{store}/write-back", {"url": f"http://{HOOK}/mended"})
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.positions) > 10
        for positions in found:
            assert until_answered(shop.world, send).status == 200, positions
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_bulk_retry_request(self, shop: Shop, listener: Receiver) -> None:
        store = self.refused(shop, listener)
        send = sending(shop, "POST", "/write-backs/retry", {"storeId": str(store)})
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.positions) > 10
        for positions in found:
            answer = until_answered(shop.world, send)
            assert (answer.status, answer.json) == (202, {"queued": 1}), positions
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)

    def test_first_success(self, shop: Shop, listener: Receiver) -> None:
        store = self.refused(shop, listener)
        put_customer(shop, store, "o", 5, email=BEN)
        change_consent(shop, BEN, "unsubscribed", 10)
        message, found = working(shop, listener)
        for positions in found:
            assert hand_over(message, 2)
            send_write_backs(shop)
            self.ended(shop, listener, store, positions)
            state = StoreRepository(shop.workspace).get(store)
            assert state is not None
            assert state.failures.since is None, positions

    def test_check_of_failing_store_after_a_day(self, shop: Shop, listener: Receiver) -> None:
        known(shop)
        change_consent(shop, ANN, "unsubscribed", 10)
        [message] = shop.queued()
        listener.answers = [503]
        assert hand_over(message)
        shop.world.deliver_outbox()
        shop.world.advance(hours=25)
        look = next(each for each in shop.queued() if "failingStore" in each)
        work = partial(hand_over, look)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.positions) > 6
        for positions in found:
            assert hand_over(look, 2)
            shop.world.deliver_outbox()
            assert len(emails(shop)) == 1, positions
