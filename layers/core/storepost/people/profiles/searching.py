"""What of a profile is searched."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from storepost.platform.postings.entries import SearchEntry, SearchKind


class Searched(Protocol):
    """A profile, or its row."""

    @property
    def id(self) -> UUID:
        """Returns its id."""

    @property
    def first_name(self) -> str | None:
        """Returns it as stores have it."""

    @property
    def last_name(self) -> str | None:
        """Returns it as stores have it."""

    @property
    def email(self) -> str | None:
        """Returns the address that it shows."""

    @property
    def phone(self) -> str | None:
        """Returns the number that it shows."""

    @property
    def first_seen_at(self) -> datetime:
        """Returns when it was first heard of."""


def searched(profile: Searched) -> SearchEntry:
    """Returns what of it is searched: its name, and what it shows of its addresses."""
    name = " ".join(part for part in (profile.first_name, profile.last_name) if part)
    keys = tuple(key for key in (profile.email, profile.phone) if key)
    title = next((text for text in (name, *keys) if text), "")
    return SearchEntry(SearchKind.PROFILE, profile.id, title, profile.first_seen_at, keys=keys)
