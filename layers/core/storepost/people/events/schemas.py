"""Events in answers."""

from typing import Any
from uuid import UUID

from storepost.people.events import model
from storepost.values.wire import Shape, Timestamp


class ProfileEvent(Shape):
    """That something happened with a person."""

    id: UUID
    name: str
    source: str
    occurred_at: Timestamp
    store_id: UUID | None
    properties: dict[str, Any]

    @classmethod
    def of(cls, event: model.ProfileEvent) -> "ProfileEvent":
        """The event in this shape."""
        return cls(
            id=event.id,
            name=event.name,
            source=event.source,
            occurred_at=event.occurred_at,
            store_id=event.store_id,
            properties=dict(event.properties),
        )
