"""Arrivals that name several profiles: the profiles are merged, or stay as they are."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import ProfileItem
from storepost.platform.persistence import transaction
from storepost.platform.persistence.changes import Changes
from tests.harness.call_interruption import Side, counted, killed_at
from tests.harness.transactions import MOST
from tests.harness.world import CANARY
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario
from tests.sync.batches.batch_store import customer as sent_customer
from tests.sync.batches.batch_store import order as sent_order


@pytest.fixture
def store(scenario: Scenario) -> str:
    """A store."""
    return scenario.store()


def merges(scenario: Scenario, profile: str) -> list[tuple[str, str, str | None]]:
    """The profiles that were merged into a profile, and why."""
    rows = scenario.get(f"/profiles/{profile}/merges")["items"]
    return [
        (row["mergedProfileId"], row["cause"]["source"], row["cause"]["reference"]) for row in rows
    ]


class TestCustomer:
    """PUT /stores/{id}/customers/{externalId}."""

    def test_profiles_of_email_and_phone_are_merged(self, scenario: Scenario, store: str) -> None:
        by_email = scenario.upsert(email=ANN, firstName="Ann")["id"]
        by_phone = scenario.upsert(phone=PHONE, lastName="Lee")["id"]
        assert scenario.customer(store, "7", email=ANN, phone=PHONE).status == 201
        profile = scenario.find_profile(externalId="7", storeId=store)
        assert (profile["id"], profile["name"], profile["phone"]) == (by_email, "Ann Lee", PHONE)
        assert merges(scenario, by_email) == [(by_phone, "custom", "7")]
        assert scenario.get(f"/profiles/{by_phone}") == profile
        assert scenario.get("/profiles")["total"] == 1
        scenario.world.deliver()
        scenario.check_rows()
        assert scenario.get(f"/profiles/{by_phone}") == profile

    def test_three_profiles_are_merged(self, scenario: Scenario, store: str) -> None:
        scenario.customer(store, "7", 3)
        scenario.upsert(email=ANN)
        scenario.upsert(phone=PHONE)
        known = scenario.find_profile(externalId="7", storeId=store)["id"]
        assert scenario.customer(store, "7", 4, email=ANN, phone=PHONE).status == 200
        assert scenario.find_profile(email=ANN)["id"] == known
        assert {cause[1:] for cause in merges(scenario, known)} == {("custom", "7")}
        assert (scenario.get("/profiles")["total"], len(merges(scenario, known))) == (1, 2)

    @pytest.mark.parametrize(
        ("other", "arriving"),
        [
            ({"email": BOB, "phone": PHONE}, {"email": ANN, "phone": PHONE}),
            ({"email": BOB}, {"email": BOB}),
        ],
    )
    def test_profiles_with_different_emails_are_not_merged(
        self, scenario: Scenario, store: str, other: dict[str, str], arriving: dict[str, str]
    ) -> None:
        scenario.customer(store, "7", 1, email=ANN)
        scenario.upsert(**other)
        assert scenario.customer(store, "7", 2, **arriving).status == 200
        assert scenario.get("/profiles")["total"] == 2
        ann = scenario.find_profile(externalId="7", storeId=store)
        assert scenario.identities(ann["id"]) == {("email", ANN), ("platform_customer_id", "7")}

    def test_two_customers_of_one_store_are_not_merged(
        self, scenario: Scenario, store: str
    ) -> None:
        scenario.customer(store, "7", 1, phone=PHONE)
        scenario.customer(store, "8", 1, email=ANN)
        assert scenario.customer(store, "8", 2, email=ANN, phone=PHONE).status == 200
        assert scenario.get("/profiles")["total"] == 2
        assert (
            scenario.find_profile(phone=PHONE)["id"]
            == scenario.find_profile(externalId="7", storeId=store)["id"]
        )

    def test_deleted_customer_does_not_prevent_merge(self, scenario: Scenario, store: str) -> None:
        scenario.customer(store, "7", 1, phone=PHONE)
        assert scenario.call("DELETE", f"/stores/{store}/customers/7").status == 204
        scenario.customer(store, "8", 1, email=ANN)
        assert scenario.customer(store, "8", 2, email=ANN).status == 200
        assert scenario.get("/profiles")["total"] == 2
        second = scenario.store("B")
        assert scenario.customer(second, "1", 1, email=ANN, phone=PHONE).status == 201
        assert scenario.get("/profiles")["total"] == 1

    def test_stale_update_merges_nothing(self, scenario: Scenario, store: str) -> None:
        scenario.customer(store, "7", 5)
        scenario.upsert(email=ANN)
        stored = [row.serialize() for row in scenario.world.rows(scenario.workspace.key)]
        assert scenario.customer(store, "7", 4, email=ANN).problem() == (409, "stale_update")
        assert [row.serialize() for row in scenario.world.rows(scenario.workspace.key)] == stored


class TestOrder:
    """PUT /stores/{id}/orders/{externalId}."""

    def test_profiles_of_buyers_email_and_phone_are_merged(
        self, scenario: Scenario, store: str
    ) -> None:
        by_email, by_phone = scenario.upsert(email=ANN)["id"], scenario.upsert(phone=PHONE)["id"]
        put = scenario.order(store, "o-1", 3, buyer={"email": ANN, "phone": PHONE})
        assert (put.status, put.json["buyer"]["profileId"]) == (201, by_email)
        assert merges(scenario, by_email) == [(by_phone, "custom", "o-1")]
        again = scenario.order(store, "o-1", 3, buyer={"email": ANN, "phone": PHONE})
        assert (again.status, again.json) == (200, put.json)
        assert len(merges(scenario, by_email)) == 1
        assert scenario.get(f"/profiles/{by_phone}")["orders"] == 1

    def test_order_with_changed_buyer_counts_once(self, scenario: Scenario, store: str) -> None:
        """It counts once, for the profile that has it in the end."""
        scenario.order(store, "o-1", 1, buyer={"email": ANN})
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.upsert(email=BOB)["id"]
        dan = scenario.upsert(phone=PHONE)["id"]
        assert scenario.merge(dan, ann).status == 200
        after_move = scenario.order(store, "o-1", 1, buyer={"email": BOB})
        assert after_move.json["buyer"]["profileId"] == bob
        orders = [scenario.get(f"/profiles/{each}")["orders"] for each in (ann, dan, bob)]
        assert orders == [0, 0, 1]
        back = scenario.order(store, "o-1", 1, buyer=None)
        assert back.json["buyer"] is None
        assert scenario.get(f"/profiles/{bob}")["orders"] == 0
        scenario.world.deliver()
        scenario.check_rows()


class TestUpsert:
    """POST /profiles."""

    def test_anonymous_profile_is_merged_into_known_profile(self, scenario: Scenario) -> None:
        """An anonymous profile is merged into a known one, and the known one survives."""
        browser = scenario.upsert(anonymousId="b-1")["id"]
        scenario.world.advance(hours=1)
        ann = scenario.upsert(email=ANN)["id"]
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE)
        body = {"email": ANN, "anonymousId": "b-1"}
        answer = scenario.world.call("POST", "/profiles", token=key, json_body=body)
        assert (answer.status, answer.json["id"]) == (200, ann)
        assert merges(scenario, ann) == [(browser, "api", None)]
        seen = scenario.get(f"/profiles/{browser}")["firstSeenAt"]
        assert (
            seen
            < scenario.get(f"/profiles/{ann}/identities", type="email")["items"][0]["firstSeenAt"]
        )

    def test_anonymous_id_of_other_known_profile_is_conflict(self, scenario: Scenario) -> None:
        scenario.upsert(email=ANN, anonymousId="b-1")
        scenario.upsert(phone=PHONE)
        answer = scenario.call("POST", "/profiles", {"phone": PHONE, "anonymousId": "b-1"})
        assert answer.problem() == (409, "identity_conflict")
        assert scenario.get("/profiles")["total"] == 2

    @pytest.mark.parametrize("other", [{"email": BOB, "phone": PHONE}, {"email": CAT}])
    def test_conflicting_identities_change_nothing(
        self, scenario: Scenario, other: dict[str, str]
    ) -> None:
        scenario.upsert(email=ANN, anonymousId="b-1")
        scenario.upsert(**other)
        stored = [row.serialize() for row in scenario.world.rows(scenario.workspace.key)]
        answer = scenario.call("POST", "/profiles", {"anonymousId": "b-1", **other})
        assert answer.problem() == (409, "identity_conflict")
        assert [row.serialize() for row in scenario.world.rows(scenario.workspace.key)] == stored


class TestBatch:
    """POST /stores/{id}/batches: the same effect as its records one by one."""

    def test_records_naming_several_profiles_merge_them(
        self, scenario: Scenario, store: str
    ) -> None:
        numbers = range(8)
        for number in numbers:
            scenario.upsert(email=f"buyer{number}.{CANARY}@example.com")
            scenario.upsert(phone=f"+1415555{1000 + number}")
        body = {
            "customers": [
                sent_customer(number, phone=f"+1415555{1000 + number}") for number in numbers[:5]
            ],
            "orders": [
                sent_order(
                    number,
                    customer={
                        "email": f"buyer{number}.{CANARY}@example.com",
                        "phone": f"+1415555{1000 + number}",
                    },
                )
                for number in numbers
            ],
        }
        queued = scenario.call("POST", f"/stores/{store}/batches", body)
        assert queued.status == 202
        scenario.world.deliver()
        done = scenario.get(f"/stores/{store}/imports/{queued.json['id']}")
        assert (done["status"], done["imported"]["customers"]) == ("completed", 5)
        assert done["imported"]["orders"] == 8
        assert scenario.get(f"/stores/{store}/imports/{done['id']}/problems")["total"] == 0
        assert scenario.get("/profiles")["total"] == 8
        for number in numbers:
            person = scenario.find_profile(phone=f"+1415555{1000 + number}")
            reference = f"c-{number}" if number < 5 else f"o-{number}"
            assert [cause[1:] for cause in merges(scenario, person["id"])] == [
                ("custom", reference)
            ]
            assert person["orders"] == 1
        scenario.check_rows()


class TestManyStores:
    """People known to more stores than one transaction can move in lists."""

    STORES = 13

    @pytest.fixture
    def both(self, scenario: Scenario) -> tuple[str, str, list[str]]:
        """Two people whom each of the stores knows, the second for longer."""
        stores = [scenario.store() for _ in range(self.STORES)]
        ids = [scenario.upsert(email=email)["id"] for email in (ANN, BOB)]
        repository = ProfileRepository(scenario.workspace)
        for number, each in enumerate(ids):
            unit, before = Changes(), repository.get(UUID(each))
            assert before is not None
            after = replace(before, first_seen_at=before.first_seen_at)
            for store_id in stores:
                after = after.linked(UUID(store_id), orders=number + 1)
            repository.save(unit, before, after)
            unit.commit()
        return ids[1], ids[0], stores

    def test_every_list_contains_survivor_once(
        self, scenario: Scenario, both: tuple[str, str, list[str]]
    ) -> None:
        into, other, stores = both
        sizes = self.transactions(scenario, into, other)
        for store in stores:
            assert scenario.ids("/profiles", storeId=store) == [into]
            found = scenario.get("/profiles", storeId=store, isCustomer="true")
            assert (found["total"], len(found["items"])) == (1, 1)
        assert len(sizes) > 4
        assert max(sizes) <= MOST
        scenario.world.deliver()
        scenario.check_rows()

    def transactions(self, scenario: Scenario, into: str, other: str) -> list[int]:
        """The sizes of the transactions of a merge."""
        sizes, plain = list[int](), transaction.transact
        with pytest.MonkeyPatch.context() as patch:

            def noted(writes: list[Any]) -> None:
                sizes.append(len(writes))
                plain(writes)

            patch.setattr(transaction, "transact", noted)
            assert scenario.merge(into, other).status == 200
        return sizes

    def test_list_move_killed_after_commit_is_continued_by_next_save(
        self, scenario: Scenario, both: tuple[str, str, list[str]]
    ) -> None:
        """Until the entries have moved, lists have the person at either place; afterwards once."""
        into, other, stores = both
        scenario.world.deliver()
        begin_anew = scenario.world.checkpoint()
        calls = counted(lambda: scenario.merge(into, other))
        begin_anew()
        commit = calls.index("TransactWriteItems") + 1
        assert killed_at(commit, Side.AFTER, lambda: scenario.merge(into, other))
        totals = []
        for store in stores:
            found = scenario.get("/profiles", storeId=store)
            assert {row["id"] for row in found["items"]} == {into}
            totals.append(found["total"])
            looked = scenario.get("/profiles", storeId=store, locale="de")
            assert looked["total"] == 0
            looked = scenario.get("/profiles", storeId=store, isCustomer="true")
            assert [row["id"] for row in looked["items"]] == [into]
            assert looked["total"] == 1
        assert totals.count(2) == self.STORES - 2
        # The next save of the profile continues, whoever makes it.
        assert scenario.consent(into, "subscribed").status == 200
        for store in stores:
            assert scenario.ids("/profiles", storeId=store) == [into]
        scenario.run_merge(into)
        [row] = [
            r for r in scenario.world.rows(scenario.workspace.key) if isinstance(r, ProfileItem)
        ]
        assert not any(link[3] for link in row.links.values())
