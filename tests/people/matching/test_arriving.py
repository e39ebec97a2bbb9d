"""What arrives and names several profiles: they become one, or they stay what they are."""

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
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Town
from tests.sync.batches.batch_store import customer as sent_customer
from tests.sync.batches.batch_store import order as sent_order


@pytest.fixture
def store(town: Town) -> str:
    """A store."""
    return town.store()


def merges(town: Town, profile: str) -> list[tuple[str, str, str | None]]:
    """What became a part of a profile, and why."""
    rows = town.get(f"/profiles/{profile}/merges")["items"]
    return [
        (row["mergedProfileId"], row["cause"]["source"], row["cause"]["reference"]) for row in rows
    ]


class TestCustomer:
    """PUT /stores/{id}/customers/{externalId}."""

    def test_joins_an_email_and_a_phone(self, town: Town, store: str) -> None:
        by_email = town.upsert(email=ANN, firstName="Ann")["id"]
        by_phone = town.upsert(phone=PHONE, lastName="Lee")["id"]
        assert town.customer(store, "7", email=ANN, phone=PHONE).status == 201
        profile = town.whose(externalId="7", storeId=store)
        assert (profile["id"], profile["name"], profile["phone"]) == (by_email, "Ann Lee", PHONE)
        assert merges(town, by_email) == [(by_phone, "custom", "7")]
        assert town.get(f"/profiles/{by_phone}") == profile
        assert town.get("/profiles")["total"] == 1
        town.world.deliver()
        town.check_rows()
        assert town.get(f"/profiles/{by_phone}") == profile

    def test_three_become_one(self, town: Town, store: str) -> None:
        town.customer(store, "7", 3)
        town.upsert(email=ANN)
        town.upsert(phone=PHONE)
        known = town.whose(externalId="7", storeId=store)["id"]
        assert town.customer(store, "7", 4, email=ANN, phone=PHONE).status == 200
        assert town.whose(email=ANN)["id"] == known
        assert {cause[1:] for cause in merges(town, known)} == {("custom", "7")}
        assert (town.get("/profiles")["total"], len(merges(town, known))) == (1, 2)

    @pytest.mark.parametrize(
        ("other", "arriving"),
        [
            ({"email": BOB, "phone": PHONE}, {"email": ANN, "phone": PHONE}),
            ({"email": BOB}, {"email": BOB}),
        ],
    )
    def test_two_emails_stay_two_people(
        self, town: Town, store: str, other: dict[str, str], arriving: dict[str, str]
    ) -> None:
        town.customer(store, "7", 1, email=ANN)
        town.upsert(**other)
        assert town.customer(store, "7", 2, **arriving).status == 200
        assert town.get("/profiles")["total"] == 2
        ann = town.whose(externalId="7", storeId=store)
        assert town.identities(ann["id"]) == {("email", ANN), ("platform_customer_id", "7")}

    def test_two_customers_of_a_store_stay_two_people(self, town: Town, store: str) -> None:
        town.customer(store, "7", 1, phone=PHONE)
        town.customer(store, "8", 1, email=ANN)
        assert town.customer(store, "8", 2, email=ANN, phone=PHONE).status == 200
        assert town.get("/profiles")["total"] == 2
        assert town.whose(phone=PHONE)["id"] == town.whose(externalId="7", storeId=store)["id"]

    def test_a_customer_that_its_store_deleted_stands_in_nobodys_way(
        self, town: Town, store: str
    ) -> None:
        town.customer(store, "7", 1, phone=PHONE)
        assert town.call("DELETE", f"/stores/{store}/customers/7").status == 204
        town.customer(store, "8", 1, email=ANN)
        assert town.customer(store, "8", 2, email=ANN).status == 200
        assert town.get("/profiles")["total"] == 2
        second = town.store("B")
        assert town.customer(second, "1", 1, email=ANN, phone=PHONE).status == 201
        assert town.get("/profiles")["total"] == 1

    def test_what_is_refused_merges_nobody(self, town: Town, store: str) -> None:
        town.customer(store, "7", 5)
        town.upsert(email=ANN)
        held = [row.serialize() for row in town.world.rows(town.workspace.key)]
        assert town.customer(store, "7", 4, email=ANN).problem() == (409, "stale_update")
        assert [row.serialize() for row in town.world.rows(town.workspace.key)] == held


