"""Keys of events, which are stored with their profiles by time, and of their unique ids."""

from datetime import datetime
from uuid import UUID

from storepost.people.events.model import ProfileEvent
from storepost.platform.persistence.item import Key
from storepost.values import clock
from storepost.values.ids import derived_id, short
from storepost.values.scope import WorkspaceScope

EVENTS = "event#"
ORDERS = "order#"
"""The pointers to orders, which carry events."""
UNIQUE_IDS = "unique_event#"


def event_partition(workspace: WorkspaceScope, profile_id: UUID) -> str:
    """Returns the partition of a profile, which has its events."""
    return workspace.partition("profile", short(profile_id))


def pointer_key(
    workspace: WorkspaceScope, profile_id: UUID, placed_at: datetime, order: UUID
) -> Key:
    """Returns the key of a profile's pointer to one of its orders, by time."""
    return (
        event_partition(workspace, profile_id),
        f"{ORDERS}{clock.to_text(placed_at)}#{short(order)}",
    )


def bounds(prefix: str, since: str, until: str) -> tuple[str, str]:
    """Returns the bounds of the sort keys that have a prefix followed by a time.

    `since` and `until` are texts; an empty one is no bound. For times, `since` is inclusive and
    `until` exclusive; for positions both are inclusive.
    """
    return f"{prefix}{since}", f"{prefix}{until}" if until else f"{prefix[:-1]}$"


def position_of(sort_key: str) -> str:
    """Returns the part after the prefix in the sort key of an event or of an order's pointer."""
    return sort_key.partition("#")[2]


def event_key(workspace: WorkspaceScope, profile_id: UUID, event: ProfileEvent) -> Key:
    """Returns the key of a profile's event."""
    moment = clock.to_text(event.occurred_at)
    return (event_partition(workspace, profile_id), f"{EVENTS}{moment}#{short(event.id)}")


def unique_key(workspace: WorkspaceScope, profile_id: UUID, name: str, unique_id: str) -> Key:
    """Returns the key of the row that records which event of a name has a unique id.

    Both are texts of up to 255 characters, too long for a key.
    """
    unique = derived_id(derived_id(workspace.id, "event", name), unique_id)
    return (event_partition(workspace, profile_id), f"{UNIQUE_IDS}{short(unique)}")
