"""Where events stand: with their profiles, by time, and what says that one is known."""

from datetime import datetime
from uuid import UUID

from storepost.people.events.model import ProfileEvent
from storepost.platform.persistence.item import Key
from storepost.values import clock
from storepost.values.ids import derived_id, short
from storepost.values.scope import WorkspaceScope


def event_partition(workspace: WorkspaceScope, profile_id: UUID) -> str:
    """Returns the partition of a profile, which has its events."""
    return workspace.partition("profile", short(profile_id))


def event_prefix(moment: datetime | None = None) -> str:
    """Returns how the sort keys of events begin;
    of a moment, they follow this and what is earlier not.
    """
    return f"event#{clock.to_text(moment)}" if moment else "event#"


def event_key(workspace: WorkspaceScope, profile_id: UUID, event: ProfileEvent) -> Key:
    """Returns where a profile's partition has an event."""
    moment = clock.to_text(event.occurred_at)
    return (workspace.partition("profile", short(profile_id)), f"event#{moment}#{short(event.id)}")


def unique_prefix() -> str:
    """Returns how the sort keys of known unique ids begin."""
    return "unique_event#"


def unique_key(workspace: WorkspaceScope, profile_id: UUID, name: str, unique_id: str) -> Key:
    """Returns where a profile's partition says which event of a name has a unique id.

    Both are texts of any length up to 255, too long for a key.
    """
    unique = derived_id(derived_id(workspace.id, "event", name), unique_id)
    return (workspace.partition("profile", short(profile_id)), f"unique_event#{short(unique)}")
