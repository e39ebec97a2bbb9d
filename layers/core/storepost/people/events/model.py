"""Events of profiles, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.profiles.model import Identity
from storepost.values.stored_enum import StoredEnum


class EventSource(StoredEnum):
    """Where an event comes from. `api`: an API key recorded it. `manual`: a signed-in person did.
    `shopify` or `custom`: an order of a store on that platform.
    """

    API = "api"
    MANUAL = "manual"
    SHOPIFY = "shopify"
    CUSTOM = "custom"


@dataclass(frozen=True)
class ProfileEvent:
    """Something that happened with a person."""

    id: UUID
    name: str
    source: EventSource
    occurred_at: datetime
    store_id: UUID | None
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class IncomingEvent:
    """An event as a caller sends it."""

    person: UUID | Identity
    """The profile's id, or an identity of the person."""
    name: str
    occurred_at: datetime | None
    """None means now."""
    store_id: UUID | None
    properties: Mapping[str, Any]
    unique_id: str | None
    """A profile has at most one event with this name and unique id."""
    row: int = 0
    """Its index in the request."""

    @property
    def stores(self) -> tuple[UUID, ...]:
        """Returns the ids of the stores that it names."""
        own = self.person.store_id if isinstance(self.person, Identity) else None
        return tuple(each for each in (self.store_id, own) if each)
