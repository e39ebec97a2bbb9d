"""DELETE /profiles/{id}/identities/{identityId}: nobody has a mistyped address any more."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem
from tests.harness.call_interruption import (
    Side,
    another_container,
    around_calls,
    before_the_commit,
    counted,
)
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.receiver import Receiver
from tests.harness.world import Answer, World
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    send_write_backs,
    state_of,
    subscribed,
)
from tests.people.consent.imports import ANN, BEN, CAT, history_of, profile_of, upserted
from tests.people.consent.imports import send as send_rows
from tests.people.consent.listening_store import Shop

PHONE = "+436601234567"


def person_with(shop: Shop, *emails: str, **more: object) -> dict[str, Any]:
    """A profile that has these addresses; the last one is shown."""
    first, *others = emails
    person = upserted(shop, email=first, **more)
    for email in others:
        answer = shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": email})
        assert answer.status == 200, answer.body
        person = answer.json
    return dict(person)


def identities(shop: Shop, person: dict[str, Any]) -> dict[str, str]:
    """The ids of a profile's identities by their values."""
    listed = shop.owner.call("GET", f"/profiles/{person['id']}/identities").json
    return {each["value"]: each["id"] for each in listed["items"]}


def remove(shop: Shop, person: dict[str, Any], value: str, **more: Any) -> Answer:
    """Removes the identity of that value from a profile."""
    path = f"/profiles/{person['id']}/identities/{identities(shop, person)[value]}"
    return shop.owner.call("DELETE", path, **more)


def read(shop: Shop, person: dict[str, Any]) -> dict[str, Any]:
    """A profile as it is."""
    return dict(shop.owner.call("GET", f"/profiles/{person['id']}").json)


class TestRemoval:
    """Nobody has the address from then on."""

    def test_upsert_with_removed_address_creates_new_profile(self, shop: Shop) -> None:
        person = person_with(shop, BEN, ANN)
        answer = remove(shop, person, BEN)
        assert (answer.status, answer.body) == (204, b"")
        assert list(identities(shop, person)) == [ANN]
        claim = claim_key(shop.workspace, Identity(IdentityType.EMAIL, BEN))
        assert shop.world.rows(claim[0]) == []
        stranger = upserted(shop, email=BEN)
        assert stranger["id"] != person["id"]
        assert profile_of(shop, BEN)["id"] == stranger["id"]
        assert profile_of(shop, ANN)["id"] == person["id"]

    def test_customer_with_removed_address_creates_new_profile(self, shop: Shop) -> None:
        person = person_with(shop, BEN, ANN)
        remove(shop, person, BEN)
        put_customer(shop, shop.store(listens=False), "stranger", 5, email=BEN)
        assert profile_of(shop, BEN)["id"] != person["id"]
        assert read(shop, person)["stores"] == []

    def test_shown_address_is_replaced_by_another(self, shop: Shop) -> None:
        change_consent(shop, ANN, "subscribed")
        person = person_with(shop, ANN, BEN)
        shown = read(shop, person)
        assert (shown["email"], shown["emailMarketingConsent"]) == (BEN, "not_subscribed")
        remove(shop, person, BEN)
        after = read(shop, person)
        assert (after["email"], after["emailMarketingConsent"]) == (ANN, "subscribed")

    def test_address_of_store_customer_is_preferred_as_replacement(self, shop: Shop) -> None:
        person = person_with(shop, f"first.{ANN}", ANN)
        put_customer(shop, shop.store(listens=False), "c", 5, email=ANN)
        answer = shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": BEN})
        assert answer.json["email"] == BEN
        remove(shop, person, BEN)
        assert read(shop, person)["email"] == ANN

    def test_no_address_is_shown_without_another(self, shop: Shop) -> None:
        person = person_with(shop, ANN, phone=PHONE)
        change_consent(shop, ANN, "subscribed")
        remove(shop, person, ANN)
        after = read(shop, person)
        assert (after["email"], after["emailMarketingConsent"]) == (None, "not_subscribed")
        assert after["phone"] == PHONE

    def test_removing_hidden_address_does_not_change_profile(self, shop: Shop) -> None:
        person = person_with(shop, BEN, ANN)
        before = read(shop, person)
        remove(shop, person, BEN)
        assert read(shop, person) == before

    def test_search_no_longer_finds_profile_by_address(self, shop: Shop) -> None:
        person = person_with(shop, BEN, phone=PHONE)
        shop.world.deliver()
        query = {"q": BEN}
        found = shop.owner.call("GET", "/search", query=query).json
        assert str(person["id"]) in str(found)
        remove(shop, person, BEN)
        shop.world.deliver()
        found = shop.owner.call("GET", "/search", query=query).json
        assert str(person["id"]) not in str(found)

    def test_lists_are_updated(self, shop: Shop) -> None:
        person = person_with(shop, ANN, phone=PHONE)
        remove(shop, person, ANN)
        listed = shop.owner.call("GET", "/profiles", query={"sort": "email"}).json
        assert [(each["id"], each["email"]) for each in listed["items"]] == [(person["id"], None)]

    def test_address_of_merged_profile_before_worker_runs(self, shop: Shop) -> None:
        survivor, merged = person_with(shop, ANN), person_with(shop, BEN)
        path, body = f"/profiles/{survivor['id']}/merge", {"profileId": merged["id"]}
        assert shop.owner.call("POST", path, body).status == 200
        assert remove(shop, survivor, BEN).status == 204
        shop.world.deliver()
        assert upserted(shop, email=BEN)["id"] not in {survivor["id"], merged["id"]}


