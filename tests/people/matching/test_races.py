"""Merges beside what else happens to the same people: whoever comes second decides anew."""

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
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Town, day


@pytest.fixture
def store(town: Town) -> str:
    """A store."""
    return town.store()


@pytest.fixture
def two(town: Town, store: str) -> tuple[str, str]:
    """Ann, a customer with an order, and Bob, who has an email."""
    town.customer(store, "7", 1, email=ANN)
    town.order(store, "o-1", 1, buyer={"externalId": "7"})
    return town.whose(email=ANN)["id"], town.upsert(email=BOB)["id"]


def merging_them(town: Town, into: str, other: str) -> Callable[[], None]:
    """A merge by hand."""

    def merge() -> None:
        assert town.merge(into, other).status == 200

    return merge


class TestMeanwhile:
    """A merge commits after another request has read its people and before it writes."""

    def check(self, town: Town, into: str, other: str, orders: int) -> None:
        """One person, with everything, before the worker runs and after."""
        for _ in range(2):
            assert town.get(f"/profiles/{other}") == town.get(f"/profiles/{into}")
            assert town.get(f"/profiles/{into}")["orders"] == orders
            assert town.get("/orders", profileId=into)["total"] == orders
            assert len(town.get("/orders", profileId=other)["items"]) == orders
            assert town.get("/profiles")["total"] == 1
            town.world.deliver()
            town.check_rows()

    @pytest.mark.parametrize("number", [1, 2])
    def test_an_order_is_put(
        self, town: Town, store: str, two: tuple[str, str], number: int
    ) -> None:
        ann, bob = two
        with before_the_commit(merging_them(town, bob, ann)):
            put = town.order(store, f"o-{number}", 3, buyer={"externalId": "7"}, updatedAt=day(9))
        assert put.json["buyer"]["profileId"] == bob
        self.check(town, bob, ann, number)

    def test_an_order_is_deleted(self, town: Town, store: str, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(town, bob, ann)):
            assert town.call("DELETE", f"/stores/{store}/orders/o-1").status == 204
        self.check(town, bob, ann, 0)

    def test_a_customer_is_put(self, town: Town, store: str, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(town, bob, ann)):
            assert town.customer(store, "7", 5, email=ANN, firstName="Ann").status == 200
        assert town.get(f"/profiles/{bob}")["firstName"] == "Ann"
        self.check(town, bob, ann, 1)

    def test_consent_changes(self, town: Town, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(town, bob, ann)):
            change = town.consent(ann, "subscribed").json
        assert change["address"] == BOB  # what the person shows by then
        self.check(town, bob, ann, 1)
        assert town.get(f"/profiles/{ann}")["emailMarketingConsent"] == "subscribed"
        assert town.get("/profiles", emailMarketingConsent="subscribed")["total"] == 1

    def test_consent_changes_first(self, town: Town, two: tuple[str, str]) -> None:
        """The merge that reads the other state comes second, and shows the new one."""
        ann, bob = two
        town.call("PATCH", f"/profiles/{bob}", {"email": None})

        def subscribe() -> None:
            assert town.consent(ann, "subscribed").status == 200

        with before_the_commit(subscribe):
            merged = town.merge(bob, ann)
        assert merged.json["emailMarketingConsent"] == "subscribed"
        self.check(town, bob, ann, 1)

    def test_the_other_way_round(self, town: Town, two: tuple[str, str]) -> None:
        ann, bob = two
        with before_the_commit(merging_them(town, bob, ann)):
            answer = town.merge(ann, bob)
        assert answer.problem() == (409, "same_profile")
        self.check(town, bob, ann, 1)

    def test_one_of_them_goes_elsewhere(self, town: Town, two: tuple[str, str]) -> None:
        ann, bob = two
        cat = town.upsert(email=CAT)["id"]
        with before_the_commit(merging_them(town, cat, ann)):
            assert town.merge(bob, ann).json["id"] == bob
        self.check(town, bob, cat, 1)
        assert town.get(f"/profiles/{ann}")["id"] == bob

    def test_they_merge_by_themselves_at_once(self, town: Town, store: str) -> None:
        """Two arrivals that both name two people: one merge, and both arrivals count."""
        town.upsert(email=ANN)
        town.upsert(phone=PHONE)

        def order() -> None:
            put = town.order(store, "o-1", 1, buyer={"email": ANN, "phone": PHONE})
            assert put.status == 201

        with before_the_commit(order):
            put = town.order(store, "o-2", 1, buyer={"email": ANN, "phone": PHONE})
        assert put.status == 201
        person = town.whose(email=ANN)
        assert (person["orders"], person["phone"]) == (2, PHONE)
        assert town.get(f"/profiles/{person['id']}/merges")["total"] == 1
        town.world.deliver()
        town.check_rows()


