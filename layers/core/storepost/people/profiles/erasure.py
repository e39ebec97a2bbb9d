"""What is left of an erased profile until a worker has removed it, as values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from storepost.people.profiles.model import Identity, IndexEntry, Profile
from storepost.values.scope import WorkspaceScope

type StoreIndexEntry = tuple[UUID, IndexEntry]
"""A store, and where its list has a profile."""


@dataclass(frozen=True)
class Erasure:
    """Says where rows of an erased profile may still stand."""

    workspace: WorkspaceScope
    profile_id: UUID
    identities: tuple[Identity, ...]
    """Those that it had: their claims and customers may name one of its partitions."""
    partitions: tuple[UUID, ...]
    """Its own and those of profiles that were merged into it, in the order of their rows' way."""
    histories: tuple[UUID, ...]
    """Whose partitions have its changes of consent."""
    index_entries: tuple[StoreIndexEntry, ...]
    """Where stores' lists still have it."""
    words: str | None
    """By which the search finds its name, sealed; None where it had none."""
    version: int
    """Of the row that was read."""


type Eraser = Callable[[Erasure], bool]
"""Removes some rows; whether there may be more."""


def index_entries_of(profile: Profile) -> Iterator[StoreIndexEntry]:
    """Returns where stores' lists have a profile, and those that were merged into it."""
    for store_id, link in profile.links.items():
        if link.listed_at:
            yield store_id, (link.listed_at, profile.id)
        for entry in link.stale_entries:
            yield store_id, entry
