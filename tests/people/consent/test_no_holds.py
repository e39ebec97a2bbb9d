"""A no holds everywhere: each way in which somebody who said no could be mailed on."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from local.events.pumps import pump_queue
from storepost.people.consent import resending
from storepost.people.consent.missed import missed_partition
from storepost.people.consent.model import Address
from storepost.people.consent.owed import OwedOptOutItem
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.rows import IdentityItem
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue
from storepost.platform.messaging.relay import relay
from storepost.values import clock
from tests.harness.world import Answer
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
from tests.people.consent.listening_store import Listener, Shop

QUEUE = "WriteBackQueue"
LATER = clock.to_text(clock.now() + timedelta(days=30_000))


def put(shop: Shop, store: UUID, external_id: str, minutes: float = 0, **given: object) -> Answer:
    """Puts a store's customer that is as it is since a minute of last year."""
    moments = {"externalCreatedAt": at(0), "externalUpdatedAt": at(minutes)}  # type: ignore[arg-type]
    path = f"/stores/{store}/customers/{external_id}"
    body = {**moments, "email": ANN, **given}
    answer = shop.world.call("PUT", path, token=shop.owner.token, json_body=body)
    assert answer.status in {200, 201}, answer.body
    return answer


def yes(minutes: int | None = None, **more: object) -> dict[str, object]:
    """What a store gives of somebody subscribed, since a minute or undated."""
    dated = {} if minutes is None else {"emailMarketingConsentUpdatedAt": at(minutes)}
    return {"emailMarketingConsent": "subscribed", **dated, **more}


def say(shop: Shop, email: str, state: str, minutes: int | None = None) -> dict[str, Any]:
    """The change that a request makes of an address, whoever has it."""
    when = {} if minutes is None else {"occurredAt": at(minutes)}
    path = f"/profiles/{upserted(shop, email=email)['id']}/consent/email"
    answer = shop.world.call(
        "PUT", path, token=shop.owner.token, json_body={"state": state, **when}
    )
    assert answer.status == 200, answer.body
    return dict(answer.json)


def tell(shop: Shop) -> int:
    """Hands the worker what waits for it, until nothing does; how many messages that were."""
    done = 0
    while taken := _relayed(shop) and pump_queue(QUEUE):
        done += taken
    assert shop.world.queue_depth(QUEUE) == 0
    return done


def _relayed(shop: Shop) -> bool:
    """Sends what is due, also what waited for its time; a sweep would do so later."""
    shop.world.relay()
    for each in shop.world.rows(PARTITION):
        if isinstance(each, OutboxItem) and each.queue == Queue.WRITE_BACKS and each.is_due:
            relay(each)
    return True


def state_of(shop: Shop, email: str = ANN) -> str:
    """What the address's profile shows."""
    return str(profile_of(shop, email)["emailMarketingConsent"])


def has(shop: Shop, store: UUID, external_id: str) -> str:
    """What counts as given by a store."""
    found = shop.world.call(
        "GET",
        "/profiles",
        token=shop.owner.token,
        query={"storeId": str(store), "externalId": external_id},
    )
    [person] = found.json["items"]
    path = f"/profiles/{person['id']}/customers"
    rows = shop.world.call("GET", path, token=shop.owner.token).json["items"]
    [one] = [each for each in rows if each["externalId"] == external_id]
    return str(one["emailMarketingConsent"])


def told(listener: Listener) -> list[tuple[str, str]]:
    """What stores were told: the state, and of which customer."""
    data = [each.json["data"] for each in listener.received]
    return [(one["state"], c["externalId"]) for one in data for c in one["customers"]]


