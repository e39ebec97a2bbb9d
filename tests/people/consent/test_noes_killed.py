"""Noes that stores missed, killed at any call to AWS: reconnecting, owing, mending, retrying."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from storepost.people.consent.missed import missed_partition
from storepost.stores.stores.repository import StoreRepository
from tests.harness.crash_points import KEY, Crashes, crashes, until_answered
from tests.harness.world import Answer
from tests.people.consent.imports import ANN, BEN, profile_of
from tests.people.consent.listening_store import HOOK, Listener, Shop, hand_over
from tests.people.consent.test_failing_stores import emails
from tests.people.consent.test_no_holds import (
    TestReconnecting,
    erase,
    has,
    owed_rows,
    put,
    say,
    tell,
    told,
    yes,
)

NO = ("unsubscribed", "c")


def known(shop: Shop, email: str = ANN, external_id: str = "c") -> UUID:
    """A store that has somebody as subscribed, and has nothing to be told."""
    store = shop.store()
    put(shop, store, external_id, 5, email=email, **yes(5))
    tell(shop)
    return store


def sending(shop: Shop, method: str, path: str, body: object = None) -> Callable[[], Answer]:
    """A request, always with the same key."""
    return partial(shop.world.call, method, path, token=shop.owner.token, json_body=body, key=KEY)


def working(shop: Shop, listener: Listener) -> tuple[dict[str, str], Crashes]:
    """The one message that waits, and where the worker may die with it."""
    [message] = shop.queued()
    work = partial(hand_over, message)
    found = crashes(shop.world, work, outside=[listener.received], deliver=False)
    assert len(found.places) > 6
    return message, found


def missed(shop: Shop, store: UUID) -> list[Any]:
    """What the store is still to be told."""
    return shop.world.rows(missed_partition(shop.workspace, store))


class TestReconnectingKilled:
    """A store that comes back is told once and for certain what it missed."""

    def missed_one(self, shop: Shop) -> tuple[UUID, dict[str, Any]]:
        """A store that was disconnected while somebody said no, and how it is connected again."""
        store, reconnecting = known(shop), TestReconnecting()
        found = shop.world.call("GET", f"/stores/{store}", token=shop.owner.token).json
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        reconnecting.away(shop, store)
        say(shop, ANN, "unsubscribed", 10)
        return store, {name: found[name] for name in names}

    def ended(self, shop: Shop, listener: Listener, store: UUID, places: object) -> None:
        assert set(told(listener)) == {NO}, places
        assert has(shop, store, "c") == "unsubscribed", places
        assert missed(shop, store) == [], places
        assert tell(shop) == 0, places

    def test_noting_that_it_missed_it(self, shop: Shop, listener: Listener) -> None:
        store, body = self.missed_one(shop)
        message, found = working(shop, listener)
        for places in found:
            assert hand_over(message, 2)
            assert len(missed(shop, store)) == 1, places
            assert sending(shop, "POST", "/stores", body)().status == 200
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_connecting_it(self, shop: Shop, listener: Listener) -> None:
        store, body = self.missed_one(shop)
        tell(shop)
        send = sending(shop, "POST", "/stores", body)
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.places) > 10
        for places in found:
            assert until_answered(shop.world, send).status == 200, places
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_queueing_what_it_missed(self, shop: Shop, listener: Listener) -> None:
        store, body = self.missed_one(shop)
        tell(shop)
        sending(shop, "POST", "/stores", body)()
        message, found = working(shop, listener)
        for places in found:
            assert hand_over(message, 2)
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_telling_it(self, shop: Shop, listener: Listener) -> None:
        store, body = self.missed_one(shop)
        tell(shop)
        sending(shop, "POST", "/stores", body)()
        [waiting] = shop.queued()
        hand_over(waiting)
        message = shop.queued()[-1]
        work = partial(hand_over, message)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.places) > 10
        for places in found:
            assert hand_over(message, 2)
            tell(shop)
            self.ended(shop, listener, store, places)


class TestOwedKilled:
    """A no that a store hasn't taken is told it after an erasure, and forgotten then."""

    def ended(self, shop: Shop, listener: Listener, store: UUID, places: object) -> None:
        assert set(told(listener)) == {NO}, places
        assert {each.json["data"]["address"] for each in listener.received} == {None}, places
        assert (owed_rows(shop), missed(shop, store)) == ([], []), places

    def test_erasing(self, shop: Shop, listener: Listener) -> None:
        store = known(shop)
        say(shop, ANN, "unsubscribed", 10)
        send = sending(shop, "DELETE", f"/profiles/{profile_of(shop, ANN)['id']}")
        found = crashes(shop.world, send, outside=[listener.received], deliver=False)
        assert len(found.places) > 10
        for places in found:
            assert until_answered(shop.world, send).status == 204, places
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_telling(self, shop: Shop, listener: Listener) -> None:
        store = known(shop)
        say(shop, ANN, "unsubscribed", 10)
        shop.world.deliver_outbox()
        erase(shop)
        message, found = working(shop, listener)
        for places in found:
            assert hand_over(message, 2)
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_noting_that_the_store_refused_it(self, shop: Shop, listener: Listener) -> None:
        """Another address of the store has it sent again."""
        store = known(shop)
        say(shop, ANN, "unsubscribed", 10)
        shop.world.deliver_outbox()
        erase(shop)
        listener.answers = [410]
        message, found = working(shop, listener)
        for places in found:
            listener.received.clear()
            listener.answers = [410]
            assert hand_over(message, 2)
            listener.answers = []
            body = {"url": f"http://{HOOK}/mended"}
            assert sending(shop, "PUT", f"/stores/{store}/write-back", body)().status == 200
            tell(shop)
            self.ended(shop, listener, store, places)


