"""Merges with concurrent writers of the same people: the later one decides again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from uuid import UUID

import pytest

from storepost.lifecycle.merges.pending_sources import absorb
from storepost.orders.moving import MAX_ORDERS
from storepost.people.profiles.merges import MAX_ABSORBING
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.people.profiles.repository import MAX_STEPS
from tests.harness.call_interruption import Side, another_container, around_calls, before_the_commit
from tests.harness.runs import run_worker
from tests.harness.world import CANARY, Answer
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario, day


@pytest.fixture
def store(scenario: Scenario) -> str:
    """A store."""
    return scenario.store()


@pytest.fixture
def two(scenario: Scenario, store: str) -> tuple[str, str]:
    """Ann, a customer with an order, and Bob, who has an email."""
    scenario.customer(store, "7", 1, email=ANN)
    scenario.order(store, "o-1", 1, buyer={"externalId": "7"})
    return scenario.find_profile(email=ANN)["id"], scenario.upsert(email=BOB)["id"]


def merging_them(scenario: Scenario, into: str, other: str) -> Callable[[], None]:
    """A request that merges the two."""

    def merge() -> None:
        assert scenario.merge(into, other).status == 200

    return merge


class TestConcurrentMerge:
    """A merge commits after another request has read its people and before it writes."""

    def check(self, scenario: Scenario, into: str, other: str, orders: int) -> None:
        """Checks that one person has everything, before the worker runs and after."""
        for _ in range(2):
            assert scenario.get(f"/profiles/{other}") == scenario.get(f"/profiles/{into}")
            assert scenario.get(f"/profiles/{into}")["orders"] == orders
            assert scenario.get("/orders", profileId=into)["total"] == orders
            assert len(scenario.get("/orders", profileId=other)["items"]) == orders
            assert scenario.get("/profiles")["total"] == 1
            scenario.world.deliver()
            scenario.check_rows()

    @pytest.mark.parametrize("number", [1, 2])
    def test_order_is_put(
        self, scenario: Scenario, store: str, two: tuple[str, str], number: int
    ) -> None:
        ann, bob = two
        with before_the_commit(merging_them(scenario, bob, ann)):
            put = scenario.order(
                store, f"o-{number}", 3, buyer={"externalId": "7"}, updatedAt=day(9)
            )
        assert put.json["buyer"]["profileId"] == bob
        self.check(scenario, bob, ann, number)

    def test_order_is_deleted(self, scenario: Scenario, store: str, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(scenario, bob, ann)):
            assert scenario.call("DELETE", f"/stores/{store}/orders/o-1").status == 204
        self.check(scenario, bob, ann, 0)

    def test_customer_is_put(self, scenario: Scenario, store: str, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(scenario, bob, ann)):
            assert scenario.customer(store, "7", 5, email=ANN, firstName="Ann").status == 200
        assert scenario.get(f"/profiles/{bob}")["firstName"] == "Ann"
        self.check(scenario, bob, ann, 1)

    def test_consent_is_changed(self, scenario: Scenario, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(scenario, bob, ann)):
            change = scenario.consent(ann, "subscribed").json
        assert change["address"] == BOB  # the fields that the person shows by then
        self.check(scenario, bob, ann, 1)
        assert scenario.get(f"/profiles/{ann}")["emailMarketingConsent"] == "subscribed"
        assert scenario.get("/profiles", emailMarketingConsent="subscribed")["total"] == 1

    def test_consent_committed_before_merge_is_shown(
        self, scenario: Scenario, two: tuple[str, str]
    ) -> None:
        """The merge read the former state, so it decides again, and shows the new one."""
        ann, bob = two
        scenario.call("PATCH", f"/profiles/{bob}", {"email": None})

        def subscribe() -> None:
            assert scenario.consent(ann, "subscribed").status == 200

        with before_the_commit(subscribe):
            merged = scenario.merge(bob, ann)
        assert merged.json["emailMarketingConsent"] == "subscribed"
        self.check(scenario, bob, ann, 1)

    def test_opposite_merge_is_refused(self, scenario: Scenario, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(scenario, bob, ann)):
            answer = scenario.merge(ann, bob)
        assert answer.problem() == (409, "same_profile")
        self.check(scenario, bob, ann, 1)

    def test_merge_of_one_profile_into_third(
        self, scenario: Scenario, two: tuple[str, str]
    ) -> None:
        ann, bob = two
        cat = scenario.upsert(email=CAT)["id"]
        with before_the_commit(merging_them(scenario, cat, ann)):
            assert scenario.merge(bob, ann).json["id"] == bob
        self.check(scenario, bob, cat, 1)
        assert scenario.get(f"/profiles/{ann}")["id"] == bob

    def test_concurrent_arrivals_merge_once(self, scenario: Scenario, store: str) -> None:
        """Two arrivals that both name two people: one merge, and both arrivals count."""
        scenario.upsert(email=ANN)
        scenario.upsert(phone=PHONE)

        def order() -> None:
            put = scenario.order(store, "o-1", 1, buyer={"email": ANN, "phone": PHONE})
            assert put.status == 201

        with before_the_commit(order):
            put = scenario.order(store, "o-2", 1, buyer={"email": ANN, "phone": PHONE})
        assert put.status == 201
        person = scenario.find_profile(email=ANN)
        assert (person["orders"], person["phone"]) == (2, PHONE)
        assert scenario.get(f"/profiles/{person['id']}/merges")["total"] == 1
        scenario.world.deliver()
        scenario.check_rows()


class TestWhileRowsMove:
    """Requests between two calls of the worker."""

    def test_reads_return_every_row_once(self, scenario: Scenario, store: str) -> None:
        ann, bob = self.merged(scenario, store, MAX_ORDERS + 5)

        def look() -> None:
            for name in (ann, bob):
                found = scenario.get("/orders", profileId=name, pageSize=50)
                assert found["total"] == MAX_ORDERS + 5
                placed = [row["placedAt"] for row in found["items"]]
                assert placed == [day(n) for n in reversed(range(MAX_ORDERS + 5))]
                assert len(scenario.get(f"/profiles/{name}/merges")["items"]) == 2

        with between_calls(look):
            scenario.run_merge(ann)
        scenario.check_rows()

    def test_writes_go_to_the_survivor(self, scenario: Scenario, store: str) -> None:
        ann, bob = self.merged(scenario, store, 4)
        numbers = iter(range(1000))

        def put() -> None:
            number = next(numbers)
            buyer = {"externalId": "8"}
            updated = day(100 + number)
            known = scenario.order(
                store, f"o-{number % 4}", 50 + number, buyer=buyer, updatedAt=updated
            )
            assert (known.status, known.json["buyer"]["profileId"]) == (200, ann)
            new = scenario.order(store, f"n-{number}", 9, buyer=buyer)
            assert (new.status, new.json["buyer"]["profileId"]) == (201, ann)
            assert scenario.customer(store, "8", 100 + number, email=BOB).status == 200

        with between_calls(put, every=5):
            scenario.run_merge(ann)
        scenario.check_rows()
        orders = 4 + next(numbers)
        assert orders > 6
        assert scenario.get(f"/profiles/{bob}")["orders"] == orders
        found = scenario.get("/orders", profileId=ann, pageSize=100)
        assert (found["total"], len(found["items"])) == (orders, min(orders, 100))

    def merged(self, scenario: Scenario, store: str, orders: int) -> tuple[str, str]:
        """Ann, into whom Bob was just merged, with Cat and so many orders."""
        scenario.customer(store, "8", 1, email=BOB)
        ann, bob = scenario.upsert(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        assert scenario.merge(bob, scenario.upsert(email=CAT)["id"]).status == 200
        scenario.world.deliver()
        for number in range(orders):
            scenario.order(store, f"o-{number}", number, buyer={"externalId": "8"})
        assert scenario.merge(ann, bob).status == 200
        return ann, bob


@contextmanager
def between_calls(step: Callable[[], None], every: int = 1) -> Iterator[None]:
    """Runs the step before so many calls to AWS inside the block, except its own."""
    inside, calls = [False], count()

    def before(_number: int, _operation: str, side: Side) -> None:
        if side is Side.BEFORE and not inside[0] and next(calls) % every == 0:
            inside[0] = True
            with another_container():
                step()
            inside[0] = False

    with around_calls(before):
        yield


class TestManyMerges:
    """Chains, and more merges than a run may do."""

    def test_merge_beyond_chain_limit_is_refused(self, scenario: Scenario) -> None:
        """A profile that still absorbs many isn't merged into another one until that is done."""
        ids = [
            scenario.upsert(email=f"p{n}.{CANARY}@example.com")["id"] for n in range(MAX_STEPS + 1)
        ]
        answers: list[Answer] = []
        for one, other in zip(ids[1:], ids, strict=False):
            answers.append(scenario.merge(one, other))
        assert {answer.status for answer in answers[: MAX_ABSORBING + 1]} == {200}
        assert answers[-1].problem() == (409, "conflict")
        for each in ids[:-1]:
            assert scenario.get(f"/profiles/{each}")["id"] == ids[-2]
        scenario.world.deliver()
        scenario.check_rows()
        assert scenario.merge(ids[-1], ids[0]).status == 200
        assert scenario.get(f"/profiles/{ids[0]}")["id"] == ids[-1]

    def test_run_out_of_time_queues_continuation(
        self, scenario: Scenario, store: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A run that has too little time left queues the next one, which continues."""
        scenario.customer(store, "8", 1, email=BOB)
        ann, bob = scenario.upsert(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        for number in range(3):
            scenario.order(store, f"o-{number}", number, buyer={"externalId": "8"})
        assert scenario.merge(ann, bob).status == 200
        monkeypatch.setattr("storepost.orders.moving.MAX_ORDERS", 1)
        message = ProfileMergeMessage(scenario.workspace.id, UUID(ann))
        run_worker(absorb, message, milliseconds=message.margin_milliseconds - 1)
        scenario.world.deliver_outbox()
        assert scenario.world.queue_depth("ProfileMergeQueue") == 2  # the merge's own, and the next
        scenario.world.deliver()
        scenario.check_rows()

    def test_message_for_unknown_profile_changes_nothing(self, scenario: Scenario) -> None:
        stored = [row.serialize() for row in scenario.world.rows()]
        scenario.run_merge(UUID(int=7))
        assert [row.serialize() for row in scenario.world.rows()] == stored
