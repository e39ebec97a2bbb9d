"""Requests that create events, and reads of them."""

from typing import Any
from uuid import UUID

from storepost.people.events.rows import OrderPointerItem, ProfileEventItem, UniqueEventItem
from storepost.people.profiles.rows import ProfileItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item
from storepost.stores.stores.model import Platform, Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.ids import new_id
from tests.harness.world import Answer
from tests.people.matching.scenario import Scenario, day

SHOWN = ("name", "source", "occurredAt", "storeId", "properties")


def event(profile: dict[str, Any], name: str = "viewed", at: float = 1, **more: Any) -> Any:
    """An event's body: its person, its name, and its day of the year."""
    return {"profile": profile, "name": name, "occurredAt": day(at), "properties": {}, **more}


def post_event(scenario: Scenario, body: Any, **more: Any) -> Answer:
    """Creates one event."""
    return scenario.call("POST", "/events", body, **more)


def post_events(scenario: Scenario, *events: Any, **more: Any) -> Answer:
    """Creates many events."""
    return scenario.call("POST", "/events/bulk", {"events": list(events)}, **more)


def bulk_outcome(scenario: Scenario, *events: Any) -> tuple[int, int, list[tuple[int, str]]]:
    """The result of a bulk: accepted, duplicates, and index and code of each failed event."""
    answer = post_events(scenario, *events)
    assert answer.status == 200, answer.body
    assert set(answer.json) == {"accepted", "duplicates", "failed"}
    assert all(set(row) == {"index", "code", "detail"} for row in answer.json["failed"])
    failed = [(row["index"], row["code"]) for row in answer.json["failed"]]
    return answer.json["accepted"], answer.json["duplicates"], failed


def events_of(scenario: Scenario, profile: str | UUID, **query: object) -> list[dict[str, Any]]:
    """A profile's events, on as many pages as it takes, less their ids."""
    found: list[dict[str, Any]] = []
    path = f"/profiles/{profile}/events"
    while True:
        page = scenario.get(path, pageSize=100, page=len(found) // 100 + 1, **query)
        found += page["items"]
        if not page["items"] or len(found) == page["total"]:
            assert len(found) == page["total"]
            assert len({row["id"] for row in found}) == len(found)
            return [{name: row[name] for name in SHOWN} for row in found]


def names_of(scenario: Scenario, profile: str | UUID, **query: object) -> list[str]:
    """The names of a profile's events, the newest first."""
    return [row["name"] for row in events_of(scenario, profile, **query)]


def check_counts(scenario: Scenario) -> None:
    """Each profile counts the events of its partition; each unique id names one of them."""
    rows = scenario.world.rows(scenario.workspace.key)
    events = [row for row in rows if has_event(row)]
    for profile in (row for row in rows if isinstance(row, ProfileItem)):
        assert int(profile.events or 0) == sum(row.pk == profile.pk for row in events)
    keys = {row.key for row in events if isinstance(row, ProfileEventItem)}
    uniques = [row for row in rows if isinstance(row, UniqueEventItem)]
    assert {(row.pk, row.event) for row in uniques} <= keys


def has_event(row: Item) -> bool:
    """Whether the row has an event: its own, or that of a placed order."""
    return isinstance(row, ProfileEventItem) or (
        isinstance(row, OrderPointerItem) and row.carries_event
    )


def shopify_store(scenario: Scenario) -> str:
    """A store of the workspace on Shopify, as connecting one leaves it."""
    made = StoreRepository(scenario.workspace).all()
    custom = next(iter(made), None) or StoreRepository(scenario.workspace).get(
        UUID(scenario.store())
    )
    assert custom is not None
    store = Store(**{**vars(custom), "id": new_id(), "platform": Platform.SHOPIFY})
    changes = Changes()
    StoreRepository(scenario.workspace).save(changes, store)
    changes.commit()
    return str(store.id)
