"""A placed order's event is in the pointer row of its buyer's partition."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from storepost.people.events.keys import pointer_key
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.rows import OrderPointerItem, ProfileEventItem, release_event
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.harness.call_interruption import (
    Side,
    another_container,
    around_calls,
    before_the_commit,
    counted,
)
from tests.harness.crash_points import crashes
from tests.people.events.event_requests import check_counts, event, events_of, names_of, post_event
from tests.people.matching.scenario import ANN, BOB, Scenario, day


class Shop:
    """A store whose one order Ann placed on the first."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.store = scenario, scenario.store()
        self.order = self.put(1)
        self.ann = scenario.find_profile(email=ANN)["id"]

    def put(self, updated: float, placed: float = 1, email: str = ANN) -> dict[str, Any]:
        """Puts the order as it is since a day."""
        more = {"updatedAt": day(updated), "placedAt": day(placed), "buyer": {"email": email}}
        answer = self.scenario.order(self.store, "o-1", placed, **more)
        assert answer.status in {200, 201}, answer.body
        made: dict[str, Any] = answer.json
        return made

    def delete(self) -> None:
        """Deletes it."""
        assert self.scenario.call("DELETE", f"/stores/{self.store}/orders/o-1").status == 204

    @property
    def pointers(self) -> list[tuple[str, bool]]:
        """The moment of each pointer, and whether it carries the event."""
        rows = self.scenario.world.rows(self.scenario.workspace.key)
        found = [row for row in rows if isinstance(row, OrderPointerItem)]
        return [(row.sk.split("#")[1], row.carries_event) for row in found]

    @property
    def own_rows(self) -> list[str]:
        """The moments of the events that have rows of their own."""
        rows = self.scenario.world.rows(self.scenario.workspace.key)
        events = [row for row in rows if isinstance(row, ProfileEventItem)]
        return [clock.to_text(row.occurred_at) for row in events]

    def separate(self) -> None:
        """Gives the event a row of its own, as an earlier version wrote it."""
        at, order = clock.from_text(day(1)), UUID(self.order["id"])
        key = pointer_key(self.scenario.workspace, UUID(self.ann), at, order)
        changes = Changes()
        release_event(changes, changes.reads.find(OrderPointerItem, key) or OrderPointerItem(*key))
        changes.commit()
        changes = Changes()
        changes.create(OrderPointerItem(*key))
        changes.commit()


@pytest.fixture
def shop(scenario: Scenario) -> Shop:
    """A store with Ann's order."""
    return Shop(scenario)


def merge_into_bob(shop: Shop) -> None:
    """Merges Ann into Bob, of whom more is known."""
    bob = shop.scenario.upsert(email=BOB)["id"]
    assert shop.scenario.merge(bob, shop.ann).status == 200
    for each in (shop.ann, bob):
        shop.scenario.run_merge(each)


def test_pointer_row_contains_event(shop: Shop) -> None:
    assert (shop.pointers, shop.own_rows) == ([(day(1), True)], [])
    post_event(shop.scenario, event({"email": ANN}, at=2))
    assert names_of(shop.scenario, shop.ann) == ["viewed", "order_placed"]
    assert shop.own_rows == [day(2)]
    check_counts(shop.scenario)


@pytest.mark.parametrize("was_separate", [False, True])
@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        (lambda shop: shop.put(2, placed=5), [(day(5), False)]),
        (lambda shop: shop.put(2, email=BOB), [(day(1), False)]),
        (Shop.delete, None),
    ],
    ids=["another_moment", "another_buyer", "deleted"],
)
def test_event_remains_when_pointer_is_moved_or_deleted(
    shop: Shop,
    change: Callable[[Shop], object],
    pointers: list[tuple[str, bool]] | None,
    *,
    was_separate: bool,
) -> None:
    if was_separate:
        shop.separate()
    before = events_of(shop.scenario, shop.ann)
    assert [each["name"] for each in before] == ["order_placed"]
    change(shop)
    assert events_of(shop.scenario, shop.ann) == before
    assert shop.own_rows == [day(1)]
    assert [carries for _, carries in shop.pointers] == [False]
    assert pointers in (None, shop.pointers)
    check_counts(shop.scenario)