class TestWhileRowsMove:
    """Whatever is asked between two calls of the worker."""

    def test_reads_see_everything_once(self, town: Town, store: str) -> None:
        ann, bob = self.merged(town, store, MAX_ORDERS + 5)

        def look() -> None:
            for name in (ann, bob):
                found = town.get("/orders", profileId=name, pageSize=50)
                assert found["total"] == MAX_ORDERS + 5
                placed = [row["placedAt"] for row in found["items"]]
                assert placed == [day(n) for n in reversed(range(MAX_ORDERS + 5))]
                assert len(town.get(f"/profiles/{name}/merges")["items"]) == 2

        with between_calls(look):
            town.run_merge(ann)
        town.check_rows()

    def test_writes_go_to_the_survivor(self, town: Town, store: str) -> None:
        ann, bob = self.merged(town, store, 4)
        numbers = iter(range(1000))

        def put() -> None:
            number = next(numbers)
            buyer = {"externalId": "8"}
            updated = day(100 + number)
            known = town.order(
                store, f"o-{number % 4}", 50 + number, buyer=buyer, updatedAt=updated
            )
            assert (known.status, known.json["buyer"]["profileId"]) == (200, ann)
            new = town.order(store, f"n-{number}", 9, buyer=buyer)
            assert (new.status, new.json["buyer"]["profileId"]) == (201, ann)
            assert town.customer(store, "8", 100 + number, email=BOB).status == 200

        with between_calls(put, every=5):
            town.run_merge(ann)
        town.check_rows()
        orders = 4 + next(numbers)
        assert orders > 6
        assert town.get(f"/profiles/{bob}")["orders"] == orders
        found = town.get("/orders", profileId=ann, pageSize=100)
        assert (found["total"], len(found["items"])) == (orders, min(orders, 100))

    def merged(self, town: Town, store: str, orders: int) -> tuple[str, str]:
        """Ann, and Bob who has just become a part of her, with Cat and so many orders."""
        town.customer(store, "8", 1, email=BOB)
        ann, bob = town.upsert(email=ANN)["id"], town.whose(email=BOB)["id"]
        assert town.merge(bob, town.upsert(email=CAT)["id"]).status == 200
        town.world.deliver()
        for number in range(orders):
            town.order(store, f"o-{number}", number, buyer={"externalId": "8"})
        assert town.merge(ann, bob).status == 200
        return ann, bob


@contextmanager
def between_calls(step: Callable[[], None], every: int = 1) -> Iterator[None]:
    """Runs the step before so many calls to AWS inside the block, but not for its own."""
    inside, calls = [False], count()

    def before(_number: int, _operation: str, side: Side) -> None:
        if side is Side.BEFORE and not inside[0] and next(calls) % every == 0:
            inside[0] = True
            with another_container():
                step()
            inside[0] = False

    with around_calls(before):
        yield


class TestManyAtOnce:
    """Chains, and more than a run may take."""

    def test_a_chain_has_a_bound(self, town: Town) -> None:
        """Who is still absorbing many isn't merged into another one before that is done."""
        ids = [town.upsert(email=f"p{n}.{CANARY}@example.com")["id"] for n in range(MAX_STEPS + 1)]
        answers: list[Answer] = []
        for one, other in zip(ids[1:], ids, strict=False):
            answers.append(town.merge(one, other))
        assert {answer.status for answer in answers[: MAX_ABSORBING + 1]} == {200}
        assert answers[-1].problem() == (409, "conflict")
        for each in ids[:-1]:
            assert town.get(f"/profiles/{each}")["id"] == ids[-2]
        town.world.deliver()
        town.check_rows()
        assert town.merge(ids[-1], ids[0]).status == 200
        assert town.get(f"/profiles/{ids[0]}")["id"] == ids[-1]

    def test_time_is_up(self, town: Town, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """A run that has too little time left sends the next one, which goes on."""
        town.customer(store, "8", 1, email=BOB)
        ann, bob = town.upsert(email=ANN)["id"], town.whose(email=BOB)["id"]
        for number in range(3):
            town.order(store, f"o-{number}", number, buyer={"externalId": "8"})
        assert town.merge(ann, bob).status == 200
        monkeypatch.setattr("storepost.orders.moving.MAX_ORDERS", 1)
        message = ProfileMergeMessage(town.workspace.id, UUID(ann))
        run_worker(absorb, message, milliseconds=message.margin_milliseconds - 1)
        town.world.deliver_outbox()
        assert town.world.queue_depth("ProfileMergeQueue") == 2  # the merge's own, and the next
        town.world.deliver()
        town.check_rows()

    def test_a_message_about_nobody(self, town: Town) -> None:
        held = [row.serialize() for row in town.world.rows()]
        town.run_merge(UUID(int=7))
        assert [row.serialize() for row in town.world.rows()] == held