class TestOrder:
    """PUT /stores/{id}/orders/{externalId}."""

    def test_its_buyer_is_one(self, town: Town, store: str) -> None:
        by_email, by_phone = town.upsert(email=ANN)["id"], town.upsert(phone=PHONE)["id"]
        put = town.order(store, "o-1", 3, buyer={"email": ANN, "phone": PHONE})
        assert (put.status, put.json["buyer"]["profileId"]) == (201, by_email)
        assert merges(town, by_email) == [(by_phone, "custom", "o-1")]
        again = town.order(store, "o-1", 3, buyer={"email": ANN, "phone": PHONE})
        assert (again.status, again.json) == (200, put.json)
        assert len(merges(town, by_email)) == 1
        assert town.get(f"/profiles/{by_phone}")["orders"] == 1

    def test_an_order_whose_buyer_becomes_another(self, town: Town, store: str) -> None:
        """It is counted once, with whoever has it in the end."""
        town.order(store, "o-1", 1, buyer={"email": ANN})
        ann, bob = town.whose(email=ANN)["id"], town.upsert(email=BOB)["id"]
        dan = town.upsert(phone=PHONE)["id"]
        assert town.merge(dan, ann).status == 200
        moved = town.order(store, "o-1", 1, buyer={"email": BOB})
        assert moved.json["buyer"]["profileId"] == bob
        orders = [town.get(f"/profiles/{each}")["orders"] for each in (ann, dan, bob)]
        assert orders == [0, 0, 1]
        back = town.order(store, "o-1", 1, buyer=None)
        assert back.json["buyer"] is None
        assert town.get(f"/profiles/{bob}")["orders"] == 0
        town.world.deliver()
        town.check_rows()


class TestUpsert:
    """POST /profiles."""

    def test_a_browser_of_somebody_known(self, town: Town) -> None:
        """An anonymous profile joins a known one, and the known one survives."""
        browser = town.upsert(anonymousId="b-1")["id"]
        town.world.advance(hours=1)
        ann = town.upsert(email=ANN)["id"]
        key = town.world.api_key(town.workspace, KeyScope.WRITE)
        body = {"email": ANN, "anonymousId": "b-1"}
        answer = town.world.call("POST", "/profiles", token=key, json_body=body)
        assert (answer.status, answer.json["id"]) == (200, ann)
        assert merges(town, ann) == [(browser, "api", None)]
        seen = town.get(f"/profiles/{browser}")["firstSeenAt"]
        assert (
            seen < town.get(f"/profiles/{ann}/identities", type="email")["items"][0]["firstSeenAt"]
        )

    def test_a_browser_that_two_known_people_use(self, town: Town) -> None:
        town.upsert(email=ANN, anonymousId="b-1")
        town.upsert(phone=PHONE)
        answer = town.call("POST", "/profiles", {"phone": PHONE, "anonymousId": "b-1"})
        assert answer.problem() == (409, "identity_conflict")
        assert town.get("/profiles")["total"] == 2

    @pytest.mark.parametrize("other", [{"email": BOB, "phone": PHONE}, {"email": CAT}])
    def test_several_people(self, town: Town, other: dict[str, str]) -> None:
        town.upsert(email=ANN, anonymousId="b-1")
        town.upsert(**other)
        held = [row.serialize() for row in town.world.rows(town.workspace.key)]
        body = {"anonymousId": "b-1", **other}
        answer = town.call("POST", "/profiles", body)
        assert answer.problem() == (409, "identity_conflict")
        assert [row.serialize() for row in town.world.rows(town.workspace.key)] == held

    def test_replay(self, town: Town) -> None:
        town.upsert(email=ANN)
        town.upsert(phone=PHONE)
        first, second = (
            town.call("POST", "/profiles", {"email": ANN, "phone": PHONE}, key="k")
            for _ in range(2)
        )
        assert (first.status, second.body) == (200, first.body)
        assert len(merges(town, first.json["id"])) == 1


