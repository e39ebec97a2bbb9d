"""DELETE /profiles/{id}, and what is left of an erased person: nothing that names them."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.orders.repository import OrderItem
from storepost.people.consent.items import ConsentAddressItem, ErasedAddressItem
from storepost.people.customers.repository import CustomerItem
from storepost.people.events.rows import OrderPointerItem
from storepost.people.profiles import erasing as profile_rows
from storepost.people.profiles import repository as profile_repository
from storepost.people.profiles.erased_names import opened_words
from storepost.people.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    ProfileItem,
)
from storepost.platform.jobs.runs import Run
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY
from tests.lifecycle.erasures.scenario import ANN, CAT, OTHER_PHONE, PHONE, Place, day

PERSONAL = (
    ProfileItem,
    ErasedProfileItem,
    MergedProfileItem,
    IdentityItem,
    CustomerItem,
    OrderPointerItem,
    ConsentAddressItem,
)
"""Rows that only people have."""


def personal(place: Place) -> list[Any]:
    """The rows that are about people."""
    return [row for row in place.world.rows(place.workspace.key) if isinstance(row, PERSONAL)]


class TestDelete:
    """The answer, and what everybody sees at once."""

    def test_profile_is_gone_immediately(self, place: Place) -> None:
        person = place.somebody()
        merged = place.ids(f"/profiles/{person}/merges", "mergedProfileId")
        place.world.deliver()
        answer = place.erase(person)
        assert (answer.status, answer.body) == (204, b"")
        for each in (person, *merged):
            for path in ("", "/identities", "/merges", "/customers", "/consent"):
                response = place.call("GET", f"/profiles/{each}{path}")
                assert response.problem() == (404, "not_found"), path
            again = place.erase(each)
            assert again.status == 204 if each == person else again.problem() == (404, "not_found")
            assert place.consent(each, "subscribed").problem() == (404, "not_found")
        assert place.get("/profiles")["total"] == 0
        assert place.get("/profiles", storeId=place.shop)["total"] == 0
        assert place.get("/profiles", email=ANN)["total"] == 0
        assert place.get("/orders")["total"] == 2
        assert place.get("/orders", profileId=person)["total"] == 0
        assert place.messages() == [
            {"workspaceId": str(place.workspace.id), "profileId": person},
        ]

    def test_merged_id_erases_survivor(self, place: Place) -> None:
        person = place.somebody()
        [merged] = place.ids(f"/profiles/{person}/merges", "mergedProfileId")
        assert place.erase(merged).status == 204
        assert place.call("GET", f"/profiles/{person}").status == 404


class TestWorker:
    """What the worker removes."""

    def test_no_row_names_the_person(self, place: Place) -> None:
        person = place.somebody()
        assert place.traces()
        place.world.deliver()
        assert place.erase(person).status == 204
        place.world.deliver()
        assert place.traces() == []
        assert personal(place) == []
        assert place.partition_of(person) == []
        assert place.messages() == []
        place.check_lists()

    def test_erasure_before_merge_was_moved(self, place: Place) -> None:
        person = place.somebody()
        assert place.erase(person).status == 204
        place.world.deliver()
        assert place.traces() == []
        assert personal(place) == []

    def test_concurrent_merge_worker(self, place: Place) -> None:
        person = place.somebody()
        place.erase(person)
        place.run_merge(person)
        place.work(person)
        place.run_merge(person)
        assert (place.traces(but_owed=True), personal(place)) == ([], [])

    def test_orders_remain_without_buyer(self, place: Place) -> None:
        person = place.somebody()
        before = place.get("/orders")
        ids = place.ids("/orders")
        place.erase(person)
        place.world.deliver()
        assert place.get("/orders") == before
        for order in ids:
            found = place.get(f"/orders/{order}")
            assert (found["buyer"], found["total"]["amount"]) == (None, 1000)

    def test_other_profiles_are_unchanged(self, place: Place) -> None:
        bob = f"bob.{CANARY}@example.com"
        buyer = {"externalId": "8", "email": bob}
        place.customer(place.shop, "8", email=bob, emailMarketingConsent="subscribed")
        place.order(place.shop, "8", buyer=buyer)
        before = place.find_profile(email=bob)
        place.erase(place.somebody())
        place.world.deliver()
        assert place.find_profile(email=bob) == before
        assert place.get("/profiles")["total"] == 1
        assert place.ids("/orders", profileId=before["id"])
        assert place.get(f"/profiles/{before['id']}/consent")["total"] == 1
        place.check_rows()

    def test_many_rows_of_each_kind(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        """More rows of each kind than one transaction or one run removes."""
        monkeypatch.setattr("storepost.orders.erasing.MAX_ORDERS", 2)
        monkeypatch.setattr(profile_rows, "_MAX_CHANGES", 2)
        monkeypatch.setattr(profile_rows, "_MAX_MERGES", 1)
        monkeypatch.setattr("storepost.lifecycle.erasures.service.MAX_ADDRESSES", 1)
        monkeypatch.setattr(profile_repository, "INDEX_ENTRIES_OF_AN_ERASURE", 1)
        monkeypatch.setattr(profile_repository, "MAX_INDEX_ENTRIES", 1)
        monkeypatch.setattr(Run, "is_over", lambda _run: True)
        person = place.somebody()
        for number in range(3):
            place.order(place.store(f"S{number}"), f"9{number}", buyer={"email": ANN})
            other = place.upsert(email=f"{number}.{CAT}")["id"]
            assert place.merge(person, other).status == 200
        for number in range(5):
            place.world.advance(seconds=1)
            place.consent(person, "unsubscribed" if number % 2 else "subscribed")
        assert place.erase(person).status == 204
        place.world.deliver()
        assert (place.traces(), personal(place)) == ([], [])
        for store in place.ids("/stores"):
            assert place.get("/profiles", storeId=store)["total"] == 0
        assert place.get("/orders")["total"] == 5

    def test_early_and_late_messages_erase_nothing(self, place: Place) -> None:
        person = place.somebody()
        place.work(person)
        assert place.get(f"/profiles/{person}")["email"] == ANN
        place.erase(person)
        place.world.deliver()
        anew = place.upsert(email=ANN)
        place.work(person)
        assert place.find_profile(email=ANN)["id"] == anew["id"] != person


class TestResubscription:
    """What may subscribe it again."""

    @pytest.fixture
    def erased(self, place: Place) -> str:
        """Erases a person who was subscribed once."""
        person = place.somebody()
        place.erase(person)
        place.world.deliver()
        return person

    def imported(self, place: Place, state: str, address: str = ANN) -> dict[str, Any]:
        """The result of an import of one statement."""
        kind = "phone" if address.startswith("+") else "email"
        word = {kind: address, "state": state, "occurredAt": day(9000)}
        answer = place.call("POST", "/consent/import", {"changes": [word]})
        assert answer.status == 200, answer.body
        counts: dict[str, Any] = answer.json
        return counts

    @pytest.mark.parametrize("address", [ANN, CAT, PHONE, OTHER_PHONE])
    def test_import_does_not_subscribe(self, place: Place, erased: str, address: str) -> None:
        counts = self.imported(place, "subscribed", address)
        assert counts == {"recorded": 0, "unchanged": 0, "older": 1, "failed": []}
        assert place.get("/profiles")["total"] == 0
        assert personal(place) == []

    def test_import_may_unsubscribe(self, place: Place, erased: str) -> None:
        assert self.imported(place, "unsubscribed")["recorded"] == 1
        person = place.find_profile(email=ANN)
        assert person["emailMarketingConsent"] == "unsubscribed"
        place.world.advance(days=2)
        assert self.imported(place, "subscribed")["older"] == 1
        assert place.find_profile(email=ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_store_does_not_subscribe(self, place: Place, erased: str) -> None:
        subscribed = {
            "emailMarketingConsent": "subscribed",
            "emailMarketingConsentUpdatedAt": day(300),
            "smsMarketingConsent": "subscribed",
        }
        answer = place.customer(place.shop, "cust-ann", 300, email=ANN, phone=PHONE, **subscribed)
        assert answer.status == 201, answer.body
        person = place.find_profile(email=ANN)
        states = (person["emailMarketingConsent"], person["smsMarketingConsent"])
        assert states == ("not_subscribed", "not_subscribed")
        assert person["id"] != erased
        assert place.get(f"/profiles/{person['id']}/consent")["total"] == 0

    def test_person_may_subscribe_again(self, place: Place, erased: str) -> None:
        person = place.upsert(email=ANN)["id"]
        assert place.consent(person, "subscribed").status == 200
        assert place.find_profile(email=ANN)["emailMarketingConsent"] == "subscribed"
        place.world.advance(days=2)
        assert self.imported(place, "unsubscribed")["recorded"] == 1
        place.world.advance(days=1)
        assert self.imported(place, "subscribed")["failed"] == []

    def test_unsubscription_still_blocks_import_of_older_consent(
        self, place: Place, erased: str
    ) -> None:
        person = place.upsert(email=ANN)["id"]
        assert place.consent(person, "unsubscribed").status == 200
        place.world.advance(days=2)
        assert self.imported(place, "subscribed")["older"] == 1
        assert place.consent(person, "subscribed").status == 200
        assert place.find_profile(email=ANN)["emailMarketingConsent"] == "subscribed"

    def test_other_workspace_is_not_affected(self, place: Place, erased: str) -> None:
        other = Place(place.world)
        counts = other.call(
            "POST",
            "/consent/import",
            {"changes": [{"email": ANN, "state": "subscribed", "occurredAt": day(1)}]},
        )
        assert counts.json["recorded"] == 1

    def test_address_hashes_differ_between_workspaces(self, place: Place, erased: str) -> None:
        other = Place(place.world)
        other.erase(other.upsert(email=ANN)["id"])
        rows = [row for row in place.world.rows() if isinstance(row, ErasedAddressItem)]
        own_rows = {row.sk for row in rows if row.pk.startswith(place.workspace.key)}
        theirs = {row.sk for row in rows if row.pk.startswith(other.workspace.key)}
        assert (len(own_rows), len(theirs)) == (4, 1)
        assert own_rows.isdisjoint(theirs)


class TestReturningData:
    """Stores send the person's data again, before the worker and after it."""

    @pytest.fixture(params=["before", "after"])
    def erased(self, request: pytest.FixtureRequest, place: Place) -> str:
        """An erased person, before the worker or after it."""
        person = place.somebody()
        place.world.deliver()
        place.erase(person)
        if request.param == "after":
            place.world.deliver()
        return person

    def test_customer_sent_again_is_new_person(self, place: Place, erased: str) -> None:
        assert place.customer(place.shop, "cust-ann", email=ANN).status == 201
        person = place.find_profile(email=ANN)
        assert person["id"] != erased
        place.world.deliver()
        assert place.find_profile(email=ANN) == person
        assert place.identities(person["id"]) == {
            ("email", ANN),
            ("platform_customer_id", "cust-ann"),
        }
        assert place.ids(f"/profiles/{person['id']}/customers", "externalId") == ["cust-ann"]
        place.check_rows()

    def test_order_of_other_buyer_naming_erased_customer(self, place: Place, erased: str) -> None:
        """The rest of the customer, until the worker removes it, doesn't belong to that buyer."""
        buyer = {"externalId": "cust-ann", "email": CAT}
        assert place.order(place.shop, "9", buyer=buyer).status == 201
        person = place.find_profile(email=CAT)
        assert place.ids(f"/profiles/{person['id']}/customers", "externalId") == []
        place.world.deliver()
        assert place.ids(f"/profiles/{person['id']}/customers", "externalId") == []
        place.check_rows()

    def test_older_customer_record_is_accepted(self, place: Place, erased: str) -> None:
        assert place.customer(place.shop, "cust-ann", -9, email=ANN).status == 201

    def test_changed_order_gets_no_buyer(self, place: Place, erased: str) -> None:
        buyer = {"externalId": "cust-ann", "email": ANN}
        answer = place.order(place.shop, "1", buyer=buyer, number="#77")
        assert (answer.status, answer.json["buyer"]) == (200, None)
        place.world.deliver()
        assert place.get("/profiles")["total"] == 0
        assert place.traces() == []
        rows = place.world.rows(place.workspace.key)
        orders = [row for row in rows if isinstance(row, OrderItem)]
        assert {row.profile_id for row in orders} == {None}
        assert sorted(row.number for row in orders) == ["#1", "#77"]
        place.order(place.shop, "1", 1, buyer=buyer)
        assert place.get("/profiles")["total"] == 0

    def test_changed_order_merges_no_other_profiles(self, place: Place, erased: str) -> None:
        """The order has no buyer any more, so it merges nobody, either."""
        others = {place.upsert(email=ANN)["id"], place.upsert(phone=PHONE)["id"]}
        answer = place.order(place.shop, "1", buyer={"email": ANN, "phone": PHONE})
        assert (answer.status, answer.json["buyer"]) == (200, None)
        place.world.deliver()
        assert set(place.ids("/profiles")) == others
        assert place.get("/orders")["total"] == 2

    def test_new_order_creates_new_person(self, place: Place, erased: str) -> None:
        """It claims the customer's id before the worker removes the customer."""
        buyer = {"externalId": "cust-ann", "email": ANN}
        assert place.order(place.shop, "3", 2, buyer=buyer).status == 201
        person = place.find_profile(email=ANN)
        assert place.customer(place.shop, "cust-ann", email=ANN).status == 201
        place.world.deliver()
        assert place.ids("/orders", profileId=person["id"]) == [
            place.ids("/orders", externalId="3")[0]
        ]
        assert place.ids(f"/profiles/{person['id']}/customers", "externalId") == ["cust-ann"]
        place.check_rows()

    def test_deleted_order_leaves_no_personal_rows(self, place: Place, erased: str) -> None:
        assert place.call("DELETE", f"/stores/{place.shop}/orders/1").status == 204
        place.world.deliver()
        assert (place.get("/orders")["total"], personal(place)) == (1, [])

    def test_order_deleted_after_erasure_is_restored_without_buyer(
        self, place: Place, erased: str
    ) -> None:
        """Its buyer stays erased, whatever its store sends of them."""
        buyer = {"externalId": "cust-ann", "email": ANN}
        assert place.call("DELETE", f"/stores/{place.shop}/orders/1").status == 204
        place.world.deliver()
        answer = place.order(place.shop, "1", 1, buyer=buyer)
        assert (answer.status, answer.json["buyer"]) == (201, None)
        place.world.deliver()
        assert (place.get("/profiles")["total"], personal(place)) == (0, [])

    @pytest.mark.parametrize("is_worked", [True, False])
    @pytest.mark.parametrize("of_another", ["merged", "merging", "itself"])
    def test_order_deleted_before_erasure_is_restored_without_buyer(
        self, place: Place, of_another: str, is_worked: bool
    ) -> None:
        buyer = {"externalId": "cust-ann", "email": ANN}
        assert place.order(place.shop, "1", buyer=buyer).status == 201
        person = place.find_profile(email=ANN)["id"]
        assert place.call("DELETE", f"/stores/{place.shop}/orders/1").status == 204
        if of_another != "itself":
            other = place.upsert(email=CAT)["id"]
            assert place.merge(other, person).status == 200
            person = other
        if of_another == "merged":
            place.world.deliver()
        shown = place.get(f"/profiles/{person}/export")
        assert (shown["profile"]["orders"], shown["orders"]["items"]) == (0, [])
        assert place.get("/orders", profileId=person)["total"] == 0
        place.erase(person)
        if is_worked:
            place.world.deliver()
            place.check_gone([person])
            assert personal(place) == []
        answer = place.order(place.shop, "1", 1, buyer=buyer)
        assert (answer.status, answer.json["buyer"]) == (201, None)
        place.world.deliver()
        assert (place.get("/profiles")["total"], personal(place)) == (0, [])
        place.check_gone([person])

    def test_order_deleted_twice_is_restored_with_last_buyer(self, place: Place) -> None:
        """The deleted order's tombstone follows its last buyer: the former buyer is on no row."""
        buyer, path = {"email": ANN}, f"/stores/{place.shop}/orders/1"
        place.order(place.shop, "1", buyer=buyer)
        ann = place.find_profile(email=ANN)["id"]
        place.call("DELETE", path)
        assert place.order(place.shop, "1", 1, buyer={"email": CAT}).status == 201
        place.call("DELETE", path)
        place.erase(ann)
        place.world.deliver()
        place.check_gone([ann])
        cat = place.find_profile(email=CAT)["id"]
        answer = place.order(place.shop, "1", 2, buyer={"email": CAT})
        assert (answer.status, answer.json["buyer"]["profileId"]) == (201, cat)
        assert place.get("/orders", profileId=cat)["total"] == 1

    def test_order_restored_during_erasure_gets_no_buyer(self, place: Place) -> None:
        place.order(place.shop, "1", buyer={"email": ANN})
        ann = place.find_profile(email=ANN)["id"]
        place.call("DELETE", f"/stores/{place.shop}/orders/1")
        with before_the_commit(lambda: place.erase(ann)):
            answer = place.order(place.shop, "1", 1, buyer={"email": CAT})
        assert (answer.status, answer.json["buyer"]) == (201, None)
        assert place.get("/profiles")["total"] == 0

    def test_deleted_customer_leaves_no_personal_rows(self, place: Place, erased: str) -> None:
        assert place.call("DELETE", f"/stores/{place.shop}/customers/cust-ann").status in {204, 404}
        place.world.deliver()
        assert personal(place) == []

    def test_upsert_creates_new_person(self, place: Place, erased: str) -> None:
        made = place.call("POST", "/profiles", {"email": ANN, "phone": PHONE})
        assert (made.status, made.json["emailMarketingConsent"]) == (201, "not_subscribed")
        place.world.deliver()
        assert place.find_profile(phone=PHONE) == place.find_profile(email=ANN) == made.json
        place.check_rows()

    def test_other_profile_may_get_the_address(self, place: Place, erased: str) -> None:
        bob = place.upsert(email=f"bob.{CANARY}@example.com")["id"]
        assert place.call("PATCH", f"/profiles/{bob}", {"email": CAT}).status == 200
        place.world.deliver()
        assert place.find_profile(email=CAT)["id"] == bob
        place.check_rows()


def test_tombstone_has_only_ids_and_sealed_words(place: Place) -> None:
    """The row that replaces the profile shows no name, consent or sum."""
    person = place.somebody()
    place.erase(person)
    [row] = [row for row in place.partition_of(person) if isinstance(row, ErasedProfileItem)]
    assert row.id == UUID(person)
    named = set(row.attribute_values) - {"pk", "sk", "kind", "version", "id"}
    assert named == {"identities", "partitions", "histories", "index_entries", "merged", "words"}
    names = ("annabel", "steinmetz")
    assert not [name for name in names if name in str(row.attribute_values).casefold()]
    there, elsewhere = place.workspace, WorkspaceScope(uuid4())
    assert {*names} <= set(opened_words(row.words, there, row.id))
    assert opened_words(row.words, there, uuid4()) == []
    assert opened_words(row.words, elsewhere, row.id) == []