class TestConsentAfterRemoval:
    """The state belongs to the address and stays; the history stays with the profile."""

    def test_unsubscription_holds_for_next_profile(self, shop: Shop, listener: Receiver) -> None:
        person = person_with(shop, ANN, BEN)
        no = change_consent(shop, BEN, "unsubscribed", 10)
        remove(shop, person, BEN)
        [change] = history_of(shop, person)
        assert (change["id"], change["address"]) == (no["id"], BEN)
        store = shop.store()
        put_customer(shop, store, "stranger", 20, **{**subscribed(5), "email": BEN})
        assert state_of(shop, BEN) == "unsubscribed"
        send_write_backs(shop)
        assert listener.states == ["unsubscribed"]

    def test_later_statement_belongs_to_new_profile(self, shop: Shop) -> None:
        person = person_with(shop, ANN, BEN)
        change_consent(shop, BEN, "unsubscribed", 10)
        remove(shop, person, BEN)
        change_consent(shop, BEN, "subscribed", 20)
        stranger = profile_of(shop, BEN)
        assert [each["state"] for each in history_of(shop, stranger)] == ["subscribed"]
        assert read(shop, person)["emailMarketingConsent"] == "not_subscribed"

    def test_stores_of_former_profile_get_no_write_back(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, email=ANN)
        person = profile_of(shop, ANN)
        shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": BEN})
        remove(shop, person, BEN)
        upserted(shop, email=BEN)
        change_consent(shop, BEN, "unsubscribed", 10)
        send_write_backs(shop)
        assert listener.received == []


class TestRefused:
    """A customer's identity can't be removed, nor can the last one."""

    def test_identity_of_customer_is_refused(self, shop: Shop) -> None:
        put_customer(shop, shop.store(listens=False), "c", 5, email=ANN, phone=PHONE)
        person = profile_of(shop, ANN)
        for value in (ANN, PHONE, "c"):
            assert remove(shop, person, value).problem() == (409, "identity_of_customer")
        assert set(identities(shop, person)) == {ANN, PHONE, "c"}

    def test_deleted_customers_address_is_removable_but_not_id(self, shop: Shop) -> None:
        store = shop.store(listens=False)
        put_customer(shop, store, "c", 5, email=ANN)
        person = profile_of(shop, ANN)
        assert shop.owner.call("DELETE", f"/stores/{store}/customers/c").status == 204
        assert remove(shop, person, ANN).status == 204
        assert remove(shop, person, "c").problem() == (409, "identity_of_customer")

    def test_last_identity_is_refused(self, shop: Shop) -> None:
        person = person_with(shop, ANN)
        assert remove(shop, person, ANN).problem() == (409, "last_identity")
        assert profile_of(shop, ANN)["id"] == person["id"]

    def test_removal_is_idempotent(self, shop: Shop) -> None:
        person = person_with(shop, BEN, ANN)
        path = f"/profiles/{person['id']}/identities/{identities(shop, person)[BEN]}"
        for _ in range(2):
            assert shop.owner.call("DELETE", path).status == 204

    def test_identity_of_other_profile_is_not_found(self, shop: Shop) -> None:
        person, other = person_with(shop, BEN, ANN), person_with(shop, f"other.{ANN}")
        for identity in (identities(shop, other)[f"other.{ANN}"], uuid4()):
            answer = shop.owner.call("DELETE", f"/profiles/{person['id']}/identities/{identity}")
            assert answer.problem() == (404, "not_found")
        assert profile_of(shop, f"other.{ANN}")["id"] == other["id"]


