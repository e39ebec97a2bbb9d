"""Events in answers."""

from typing import Any
from uuid import UUID

from pydantic import Field

from storepost.people.events import model
from storepost.values.wire import Shape, Timestamp


class ProfileEvent(Shape):
    """Something that happened with a person."""

    id: UUID = Field(
        description="Names this event; a repeated request with the same `uniqueId` "
        "answers the same one."
    )
    name: str = Field(
        description="What happened, such as `viewed_product`: any name that you "
        "choose, or `order_placed`, `order_cancelled` and "
        "`order_refunded`, which orders write."
    )
    source: str = Field(
        description="`api`: a key recorded it. `manual`: a signed-in person did. `shopify` or "
        "`custom`: it comes from an order of a store on that platform."
    )
    occurred_at: Timestamp = Field(description="When it happened.")
    store_id: UUID | None = Field(
        description="The store where it happened. Null where it belongs to none."
    )
    properties: dict[str, Any] = Field(
        description="What you sent along, unchanged. An order's event has `orderId`, "
        "`externalId`, `number`, `total`, `items` (the pieces ordered) and "
        "`isTest`; `order_refunded` also `refunded` (this time) and "
        "`totalRefunded`."
    )

    @classmethod
    def of(cls, event: model.ProfileEvent) -> "ProfileEvent":
        """Returns the event in this shape."""
        return cls.from_model(event, properties=dict(event.properties))
