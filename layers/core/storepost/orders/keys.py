"""Where orders stand: each by itself, and their pointers in the buyers' partitions."""

from uuid import UUID

from storepost.people.events.keys import order_prefix
from storepost.platform.persistence.item import Key
from storepost.values.ids import SHORT_LENGTH, derived_id, from_short, short
from storepost.values.scope import WorkspaceScope

_ANY_POINTER = "order"
_POINTER = order_prefix()
_DELETED_POINTER = "order_deleted#"


def order_id(store_id: UUID, external_id: str) -> UUID:
    """Returns the id of a store's order, which follows from the store's own id of it."""
    return derived_id(store_id, "order", external_id)


def order_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of an order."""
    return (workspace.partition("order", short(order)), "order")


def counted_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of the row that says what of an order is counted as sold."""
    return (workspace.partition("order", short(order)), "sales")


def deleted_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition that names deleted orders, which are in no list."""
    return workspace.partition("orders", "deleted")


def deleted_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of the row that says that an order was deleted."""
    return (deleted_partition(workspace), short(order))


def pointer_prefix(*, deleted_too: bool = False) -> str:
    """Returns how the sort keys of a profile's orders begin, or also of their tombstones."""
    return _ANY_POINTER if deleted_too else _POINTER


def deleted_pointer_key(workspace: WorkspaceScope, profile_id: UUID, order: UUID) -> Key:
    """Returns the key of a profile's pointer to the tombstone of an order."""
    return (pointer_partition(workspace, profile_id), f"{_DELETED_POINTER}{short(order)}")


def pointer_partition(workspace: WorkspaceScope, profile_id: UUID) -> str:
    """Returns the partition that names a profile's orders."""
    return workspace.partition("profile", short(profile_id))


def order_of_pointer(sort_key: str) -> UUID:
    """Returns the order that a pointer names."""
    return from_short(sort_key[-SHORT_LENGTH:])