class TestCrashesAndRaces:
    """With concurrent writers, and killed at any call."""

    def beside(self, shop: Shop, meanwhile: Callable[[], object]) -> tuple[dict[str, Any], Answer]:
        """Removes a profile's address while another writer acts."""
        person = person_with(shop, BEN, ANN, CAT)
        path = f"/profiles/{person['id']}/identities/{identities(shop, person)[BEN]}"
        with before_the_commit(meanwhile):
            answer = shop.owner.call("DELETE", path)
        return person, answer

    def test_concurrent_new_customer_with_address_refuses_removal(self, shop: Shop) -> None:
        store = shop.store(listens=False)
        _, answer = self.beside(shop, lambda: put_customer(shop, store, "c", 5, email=BEN))
        assert answer.problem() == (409, "identity_of_customer")

    def test_concurrent_known_customer_with_address_refuses_removal(self, shop: Shop) -> None:
        """Also if that changes nothing else: neither the shown address nor when it was seen."""
        store = shop.store(listens=False)
        person_with(shop, BEN, ANN, CAT)
        for email in (BEN, ANN):
            put_customer(shop, store, "c", 5, email=email)
        _, answer = self.beside(shop, lambda: put_customer(shop, store, "c", 5, email=BEN))
        assert answer.problem() == (409, "identity_of_customer")

    def test_removal_between_reads_of_another_request(self, shop: Shop) -> None:
        """The request reads the claim before, and the profile after: the address is nobody's."""
        person = person_with(shop, BEN, ANN)
        identity = identities(shop, person)[BEN]
        upsert = partial(upserted, shop, email=BEN)
        restore = shop.world.checkpoint()
        reads = [n for n, name in enumerate(counted(upsert), 1) if name == "BatchGetItem"]
        assert len(reads) > 1
        for place in reads:
            restore()

            def meanwhile(number: int, _name: str, side: Side, place: int = place) -> None:
                if (number, side) == (place, Side.BEFORE):
                    path = f"/profiles/{person['id']}/identities/{identity}"
                    with another_container():
                        answer = shop.owner.call("DELETE", path)
                    assert answer.status == 204

            with around_calls(meanwhile):
                other = upsert()
            assert other["id"] != person["id"], place
            assert list(identities(shop, person)) == [ANN], place
            assert profile_of(shop, BEN)["id"] == other["id"], place

    @pytest.mark.parametrize("is_subscribed", [False, True])
    def test_killed_at_any_call(self, world: World, shop: Shop, *, is_subscribed: bool) -> None:
        """The claim of an address with statements is kept for a day, without a profile."""
        person = person_with(shop, BEN, ANN)
        if is_subscribed:
            row = {"email": BEN, "state": "subscribed", "occurredAt": "2026-01-01T00:00:00Z"}
            assert send_rows(shop, [row]).json["recorded"] == 1
        path = f"/profiles/{person['id']}/identities/{identities(shop, person)[BEN]}"

        def send() -> Answer:
            return shop.owner.call("DELETE", path, key=KEY)

        found = crashes(world, send)
        assert len(found.positions) > 6
        for positions in found:
            assert until_answered(world, send).status == 204, positions
            profile = ProfileRepository(shop.workspace).get(UUID(person["id"]))
            assert profile is not None
            assert [each.value for each in profile.identities] == [ANN]
            claim = claim_key(shop.workspace, Identity(IdentityType.EMAIL, BEN))
            remaining = world.rows(claim[0])
            assert len(remaining) == is_subscribed, positions
            assert all(isinstance(row, IdentityItem) and row.expiration for row in remaining)
            stranger = upserted(shop, email=BEN)
            assert (stranger["id"] == person["id"], stranger["emailMarketingConsent"]) == (
                False,
                "subscribed" if is_subscribed else "not_subscribed",
            )