class TestBatch:
    """POST /stores/{id}/batches: what its records would do one by one."""

    def test_records_that_name_several(self, town: Town, store: str) -> None:
        numbers = range(8)
        for number in numbers:
            town.upsert(email=f"buyer{number}.{CANARY}@example.com")
            town.upsert(phone=f"+1415555{1000 + number}")
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
        queued = town.call("POST", f"/stores/{store}/batches", body)
        assert queued.status == 202
        town.world.deliver()
        done = town.get(f"/stores/{store}/imports/{queued.json['id']}")
        assert (done["status"], done["imported"]["customers"]) == ("completed", 5)
        assert done["imported"]["orders"] == 8
        assert town.get(f"/stores/{store}/imports/{done['id']}/problems")["total"] == 0
        assert town.get("/profiles")["total"] == 8
        for number in numbers:
            person = town.whose(phone=f"+1415555{1000 + number}")
            reference = f"c-{number}" if number < 5 else f"o-{number}"
            assert [cause[1:] for cause in merges(town, person["id"])] == [("custom", reference)]
            assert person["orders"] == 1
        town.check_rows()


class TestManyStores:
    """People whom more stores know than one transaction settles in their lists."""

    STORES = 13

    @pytest.fixture
    def both(self, town: Town) -> tuple[str, str, list[str]]:
        """Two people whom each of the stores knows, the second for longer."""
        stores = [town.store() for _ in range(self.STORES)]
        ids = [town.upsert(email=email)["id"] for email in (ANN, BOB)]
        repository = ProfileRepository(town.workspace)
        for number, each in enumerate(ids):
            unit, before = Changes(), repository.get(UUID(each))
            assert before is not None
            after = replace(before, first_seen_at=before.first_seen_at)
            for store_id in stores:
                after = after.linked(UUID(store_id), orders=number + 1)
            repository.save(unit, before, after)
            unit.commit()
        return ids[1], ids[0], stores

    def test_every_list_has_the_survivor_once(
        self, town: Town, both: tuple[str, str, list[str]]
    ) -> None:
        into, other, stores = both
        sizes = self.transactions(town, into, other)
        for store in stores:
            assert town.ids("/profiles", storeId=store) == [into]
            found = town.get("/profiles", storeId=store, isCustomer="true")
            assert (found["total"], len(found["items"])) == (1, 1)
        assert len(sizes) > 4
        assert max(sizes) <= MOST
        town.world.deliver()
        town.check_rows()

    def transactions(self, town: Town, into: str, other: str) -> list[int]:
        """The sizes of the transactions of a merge."""
        sizes, plain = list[int](), transaction.transact
        with pytest.MonkeyPatch.context() as patch:

            def noted(writes: list[Any]) -> None:
                sizes.append(len(writes))
                plain(writes)

            patch.setattr(transaction, "transact", noted)
            assert town.merge(into, other).status == 200
        return sizes

    def test_killed_after_the_commit(self, town: Town, both: tuple[str, str, list[str]]) -> None:
        """Until they are settled, the lists have the person where either was; then once."""
        into, other, stores = both
        town.world.deliver()
        begin_anew = town.world.checkpoint()
        calls = counted(lambda: town.merge(into, other))
        begin_anew()
        commit = calls.index("TransactWriteItems") + 1
        assert killed_at(commit, Side.AFTER, lambda: town.merge(into, other))
        totals = []
        for store in stores:
            found = town.get("/profiles", storeId=store)
            assert {row["id"] for row in found["items"]} == {into}
            totals.append(found["total"])
            looked = town.get("/profiles", storeId=store, locale="de")
            assert looked["total"] == 0
            looked = town.get("/profiles", storeId=store, isCustomer="true")
            assert [row["id"] for row in looked["items"]] == [into]
            assert looked["total"] == 1
        assert totals.count(2) == self.STORES - 2
        # The next save of the profile goes on, whoever makes it.
        assert town.consent(into, "subscribed").status == 200
        for store in stores:
            assert town.ids("/profiles", storeId=store) == [into]
        town.run_merge(into)
        [row] = [r for r in town.world.rows(town.workspace.key) if isinstance(r, ProfileItem)]
        assert not any(link[3] for link in row.links.values())
