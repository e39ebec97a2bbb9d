"""A profile's list of events against a plain list: every filter, page and total."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.people.events import reading
from storepost.people.events.keys import pointer_key
from storepost.people.events.model import EventSource, ProfileEvent
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.rows import pointer_row
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from tests.harness.world import World
from tests.people.matching.scenario import NEW_YEAR, Scenario

NAMES = ("viewed", "bought", "view")
STORES = (new_id(), new_id())
MOMENTS = tuple(NEW_YEAR + timedelta(milliseconds=n) for n in range(8))

EVENTS = st.lists(
    st.builds(
        ProfileEvent,
        id=st.uuids(version=4),
        name=st.sampled_from(NAMES),
        source=st.sampled_from(EventSource),
        occurred_at=st.sampled_from(MOMENTS),
        store_id=st.sampled_from((*STORES, None)),
        properties=st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    ),
    max_size=40,
    unique_by=lambda event: event.id,
)
FILTERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from((*NAMES, "never")),
        "source": st.sets(st.sampled_from(EventSource), min_size=1),
        "storeId": st.sampled_from(STORES),
        "occurredFrom": st.sampled_from(MOMENTS),
        "occurredTo": st.sampled_from(MOMENTS),
    },
)


def is_span(filters: dict[str, Any]) -> bool:
    """Whether the queried time doesn't end before it begins: that is refused."""
    return bool(filters.get("occurredFrom", MOMENTS[0]) <= filters.get("occurredTo", MOMENTS[-1]))


class Lister:
    """A workspace for all examples: each has its own profile."""

    def __init__(self) -> None:
        self.scenario = Scenario(World())

    def holder_of(self, parts: list[list[ProfileEvent]], of_orders: set[UUID]) -> Profile:
        """A profile with these events.

        Those of all parts but the last are still in partitions of profiles that were merged into
        it. Those of orders are in the orders' pointers, beside pointers without one.
        """
        workspace, repository = (
            self.scenario.workspace,
            ProfileEventRepository(self.scenario.workspace),
        )
        *pending_sources, own = ids = [new_id() for _ in parts]
        for holder, events in zip(ids, parts, strict=True):
            changes = Changes()
            for event in events:
                at, order = event.occurred_at, new_id()
                if event.id in of_orders:  # such events are listed by the order's id
                    key = pointer_key(workspace, holder, at, event.id)
                    changes.create(pointer_row(key, event))
                else:
                    repository.add(changes, holder, event)
                    changes.create(pointer_row(pointer_key(workspace, holder, at, order), None))
            changes.commit()
        count = len({event.id for events in parts for event in events})
        moving = tuple(pending_sources)
        profile = Profile(own, workspace, NEW_YEAR, NEW_YEAR, events=count, pending_sources=moving)
        changes = Changes()
        ProfileRepository(workspace).save(changes, None, profile)
        changes.commit()
        return profile


@pytest.fixture(scope="module")
def lister() -> Iterator[Lister]:
    """The workspace."""
    made = Lister()
    yield made
    made.scenario.world.close()


def passes(event: ProfileEvent, filters: dict[str, Any]) -> bool:
    """Whether the event matches the query."""
    return (
        event.name == filters.get("name", event.name)
        and event.source in filters.get("source", EventSource)
        and event.store_id == filters.get("storeId", event.store_id)
        and event.occurred_at >= filters.get("occurredFrom", MOMENTS[0])
        and event.occurred_at < filters.get("occurredTo", MOMENTS[-1] + timedelta(days=1))
    )


def sent(filters: dict[str, Any]) -> dict[str, Any]:
    """The same as a query."""
    query = dict(filters)
    for name in {"occurredFrom", "occurredTo"} & set(query):
        query[name] = clock.to_text(query[name])
    if "source" in query:
        query["source"] = ",".join(sorted(query["source"]))
    return query


@settings(max_examples=60, deadline=None)
@given(EVENTS, FILTERS.filter(is_span), st.integers(0, 2), st.integers(1, 9), st.data())
def test_list_matches_plain_list(
    lister: Lister,
    events: list[ProfileEvent],
    filters: dict[str, Any],
    merged: int,
    window: int,
    data: st.DataObject,
) -> None:
    """Also while some are being moved, and if a few are found in both places."""
    parts: list[list[ProfileEvent]] = [[] for _ in range(merged + 1)]
    for event in events:
        parts[data.draw(st.integers(0, merged))].append(event)
    parts[-1] += parts[0][:2] if merged else []
    of_orders = {event.id for event in events if data.draw(st.booleans())}
    profile = lister.holder_of(parts, of_orders)
    expected = sorted(
        (event for event in events if passes(event, filters)),
        key=lambda event: (event.occurred_at, event.id),
        reverse=True,
    )
    for page in range(1, 6):
        query = {**sent(filters), "page": page, "pageSize": 10}
        with mock.patch.object(reading, "MAX_WINDOW", window):
            found = lister.scenario.get(f"/profiles/{profile.id}/events", **query)
        assert (found["total"], found["page"], found["pageSize"]) == (len(expected), page, 10)
        shown = expected[(page - 1) * 10 : page * 10]
        assert [row["id"] for row in found["items"]] == [str(event.id) for event in shown]
        assert [row["properties"] for row in found["items"]] == [e.properties for e in shown]