class TestWhatCannotBeProven:
    """`subscribed` that can't be proven to be later doesn't override `unsubscribed`."""

    @pytest.mark.parametrize(
        "more",
        [{"occurredAt": LATER}, {"occurredAt": LATER, "proof": PROOF}, {}],
        ids=["future", "future, with proof", "without proof"],
    )
    def test_an_import(self, shop: Shop, more: dict[str, Any]) -> None:
        say(shop, ANN, "unsubscribed", 10)
        assert counts(shop, row(ANN, "subscribed", 20, **more)) == (0, 0, 1)
        assert state_of(shop) == "unsubscribed"

    def test_an_import_with_proof(self, shop: Shop) -> None:
        say(shop, ANN, "unsubscribed", 10)
        assert counts(shop, row(ANN, "subscribed", 20, proof=PROOF)) == (1, 0, 0)
        assert state_of(shop) == "subscribed"

    def test_a_store_that_dates_it_in_the_future(self, shop: Shop) -> None:
        say(shop, ANN, "unsubscribed", 10)
        put(shop, shop.store(), "c", 20, **yes(emailMarketingConsentUpdatedAt=LATER))
        assert state_of(shop) == "unsubscribed"

    @pytest.mark.parametrize("state", ["unsubscribed", "not_subscribed"])
    @pytest.mark.parametrize("minutes", [25, None], ids=["dated", "by the record"])
    def test_what_a_store_says_after_it_dated_a_yes_in_the_future(
        self, shop: Shop, state: str, minutes: int | None
    ) -> None:
        """A store's wrong clock makes nothing that comes after it too old to count."""
        store = shop.store()
        put(shop, store, "c", 20, **yes(emailMarketingConsentUpdatedAt=LATER))
        assert state_of(shop) == "subscribed"
        put(shop, store, "c", 25, **{**yes(minutes), "emailMarketingConsent": state})
        assert state_of(shop) == "unsubscribed"

    def test_an_unsubscription_of_the_future_counts_as_now(self, shop: Shop) -> None:
        say(shop, ANN, "subscribed")
        given = {"emailMarketingConsent": "unsubscribed", "emailMarketingConsentUpdatedAt": LATER}
        put(shop, shop.store(), "c", 20, **given)
        assert state_of(shop) == "unsubscribed"
        [change, _] = history_of(shop, profile_of(shop, ANN))
        assert change["occurredAt"] <= clock.to_text(clock.now())


