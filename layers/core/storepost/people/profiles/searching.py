"""The searched fields of a profile."""

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
        """Returns the first name, as stores have it."""

    @property
    def last_name(self) -> str | None:
        """Returns the last name, as stores have it."""

    @property
    def email(self) -> str | None:
        """Returns the email address that it shows."""

    @property
    def phone(self) -> str | None:
        """Returns the phone number that it shows."""

    @property
    def first_seen_at(self) -> datetime:
        """Returns when the person was first seen."""


def searched(profile: Searched) -> SearchEntry:
    """Returns the searched fields: the name, and the shown addresses."""
    name = " ".join(part for part in (profile.first_name, profile.last_name) if part)
    keys = tuple(key for key in (profile.email, profile.phone) if key)
    title = next((text for text in (name, *keys) if text), "")
    return SearchEntry(SearchKind.PROFILE, profile.id, title, profile.first_seen_at, keys=keys)
