"""The order in which a load's transactions and concurrent requests took effect.

A load may have decided its write before another request committed, if that changed none of the rows
on which it depends: then the load's write counts as the earlier one. So the model looks for any
order that explains the stored rows.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from typing import ClassVar

from local import functions
from storepost.people.profiles.model import Identity
from storepost.platform.persistence.item import Item
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World
from tests.people.matching.model import Model
from tests.people.matching.model_records import Person, Refused
from tests.sync.batches.agreement import agrees

type Happen = Callable[[Model], None]


@dataclass
class Event:
    """An event that may be replayed at another place."""

    happen: Happen
    before: Model
    ids: dict[tuple[Identity, ...], str] = field(default_factory=dict)
    """Of people who were new then, by what they were named by."""
    is_request: bool = False
    """Whether it is somebody else's, and not a load's."""


class ReplayedModel(Model):
    """A model in which a replayed event creates the same people as at first."""

    event: ClassVar[Event | None] = None

    def _arrives(
        self,
        identities: list[Identity],
        moments: tuple[datetime, datetime],
        cause: tuple[str | None, str],
        new: Callable[[], str],
    ) -> Person:
        event = ReplayedModel.event
        if event is None:
            return super()._arrives(identities, moments, cause, new)

        def known() -> str:
            named = tuple(identities)
            if named not in event.ids:
                event.ids[named] = new()
            return event.ids[named]

        return super()._arrives(identities, moments, cause, known)


@dataclass
class Timeline:
    """The events since a run began."""

    world: World
    workspace: WorkspaceScope
    events: list[Event] = field(default_factory=list)
    has_requests: bool = False
    """Whether any of it is somebody else's."""

    def add(self, model: Model, happen: Happen) -> None:
        """Applies a request, after all events so far. Raises Refused."""
        event = Event(happen, deepcopy(model), is_request=True)
        self._do(model, event)
        self.events.append(event)
        self.has_requests = True

    def insert(self, model: Model, happen: Happen, upcoming: Sequence[Happen] = ()) -> Model:
        """Applies a load's transaction, at any place among the events; returns the model then.

        One of the `upcoming` may be done by then: people are merged before the record that merges
        them.
        """
        rows = self._rows() if self.has_requests else None
        for place, sequence in self._orders(Event(happen, model), upcoming):
            start = self.events[place].before if place < len(self.events) else model
            found = self._replayed(start, place, sequence, rows)
            if found is not None:
                return found
        raise AssertionError("no order of what happened explains what is stored")

    def _orders(
        self, event: Event, upcoming: Sequence[Happen]
    ) -> Iterator[tuple[int, Sequence[Event]]]:
        """The events from a place on, with the new one at each place, the last place first.

        Then with the requests at other places among the loads' events: of two orders that agreed,
        the other one may let the event follow. Then with one of the `upcoming` in addition, before
        any event that it may precede.
        """
        last = len(self.events)
        places = range(last, -1, -1) if self.has_requests else [last]
        for place in places:
            yield place, [event, *self.events[place:]]
        yield from ((0, events) for events in self._interleaved(event))
        for happen in upcoming:
            also = Event(happen, event.before)
            for place in places:
                events = [*self.events[:place], event, *self.events[place:]]
                for at in range(last + 1, -1, -1):
                    first = min(place, at)
                    yield first, [*events[first:at], also, *events[at:]]

    def _interleaved(self, event: Event) -> Iterator[Sequence[Event]]:
        """The requests and the loads' events, each in their order, in all orders of both."""
        requests = [each for each in self.events if each.is_request]
        loads = [*(each for each in self.events if not each.is_request), event]
        count = len(requests) + len(loads)
        for places in combinations(range(count), len(requests)):
            of_requests, of_loads = iter(requests), iter(loads)
            yield [next(of_requests if at in places else of_loads) for at in range(count)]

    def _replayed(
        self, start: Model, place: int, sequence: Sequence[Event], rows: Sequence[Item] | None
    ) -> Model | None:
        """The model after the events; None if that order is impossible, or the rows disagree."""
        model, events = deepcopy(start), list[Event]()
        for event in sequence:
            again = Event(event.happen, deepcopy(model), event.ids, event.is_request)
            try:
                self._do(model, again)
            except (Refused, AssertionError, LookupError):
                return None
            events.append(again)
        if rows is not None and not agrees(self.workspace, rows, model):
            return None
        self.events = [*self.events[:place], *events]
        return model

    def _do(self, model: Model, event: Event) -> None:
        ReplayedModel.event = event
        try:
            event.happen(model)
        finally:
            ReplayedModel.event = None

    def _rows(self) -> list[Item]:
        with functions.outside():
            return self.world.rows(self.workspace.key)
