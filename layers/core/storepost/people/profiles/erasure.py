"""The rest of an erased profile until a worker has removed it, as values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from storepost.people.profiles.model import Identity, IndexEntry, Profile
from storepost.values.scope import WorkspaceScope

type StoreIndexEntry = tuple[UUID, IndexEntry]
"""A store, and the profile's entry in its list."""


@dataclass(frozen=True)
class Erasure:
    """Locates the rows that an erased profile may still have."""

    workspace: WorkspaceScope
    profile_id: UUID
    identities: tuple[Identity, ...]
    """Those that it had: their claims and customers may name one of its partitions."""
    partitions: tuple[UUID, ...]
    """Its own and those of profiles merged into it, in the order in which rows move."""
    histories: tuple[UUID, ...]
    """The profiles whose partitions have its changes of consent."""
    index_entries: tuple[StoreIndexEntry, ...]
    """Its remaining entries in stores' lists."""
    words: str | None
    """The words by which the search finds its name, sealed; None where it had none."""
    version: int
    """The version of the row that was read."""


type Eraser = Callable[[Erasure], bool]
"""Removes some rows; returns whether there may be more."""


def index_entries_of(profile: Profile) -> Iterator[StoreIndexEntry]:
    """Returns the entries in stores' lists of a profile, and of those merged into it."""
    for store_id, link in profile.links.items():
        if link.listed_at:
            yield store_id, (link.listed_at, profile.id)
        for entry in link.stale_entries:
            yield store_id, entry
