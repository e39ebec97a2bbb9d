"""The reference to a store in other resources' answers."""

from uuid import UUID

from pydantic import Field

from storepost.stores.stores.model import Platform
from storepost.values.wire import Shape


class StoreReference(Shape):
    """The store that something belongs to."""

    id: UUID = Field(description="The store's id, which `GET /stores/{id}` takes.")
    name: str = Field(description="What the store is called now.")
    platform: Platform = Field(
        description="What the store runs on: `shopify`, or `custom` for one whose data "
        "comes through this interface."
    )
