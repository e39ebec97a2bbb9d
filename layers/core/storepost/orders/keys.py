"""Keys of orders: an order has its own partition, and a pointer in its buyer's partition."""

from uuid import UUID

from storepost.people.events.keys import ORDERS, event_partition
from storepost.platform.persistence.item import Key
from storepost.values.ids import SHORT_LENGTH, derived_id, from_short, short
from storepost.values.scope import WorkspaceScope

_ANY_POINTER = "order"
_DELETED_POINTER = "order_deleted#"


def order_id(store_id: UUID, external_id: str) -> UUID:
    """Returns the order's id, derived from the store and the store's own id of the order."""
    return derived_id(store_id, "order", external_id)


def order_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of an order."""
    return (workspace.partition("order", short(order)), "order")


def counted_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of the row that stores which sales of an order are counted."""
    return (workspace.partition("order", short(order)), "sales")


def deleted_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition that names deleted orders; no list includes them."""
    return workspace.partition("orders", "deleted")


def deleted_key(workspace: WorkspaceScope, order: UUID) -> Key:
    """Returns the key of the row that says that an order was deleted."""
    return (deleted_partition(workspace), short(order))


def pointer_prefix(*, deleted_too: bool = False) -> str:
    """Returns the prefix of the sort keys of pointers to orders, or to orders and tombstones."""
    return _ANY_POINTER if deleted_too else ORDERS


def deleted_pointer_key(workspace: WorkspaceScope, profile_id: UUID, order: UUID) -> Key:
    """Returns the key of a profile's pointer to the tombstone of an order."""
    return (event_partition(workspace, profile_id), f"{_DELETED_POINTER}{short(order)}")


def order_of_pointer(sort_key: str) -> UUID:
    """Returns the order that a pointer names."""
    return from_short(sort_key[-SHORT_LENGTH:])