@pytest.mark.parametrize("was_separate", [False, True])
def test_merge_moves_pointer_and_event(shop: Shop, *, was_separate: bool) -> None:
    if was_separate:
        shop.separate()
    before = events_of(shop.scenario, shop.ann)
    merge_into_bob(shop)
    bob = shop.scenario.find_profile(email=BOB)["id"]
    assert events_of(shop.scenario, bob) == before
    assert shop.scenario.ids("/orders", profileId=bob) == [shop.order["id"]]
    assert shop.pointers == [(day(1), not was_separate)]
    shop.scenario.check_rows()
    check_counts(shop.scenario)


def test_order_put_after_deletion_has_pointer_without_event(shop: Shop) -> None:
    shop.delete()
    shop.put(3)
    assert (shop.pointers, shop.own_rows) == ([(day(1), False)], [day(1)])
    assert names_of(shop.scenario, shop.ann) == ["order_placed"]
    check_counts(shop.scenario)


@pytest.mark.parametrize("was_separate", [False, True])
@pytest.mark.parametrize("change", [lambda shop: shop.put(2, placed=5), Shop.delete])
def test_event_is_listed_once_while_order_changes(
    shop: Shop, change: Callable[[Shop], object], *, was_separate: bool
) -> None:
    """However the change falls between the calls of a list, the list has the event once."""
    if was_separate:
        shop.separate()
    for query in ({}, {"name": "order_placed"}):
        list_events = partial(names_of, shop.scenario, shop.ann, **query)
        begin = shop.scenario.world.checkpoint()
        for position in range(1, len(counted(list_events)) + 1):
            with around_calls(partial(run_before, position, lambda: change(shop))):
                assert list_events() == ["order_placed"]
            begin()


def run_before(position: int, work: Callable[[], object], number: int, _: str, side: Side) -> None:
    """Does some work in another container just before a call."""
    if (number, side) == (position, Side.BEFORE):
        with another_container():
            work()


@pytest.mark.parametrize("change", [lambda shop: shop.put(2, placed=5), Shop.delete])
def test_killed_at_any_call(shop: Shop, change: Callable[[Shop], object]) -> None:
    for _ in crashes(shop.scenario.world, lambda: change(shop)):
        assert names_of(shop.scenario, shop.ann) == ["order_placed"]
        check_counts(shop.scenario)


def test_concurrent_updates_of_order(shop: Shop) -> None:
    with before_the_commit(lambda: shop.put(2, placed=5)):
        shop.put(3, placed=7)
    assert (shop.pointers, shop.own_rows) == ([(day(7), False)], [day(1)])
    check_counts(shop.scenario)


def delete_event_of(shop: Shop, profile_id: str) -> None:
    """Deletes all events of the profile, as a shop's redaction does."""
    profile = ProfileRepository(shop.scenario.workspace).get(UUID(profile_id))
    assert profile is not None
    events, changes = ProfileEventRepository(shop.scenario.workspace), Changes()
    events.delete(changes, events.of_profile(profile))
    changes.commit()


def test_deleting_event_does_not_remove_order(shop: Shop) -> None:
    delete_event_of(shop, shop.ann)
    assert (shop.pointers, shop.own_rows) == ([(day(1), False)], [])
    assert shop.scenario.ids("/orders", profileId=shop.ann) == [shop.order["id"]]


@pytest.mark.parametrize("change", [lambda shop: shop.put(2, placed=5), Shop.delete])
def test_concurrently_deleted_event_is_not_restored(
    shop: Shop, change: Callable[[Shop], object]
) -> None:
    with before_the_commit(lambda: delete_event_of(shop, shop.ann)):
        change(shop)
    assert (shop.own_rows, [carries for _, carries in shop.pointers]) == ([], [False])


def test_event_deleted_while_moved_by_merge_is_not_restored(shop: Shop) -> None:
    bob = shop.scenario.upsert(email=BOB)["id"]
    assert shop.scenario.merge(bob, shop.ann).status == 200
    deleted: list[int] = []

    def step(number: int, operation: str, side: Side) -> None:
        if operation == "TransactWriteItems" and side is Side.BEFORE and not deleted:
            deleted.append(number)
            delete_event_of(shop, bob)

    with around_calls(step):
        shop.scenario.run_merge(shop.ann)
        shop.scenario.run_merge(bob)
    assert deleted
    assert (shop.pointers, shop.own_rows) == ([(day(1), False)], [])