class TestStoresThatMissedIt:
    """A store that has, or comes with, a yes where a no holds is told the no."""

    def check(self, shop: Shop, listener: Listener, store: UUID, external_id: str = "c") -> None:
        """The store is told of the no that holds, and takes it."""
        assert told(listener)[-1] == ("unsubscribed", external_id)
        assert has(shop, store, external_id) == "unsubscribed"
        assert state_of(shop) == "unsubscribed"
        assert tell(shop) == 0

    @pytest.mark.parametrize("consent_at", [5, None], ids=["older", "undated"])
    def test_connected_later(self, shop: Shop, listener: Listener, consent_at: int | None) -> None:
        no = say(shop, ANN, "unsubscribed", 10)
        store = shop.store()
        put(shop, store, "c", 20, **yes(consent_at))
        [word, held] = history_of(shop, profile_of(shop, ANN))
        assert [each["skipReason"] for each in word["writeBacks"]] == ["superseded"]
        assert (held["id"], held["writeBacks"][0]["status"]) == (no["id"], "pending")
        assert tell(shop) == 1
        self.check(shop, listener, store)

    def test_drifted_back_undated(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        for minute in (20, 21):
            put(shop, store, "c", minute, **yes())
            assert tell(shop) == 1
            self.check(shop, listener, store)
        ids = [each.headers["webhook-id"] for each in listener.received]
        assert len(set(ids)) == len(ids) == 3

    def test_the_same_again_tells_nobody(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        say(shop, ANN, "unsubscribed", 10)
        put(shop, store, "c", 20, **yes())
        assert put(shop, store, "c", 20, **yes()).status == 200
        assert tell(shop) == 1
        self.check(shop, listener, store)

    def test_a_store_that_never_gives_in_is_left_to_people(
        self, shop: Shop, listener: Listener
    ) -> None:
        store = shop.store()
        no = say(shop, ANN, "unsubscribed", 10)
        for minute in range(25):
            put(shop, store, "c", 20 + minute, **yes())
            tell(shop)
        assert len(listener.received) == 20
        person = profile_of(shop, ANN)
        [write_back] = history_of(shop, person)[-1]["writeBacks"]
        assert (write_back["status"], bool(write_back["error"])) == ("failed", True)
        path = f"/profiles/{person['id']}/consent/{no['id']}/write-backs/{store}/retry"
        assert shop.world.call("POST", path, token=shop.owner.token).status == 200
        assert tell(shop) == 1
        self.check(shop, listener, store)

    def test_deleted_there_and_back(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        path = f"/stores/{store}/customers/c"
        assert shop.world.call("DELETE", path, token=shop.owner.token).status == 204
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        put(shop, store, "c", 20, **yes(5))
        assert tell(shop) == 1
        self.check(shop, listener, store)

    def test_an_address_that_somebody_had_before(self, shop: Shop, listener: Listener) -> None:
        """The no is in the history of somebody who has another address now."""
        person = upserted(shop, email=ANN)
        say(shop, ANN, "unsubscribed", 10)
        shop.world.call(
            "PATCH", f"/profiles/{person['id']}", token=shop.owner.token, json_body={"email": BEN}
        )
        free(shop, ANN)
        store = shop.store()
        put(shop, store, "c", 20, **yes(5))
        assert profile_of(shop, ANN)["id"] != person["id"]
        assert tell(shop) == 1
        self.check(shop, listener, store)


def free(shop: Shop, email: str) -> None:
    """Makes an address nobody's, as when somebody takes it off a profile."""
    identity = Identity(IdentityType.EMAIL, email)
    IdentityItem(*claim_key(shop.workspace, identity)).delete()


class TestUntickedBoxes:
    """`not_subscribed` from the store that gave `subscribed` last is a no."""

    @pytest.mark.parametrize("minutes", [15, None], ids=["dated", "by the record"])
    def test_by_put(self, shop: Shop, listener: Listener, minutes: int | None) -> None:
        store, other = shop.store(), shop.store()
        put(shop, store, "c", 5, **yes(5))
        put(shop, other, "o", 5, **yes(5))
        tell(shop)
        listener.received.clear()
        put(shop, store, "c", 20, **{**yes(minutes), "emailMarketingConsent": "not_subscribed"})
        [change, *_] = history_of(shop, profile_of(shop, ANN))
        assert change["state"] == "unsubscribed"
        assert change["occurredAt"] == at(minutes or 20)
        tell(shop)
        assert told(listener) == [("unsubscribed", "o")]
        assert state_of(shop) == "unsubscribed"

    def test_a_record_of_before_it_took_our_yes(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 20, emailMarketingConsent="not_subscribed")
        say(shop, ANN, "subscribed", 10)
        tell(shop)
        assert has(shop, store, "c") == "subscribed"
        put(shop, store, "c", 20, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"
        put(shop, store, "c", 21, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "unsubscribed"
        assert told(listener) == [("subscribed", "c")]

    def test_never_ticked(self, shop: Shop) -> None:
        put(shop, shop.store(), "c", 5, emailMarketingConsent="not_subscribed")
        say(shop, ANN, "subscribed", 2)
        put(shop, shop.store(), "o", 6, emailMarketingConsent="not_subscribed")
        assert state_of(shop) == "subscribed"


class TestSaidAgainLater:
    """The same state with a later consent time is another value: what came between is older."""

    @pytest.mark.parametrize("said", ["subscribed", "unsubscribed"])
    def test_what_came_between_yields(self, shop: Shop, listener: Listener, said: str) -> None:
        """As where the store never heard of that."""
        store = shop.store()
        between = "unsubscribed" if said == "subscribed" else "subscribed"
        put(shop, store, "c", 5, **{**yes(5), "emailMarketingConsent": said})
        say(shop, ANN, between, 10)
        put(shop, store, "c", 15, **{**yes(5), "emailMarketingConsent": said})
        assert state_of(shop) == between
        put(shop, store, "c", 20, **{**yes(15), "emailMarketingConsent": said})
        assert state_of(shop) == said

    @pytest.mark.parametrize("at", [None, LATER], ids=["undated", "future"])
    def test_not_without_a_time_that_counts(self, shop: Shop, at: str | None) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        put(shop, store, "c", 20, **{**yes(), "emailMarketingConsentUpdatedAt": at})
        assert state_of(shop) == "unsubscribed"

    def test_not_what_a_store_took_and_sends_back_under_its_own_time(
        self, shop: Shop, listener: Listener
    ) -> None:
        """A yes that comes back late would end the no that was said meanwhile."""
        store = shop.store()
        put(shop, store, "c", 5, emailMarketingConsent="not_subscribed")
        say(shop, ANN, "subscribed", 10)
        tell(shop)
        say(shop, ANN, "unsubscribed", 12)
        put(shop, store, "c", 20, **yes(13))
        assert state_of(shop) == "unsubscribed"


class TestDatedLateEnough:
    """A no is told with a time after all that the store has: a shop takes nothing older."""

    def told_at(self, listener: Listener) -> str:
        """When the no was said, as the store was told last."""
        data = listener.received[-1].json["data"]
        assert data["state"] == "unsubscribed"
        return str(data["occurredAt"])

    def test_said_again(self, shop: Shop, listener: Listener) -> None:
        """The change is from when it was said first; the address counts the last time."""
        put(shop, shop.store(), "c", 5, **yes(5))
        no = say(shop, ANN, "unsubscribed", 10)
        assert say(shop, ANN, "unsubscribed", 30) == no
        tell(shop)
        assert self.told_at(listener) == at(30)

    def test_said_again_by_somebody_who_was_erased_since(
        self, shop: Shop, listener: Listener
    ) -> None:
        put(shop, shop.store(), "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        say(shop, ANN, "unsubscribed", 30)
        erase(shop)
        tell(shop)
        assert self.told_at(listener) == at(30)

    def test_to_who_has_a_later_yes_that_does_not_count(
        self, shop: Shop, listener: Listener
    ) -> None:
        """It is from before an address that they had before was unsubscribed."""
        store = shop.store()
        put(shop, store, "c", 5, email=BEN, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        say(shop, BEN, "unsubscribed", 20)
        put(shop, store, "c", 21, **yes(15))
        assert state_of(shop) == "unsubscribed"
        tell(shop)
        assert self.told_at(listener) > at(15)
        assert has(shop, store, "c") == "unsubscribed"


class TestAnotherAddress:
    """What was said of an address that was unsubscribed since isn't said of the next one."""

    @pytest.mark.parametrize("consent_at", [5, None], ids=["before", "undated"])
    def test_said_before(self, shop: Shop, consent_at: int | None) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        put(shop, store, "c", 20, email=BEN, **yes(consent_at))
        assert state_of(shop, BEN) == "not_subscribed"
        put(shop, store, "c", 21, email=f"new.{BEN}", **yes(consent_at))
        assert state_of(shop, f"new.{BEN}") == "not_subscribed"

    def test_said_after(self, shop: Shop) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        put(shop, store, "c", 20, email=BEN, **yes(11))
        assert state_of(shop, BEN) == "subscribed"


class TestTwoCustomersWithOneAddress:
    """The store that has the address is told, whoever's profile its customer belongs to."""

    def test_each_store_is_told(self, shop: Shop, listener: Listener) -> None:
        mine, theirs = shop.store(), shop.store()
        put(shop, mine, "c", 5, **yes(5))
        put(shop, theirs, "o", 5, email=BEN, **yes(5))
        put(shop, theirs, "o", 6, **yes(5))
        assert profile_of(shop, ANN)["id"] != profile_of(shop, BEN)["id"]
        tell(shop)
        listener.received.clear()
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        assert sorted(told(listener)) == [("unsubscribed", "c"), ("unsubscribed", "o")]
        assert (has(shop, mine, "c"), has(shop, theirs, "o")) == ("unsubscribed",) * 2

    def test_not_once_it_has_another_address(self, shop: Shop, listener: Listener) -> None:
        mine, theirs = shop.store(), shop.store()
        put(shop, mine, "c", 5, **yes(5))
        put(shop, theirs, "o", 5, email=BEN, **yes(5))
        put(shop, theirs, "o", 6, **yes(5))
        put(shop, theirs, "o", 7, email=BEN, **yes(5))
        tell(shop)
        listener.received.clear()
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        assert told(listener) == [("unsubscribed", "c")]

    def test_two_of_one_store(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        put(shop, store, "o", 5, **yes(5))
        listener.received.clear()
        put(shop, store, "c", 20, **{**yes(15), "emailMarketingConsent": "unsubscribed"})
        tell(shop)
        assert ("unsubscribed", "o") in told(listener)
        assert has(shop, store, "o") == "unsubscribed"


class TestReconnecting:
    """A store that is connected again is told what it missed and still holds."""

    def away(self, shop: Shop, store: UUID) -> None:
        """Disconnects the store."""
        path = f"/stores/{store}/disconnect"
        assert shop.world.call("POST", path, token=shop.owner.token).status == 200

    def back(self, shop: Shop, store: UUID) -> None:
        """Connects the store again."""
        path = f"/stores/{store}"
        known = shop.world.call("GET", path, token=shop.owner.token).json
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        body = {name: known[name] for name in names}
        answer = shop.world.call("POST", "/stores", token=shop.owner.token, json_body=body)
        assert (answer.status, answer.json["id"]) == (200, str(store))

    def test_what_holds_is_queued_again(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        put(shop, store, "o", 5, email=BEN, **yes(5))
        tell(shop)
        self.away(shop, store)
        say(shop, ANN, "unsubscribed", 10)
        say(shop, BEN, "unsubscribed", 10)
        say(shop, BEN, "subscribed", 11)
        tell(shop)
        assert listener.received == []
        self.back(shop, store)
        tell(shop)
        assert sorted(told(listener)) == [("subscribed", "o"), ("unsubscribed", "c")]
        assert (has(shop, store, "c"), has(shop, store, "o")) == ("unsubscribed", "subscribed")
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_more_than_a_transaction_takes(
        self, shop: Shop, listener: Listener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resending, "MAX_CHANGES", 2)
        store, people = shop.store(), [f"{n}.{ANN}" for n in range(5)]
        for number, email in enumerate(people):
            put(shop, store, f"c{number}", 5, email=email, **yes(5))
        tell(shop)
        self.away(shop, store)
        for email in people:
            say(shop, email, "unsubscribed", 10)
        tell(shop)
        self.back(shop, store)
        tell(shop)
        assert sorted(told(listener)) == [("unsubscribed", f"c{n}") for n in range(5)]

    def test_by_hand(self, shop: Shop, listener: Listener) -> None:
        """A retry of what was skipped for a reason that is over."""
        store = shop.store(listens=False)
        put(shop, store, "c", 5, **yes(5))
        no = say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        person = profile_of(shop, ANN)["id"]
        path = f"/profiles/{person}/consent/{no['id']}/write-backs/{store}/retry"
        shop.secret(store)
        assert shop.world.call("POST", path, token=shop.owner.token).status == 200
        tell(shop)
        assert told(listener) == [("unsubscribed", "c")]
        again = shop.world.call("POST", path, token=shop.owner.token)
        assert again.problem() == (409, "write_back_not_failed")


def erase(shop: Shop, email: str = ANN) -> None:
    """Erases whoever has the address."""
    path = f"/profiles/{profile_of(shop, email)['id']}"
    assert shop.world.call("DELETE", path, token=shop.owner.token).status == 204


class TestErasure:
    """The hash says when: only what is dated later subscribes the address again."""

    @pytest.fixture(params=["before the worker", "after the worker"])
    def erased(self, shop: Shop, request: pytest.FixtureRequest) -> str:
        """A moment after the erasure of somebody who had said no."""
        say(shop, ANN, "unsubscribed", 10)
        erase(shop)
        if request.param == "after the worker":
            shop.world.deliver()
        shop.world.advance(minutes=2)
        return clock.to_text(clock.now() - timedelta(minutes=1))

    def test_a_request_about_before(self, shop: Shop, erased: str) -> None:
        change = say(shop, ANN, "subscribed", 20)
        assert (change["state"], change["occurredAt"]) == ("subscribed", at(20))
        assert state_of(shop) == "not_subscribed"
        assert history_of(shop, profile_of(shop, ANN)) == [change]
        now = say(shop, ANN, "subscribed")
        assert now["id"] != change["id"]
        assert state_of(shop) == "subscribed"
        assert say(shop, ANN, "subscribed", 21) == now

    def test_a_store_that_dates_it_later(self, shop: Shop, erased: str) -> None:
        store = shop.store()
        put(shop, store, "c", 20, **yes(20))
        assert state_of(shop) == "not_subscribed"
        put(shop, store, "c", 21, **yes(20, locale="de"))
        assert state_of(shop) == "not_subscribed"
        put(shop, store, "c", 22, **yes(emailMarketingConsentUpdatedAt=erased))
        assert state_of(shop) == "subscribed"

    def test_another_store_that_dates_it_later(self, shop: Shop, erased: str) -> None:
        put(shop, shop.store(), "c", 20, **yes(20))
        put(shop, shop.store(), "o", 21, **yes(emailMarketingConsentUpdatedAt=erased))
        assert state_of(shop) == "subscribed"

    @pytest.mark.parametrize("proof", [None, PROOF])
    def test_an_import_that_dates_it_later(
        self, shop: Shop, erased: str, proof: dict[str, str] | None
    ) -> None:
        word = {"email": ANN, "state": "subscribed", "occurredAt": erased}
        assert counts(shop, {**word, "proof": proof}) == ((1, 0, 0) if proof else (0, 0, 1))

    def test_undated_never(self, shop: Shop, erased: str) -> None:
        put(shop, shop.store(), "c", 20, **yes())
        assert state_of(shop) == "not_subscribed"


class TestErasureOfWhoHadTheAddress:
    """Somebody else has the address now, and the change that holds is the erased person's."""

    def test_a_yes_that_came_in_vain_counts_no_more_than_before(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        say(shop, ANN, "unsubscribed", 10)
        path, token = f"/profiles/{person['id']}", shop.owner.token
        shop.world.call("PATCH", path, token=token, json_body={"email": BEN})
        before = shop.profile(UUID(person["id"]))
        left = {each: seen for each, seen in before.sightings.items() if each.value != ANN}
        shop.save(before, replace(before, sightings=left))
        free(shop, ANN)
        put(shop, shop.store(), "c", 20, **yes())
        assert state_of(shop) == "unsubscribed"
        assert shop.world.call("DELETE", path, token=token).status == 204
        shop.world.deliver()
        put(shop, shop.store(), "o", 21, **yes(15))
        held = ConsentRepository(shop.workspace).consent_of(Address(Channel.EMAIL, ANN))
        assert held.state is ConsentState.NOT_SUBSCRIBED


def owed_rows(shop: Shop) -> list[OwedOptOutItem]:
    """What is kept for stores of people who were erased."""
    return [row for row in shop.world.rows() if isinstance(row, OwedOptOutItem)]


class TestOwedAfterErasure:
    """A no that a store hasn't taken yet is told it after the erasure all the same."""

    @pytest.mark.parametrize("is_worked", [True, False])
    def test_one_that_waits(self, shop: Shop, listener: Listener, is_worked: bool) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        tell(shop)
        no = say(shop, ANN, "unsubscribed", 10)
        erase(shop)
        if is_worked:
            shop.world.deliver()
        tell(shop)
        [received] = listener.received
        data = received.json["data"]
        assert (data["changeId"], data["state"], data["address"]) == (
            no["id"],
            "unsubscribed",
            None,
        )
        assert data["customers"] == [{"externalId": "c"}]
        assert owed_rows(shop) == []

    def test_one_that_failed(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        tell(shop)
        listener.answers = [410, 204]
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        erase(shop)
        [row] = owed_rows(shop)
        assert ANN not in repr(row.attribute_values)
        shop.world.deliver()
        assert told(listener) == [("unsubscribed", "c")] * 2
        assert owed_rows(shop) == []

    def test_a_store_that_is_away(self, shop: Shop, listener: Listener) -> None:
        store, reconnecting = shop.store(), TestReconnecting()
        put(shop, store, "c", 5, **yes(5))
        tell(shop)
        reconnecting.away(shop, store)
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        erase(shop)
        shop.world.deliver()
        assert listener.received == []
        assert len(owed_rows(shop)) == 1
        reconnecting.back(shop, store)
        shop.world.deliver()
        assert told(listener) == [("unsubscribed", "c")]
        assert owed_rows(shop) == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_one_that_subscribed_anew(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        tell(shop)
        say(shop, ANN, "unsubscribed", 10)
        erase(shop)
        shop.world.advance(minutes=2)
        since = clock.to_text(clock.now())
        put(shop, store, "c", 20, **yes(emailMarketingConsentUpdatedAt=since))
        shop.world.deliver()
        assert told(listener) == []
        assert owed_rows(shop) == []
        assert state_of(shop) == "subscribed"

    def test_what_it_took_already_is_not_kept(self, shop: Shop, listener: Listener) -> None:
        store = shop.store()
        put(shop, store, "c", 5, **yes(5))
        say(shop, ANN, "unsubscribed", 10)
        tell(shop)
        listener.received.clear()
        erase(shop)
        assert owed_rows(shop) == []
        shop.world.deliver()
        assert listener.received == []
