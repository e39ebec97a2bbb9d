"""Records one event of a request, or several events of one person in a unit of work."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.events.keys import event_key
from storepost.people.events.model import EventSource, IncomingEvent, ProfileEvent
from storepost.people.events.repository import ProfileEventRepository, Unique
from storepost.people.events.stores import checked
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.model import Identity, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities, look_up
from storepost.people.profiles.service import profile_in_body
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Person:
    """The person whose events are recorded, with the holders of their identities."""

    before: Profile | None
    """None for a new profile."""
    known: KnownIdentities


@dataclass(frozen=True)
class EventContext:
    """The sender of events, the time, and the workspace."""

    workspace: WorkspaceScope
    source: EventSource
    now: datetime

    @classmethod
    def of(cls, caller: WorkspaceCaller) -> "EventContext":
        """Returns a request's context: the source is `api` for a key, `manual` for a person."""
        source = EventSource.API if caller.key else EventSource.MANUAL
        return cls(caller.workspace, source, clock.now())

    def event(self, incoming: IncomingEvent) -> ProfileEvent:
        """Returns the event as it is stored; ids of events of one time sort by recording order."""
        return ProfileEvent(
            id=timed_id(self.now, incoming.row),
            name=incoming.name,
            source=self.source,
            occurred_at=incoming.occurred_at or self.now,
            store_id=incoming.store_id,
            properties=incoming.properties,
        )


@dataclass(frozen=True)
class ImportResult:
    """The result of recording an event."""

    sort_key: str
    """The event's own, or that of the first event with its unique id."""
    event: ProfileEvent | None
    """None where its unique id is known."""


def record_event(
    caller: WorkspaceCaller, incoming: IncomingEvent, changes: Changes
) -> tuple[ProfileEvent, bool]:
    """Returns the event, or the first one with its unique id, and whether it is new.

    Raises ValidationFailed where the workspace has no such profile, or no such store, and where the
    phone number isn't possible.
    """
    workspace = caller.workspace
    incoming = checked(workspace, incoming)
    person = _person(workspace, incoming.person)
    [recorded] = record_some(changes, EventContext.of(caller), person, [incoming])
    if recorded.event:
        return recorded.event, True
    repository = ProfileEventRepository(workspace)
    first = repository.get(person.before, recorded.sort_key) if person.before else None
    if first is None:
        raise LostRace()
    return first, False


def record_some(
    changes: Changes, context: EventContext, person: Person, events: Sequence[IncomingEvent]
) -> list[ImportResult]:
    """Adds the events of one person to a unit of work; adds nothing where all are known.

    The profile is written once.
    """
    repository = ProfileEventRepository(context.workspace, changes.reads)
    uniques = [unique_of(incoming) for incoming in events]
    unique_ids = {unique for unique in uniques if unique}
    known = repository.known(person.before, unique_ids) if person.before and unique_ids else {}
    new, recorded = list[tuple[IncomingEvent, ProfileEvent]](), list[ImportResult]()
    for incoming, unique in zip(events, uniques, strict=True):
        if unique and unique in known:
            recorded.append(ImportResult(known[unique], None))
            continue
        event = context.event(incoming)
        _, sort_key = event_key(context.workspace, event.id, event)
        known |= {unique: sort_key} if unique else {}
        new.append((incoming, event))
        recorded.append(ImportResult(sort_key, event))
    if new:
        profile = _save(changes, context, person, new)
        for incoming, event in new:
            repository.add(changes, profile.id, event, incoming.unique_id)
    return recorded


def _person(workspace: WorkspaceScope, named: UUID | Identity) -> Person:
    if isinstance(named, UUID):
        return Person(profile_in_body(workspace, named, "/profile/id"), KnownIdentities({}, {}))
    known = look_up(ProfileRepository(workspace), [named])
    return Person(known.holder_of(named), known)


def _save(
    changes: Changes,
    context: EventContext,
    person: Person,
    new: Sequence[tuple[IncomingEvent, ProfileEvent]],
) -> Profile:
    """Writes the profile, with its count of events and the times at which it was seen."""
    moments = [event.occurred_at for _, event in new]
    before, seen = person.before, dict[Identity, list[datetime]]()
    for incoming, event in new:
        if isinstance(incoming.person, Identity):
            seen.setdefault(incoming.person, []).append(event.occurred_at)
    profile = before or Profile(
        timed_id(context.now), context.workspace, min(moments), max(moments)
    )
    profile = profile.seen(*moments).identified(seen)
    profile = replace(profile, events=profile.events + len(new))
    profile = show_consents(changes, before, profile, {})
    repository = ProfileRepository(context.workspace, changes.reads)
    repository.save(changes, before, profile)
    repository.claim(changes, profile, person.known.claims, seen)
    return profile


def unique_of(incoming: IncomingEvent) -> Unique | None:
    """Returns the pair that only one event may have; None for an event without a unique id."""
    return (incoming.name, incoming.unique_id) if incoming.unique_id is not None else None
