"""A store as other resources name it on the wire."""

from uuid import UUID

from storepost.stores.stores.model import Platform, Store
from storepost.values.wire import Shape


class StoreReference(Shape):
    """Which store something belongs to."""

    id: UUID
    name: str
    platform: Platform

    @classmethod
    def of(cls, store: Store) -> "StoreReference":
        """The store in this shape."""
        return cls(id=store.id, name=store.name, platform=store.platform)
