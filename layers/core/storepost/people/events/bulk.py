"""Records many events of many people, in several transactions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.events.model import IncomingEvent
from storepost.people.events.recording import (
    EventContext,
    ImportResult,
    Person,
    record_some,
    unique_of,
)
from storepost.people.events.repository import ProfileEventRepository
from storepost.people.events.stores import read_in_store, stores_of, unknown_stores
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.model import Identity
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import claim_keys, keys_behind, look_up
from storepost.platform.persistence.changes import Changes, TooManyWrites
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.reads import ReadAhead
from storepost.platform.persistence.rounds import in_parts, in_rounds
from storepost.values.scope import WorkspaceScope

ROOM = 76
"""Writes of people per transaction; the remaining items are for the nodes of the lists."""

MAX_OF_ONE = 70
"""Writes of one person per transaction, without the nodes of lists; the rest is written in the next
one.
"""


class BatchResult(StrEnum):
    """Says what became of an event; a letter, as the ledger keeps it."""

    ACCEPTED = "a"
    DUPLICATE = "d"
    """Its unique id was known."""

    @classmethod
    def of(cls, recorded: ImportResult) -> "BatchResult":
        """Returns the result's letter."""
        return cls.ACCEPTED if recorded.event else cls.DUPLICATE


class EventRefusal(StrEnum):
    """Says why an event that can be read isn't recorded."""

    PROFILE = "profile_unknown"
    STORE = "store_unknown"
    PHONE = "profile_invalid"


def record_events(
    caller: WorkspaceCaller, events: Sequence[IncomingEvent], ledger: Ledger
) -> tuple[Counter[BatchResult], dict[int, EventRefusal]]:
    """Records the events; returns their numbers by result, and the refusals by row.

    Raises Conflict where other writers keep changing the same people; committed transactions stay.
    """
    events, refused = _read_in_stores(caller.workspace, events)
    context = replace(EventContext.of(caller), now=ledger.began)

    def remaining() -> list[IncomingEvent]:
        open_ones = (e for e in events if ledger.outcome(e.row) is None)
        return [event for event in open_ones if event.row not in refused]

    def record(some: Sequence[IncomingEvent]) -> None:
        work = _Round(context, some, ledger)
        refused.update(dict.fromkeys(work.unranked, EventRefusal.PROFILE))
        work.record()

    ledger.read()  # of when it began
    in_rounds(ledger, remaining, record)
    outcomes = (ledger.outcome(event.row) for event in events)
    return Counter(BatchResult(outcome) for outcome in outcomes if outcome), refused


def _read_in_stores(
    workspace: WorkspaceScope, events: Sequence[IncomingEvent]
) -> tuple[list[IncomingEvent], dict[int, EventRefusal]]:
    """The events as their stores read them, and the refusals by row."""
    known = stores_of(workspace, {each for event in events for each in event.stores})
    read, refused = list[IncomingEvent](), dict[int, EventRefusal]()
    for event in events:
        if unknown_stores(event, known):
            refused[event.row] = EventRefusal.STORE
            continue
        try:
            read.append(read_in_store(event, known))
        except ValueError:
            refused[event.row] = EventRefusal.PHONE
    return read, refused


def _writes_of(event: IncomingEvent) -> int:
    """How many rows an event takes: one, and one more for its unique id."""
    return 1 if event.unique_id is None else 2


@dataclass(frozen=True)
class _Group:
    """Events of one person, in the request's order."""

    person: Person
    events: list[IncomingEvent]

    @property
    def writes(self) -> int:
        """Returns the most rows to write, without the nodes of the lists."""
        return sum(map(_writes_of, self.events)) + (1 if self.person.before else 6)

    @property
    def sort_key(self) -> tuple[bool, datetime, str]:
        """People who are adjacent by this are adjacent in a list, where they share nodes."""
        before, first = self.person.before, self.events[0]
        if before:
            return (False, before.first_seen_at, "")
        named = first.person.value if isinstance(first.person, Identity) else ""
        return (True, first.occurred_at or datetime.min.replace(tzinfo=UTC), named)


class _Round:
    """The people of some events, as read at one time."""

    def __init__(
        self, context: EventContext, events: Sequence[IncomingEvent], ledger: Ledger
    ) -> None:
        """Reads everything; a hundred rows per call."""
        self._context, self._ledger, self._reads = context, ledger, ReadAhead()
        self.unranked: list[int] = []
        """Rows of the events whose profile doesn't exist."""
        self._groups = self._grouped(events)
        self._read_uniques()

    def record(self) -> None:
        """Records the events, in as many transactions as needed. Raises LostRace."""
        in_parts(self._groups, ROOM, lambda group: group.writes, self._record_fitting)

    def _grouped(self, events: Sequence[IncomingEvent]) -> list[_Group]:
        """The events by person; people adjacent in a list are adjacent."""
        workspace, groups = self._context.workspace, dict[UUID | Identity, _Group]()
        named = dict.fromkeys(e.person for e in events if isinstance(e.person, Identity))
        ids = {event.person for event in events if isinstance(event.person, UUID)}
        claims = claim_keys(workspace, named)
        self._reads.prefetch([*claims.values(), *(profile_key(workspace, each) for each in ids)])
        self._reads.prefetch(keys_behind(workspace, claims, self._reads))
        repository = ProfileRepository(workspace, self._reads)
        known, by_id = look_up(repository, named), repository.by_id(ids)
        for event in events:
            person = event.person
            before = known.holder_of(person) if isinstance(person, Identity) else by_id.get(person)
            if before is None and isinstance(person, UUID):
                self.unranked.append(event.row)
                continue
            key = before.id if before else person
            group = groups.setdefault(key, _Group(Person(before, known), []))
            if not group.events or group.writes + _writes_of(event) <= MAX_OF_ONE:
                group.events.append(event)
        return sorted(groups.values(), key=lambda group: group.sort_key)

    def _read_uniques(self) -> None:
        repository, keys = ProfileEventRepository(self._context.workspace), list[Key]()
        for group in self._groups:
            if group.person.before:
                uniques = filter(None, map(unique_of, group.events))
                keys_of = repository.unique_keys(group.person.before, uniques)
                keys += chain.from_iterable(keys_of.values())
        self._reads.prefetch(keys)

    def _record_fitting(self, groups: Sequence[_Group]) -> None:
        """Records the events of some people, or half of one person's; the next round does the rest.

        An older event of a person whom many stores know moves an entry in each store's list, too.
        Raises TooManyWrites for several people, or for one event.
        """
        try:
            self._record_part(groups)
        except TooManyWrites:
            events = groups[0].events
            if len(groups) > 1 or len(events) == 1:
                raise
            self._record_fitting([replace(groups[0], events=events[: len(events) // 2])])

    def _record_part(self, groups: Sequence[_Group]) -> None:
        """Records the events of some people in one transaction."""
        self._reads.next()
        changes, results = Changes(self._reads), dict[int, str]()
        for group in groups:
            recorded = record_some(changes, self._context, group.person, group.events)
            rows = (event.row for event in group.events)
            results |= dict(zip(rows, map(BatchResult.of, recorded), strict=True))
        self._ledger.commit(changes, results)