class TestFailingKilled:
    """What a store refused is found, told to the owner once, and sent again."""

    def refused(self, shop: Shop, listener: Listener) -> UUID:
        """A store that refused somebody's no."""
        store = known(shop)
        say(shop, ANN, "unsubscribed", 10)
        listener.answers = [410]
        tell(shop)
        assert self.failed(shop) == [ANN]
        listener.received.clear()
        return store

    def failed(self, shop: Shop) -> list[str]:
        """Whose write-backs are listed as failed."""
        query = {"status": "failed"}
        listed = shop.world.call("GET", "/write-backs", token=shop.owner.token, query=query).json
        people = [each["profileId"] for each in listed["items"]]
        known = {profile_of(shop, ANN)["id"]: ANN}
        return [known.get(each, "somebody") for each in people]

    def ended(self, shop: Shop, listener: Listener, store: UUID, places: object) -> None:
        assert NO in told(listener), places
        assert has(shop, store, "c") == "unsubscribed", places
        assert (self.failed(shop), missed(shop, store)) == ([], []), places
        assert tell(shop) == 0, places

    def test_being_refused(self, shop: Shop, listener: Listener) -> None:
        store = known(shop)
        say(shop, ANN, "unsubscribed", 10)
        listener.answers = [410]
        message, found = working(shop, listener)
        for places in found:
            listener.answers = [410]
            assert hand_over(message, 2)
            listener.answers = []
            assert self.failed(shop) == [ANN], places
            assert len(missed(shop, store)) == 1, places
            assert len(emails(shop)) == 1, places

    def test_a_new_address(self, shop: Shop, listener: Listener) -> None:
        store = self.refused(shop, listener)
        body = {"url": f"http://{HOOK}/mended"}
        send = sending(shop, "PUT", f"/stores/{store}/write-back", body)
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.places) > 10
        for places in found:
            assert until_answered(shop.world, send).status == 200, places
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_a_retry_of_all(self, shop: Shop, listener: Listener) -> None:
        store = self.refused(shop, listener)
        send = sending(shop, "POST", "/write-backs/retry", {"storeId": str(store)})
        found = crashes(shop.world, send, outside=[listener.received])
        assert len(found.places) > 10
        for places in found:
            answer = until_answered(shop.world, send)
            assert (answer.status, answer.json) == (202, {"queued": 1}), places
            tell(shop)
            self.ended(shop, listener, store, places)

    def test_the_first_success(self, shop: Shop, listener: Listener) -> None:
        store = self.refused(shop, listener)
        put(shop, store, "o", 5, email=BEN)
        say(shop, BEN, "unsubscribed", 10)
        message, found = working(shop, listener)
        for places in found:
            assert hand_over(message, 2)
            tell(shop)
            self.ended(shop, listener, store, places)
            state = StoreRepository(shop.workspace).get(store)
            assert state is not None
            assert state.failures.since is None, places

    def test_looking_after_a_day(self, shop: Shop, listener: Listener) -> None:
        known(shop)
        say(shop, ANN, "unsubscribed", 10)
        [message] = shop.queued()
        listener.answers = [503]
        assert hand_over(message)
        shop.world.deliver_outbox()
        shop.world.advance(hours=25)
        look = next(each for each in shop.queued() if "failingStore" in each)
        work = partial(hand_over, look)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.places) > 6
        for places in found:
            assert hand_over(look, 2)
            shop.world.deliver_outbox()
            assert len(emails(shop)) == 1, places
