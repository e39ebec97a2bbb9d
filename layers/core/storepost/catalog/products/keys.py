"""Keys of products, of their layers, and of the rows that a store's products have in common."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

COUNTERS = 8
"""Rows over which a store's counters are spread, so that writers seldom conflict."""


def product_partition(workspace: WorkspaceScope, product: UUID) -> str:
    """Returns the partition of a product."""
    return workspace.partition("product", short(product))


def product_key(workspace: WorkspaceScope, product: UUID) -> Key:
    """Returns the key of a product's own row."""
    return (product_partition(workspace, product), "product")


def layer_key(workspace: WorkspaceScope, product: UUID, source: UUID, number: int) -> Key:
    """Returns the key of a part of a source's layer of a product; parts are numbered from 0."""
    place = f"layer#{short(source)}" + (f"#{number}" if number else "")
    return (product_partition(workspace, product), place)


def store_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns the partition of the rows that a store's products have in common."""
    return workspace.partition("product_store", short(store_id))


def rules_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns the key of the rules in force of a store."""
    return (store_partition(workspace, store_id), "rules")


def mark_key(workspace: WorkspaceScope, store_id: UUID, number: int) -> Key:
    """Returns the key of one of a store's counters."""
    return (store_partition(workspace, store_id), f"mark#{number}")


def load_key(workspace: WorkspaceScope, store_id: UUID, load: UUID) -> Key:
    """Returns the key of the row that says how many products of a store's load are listed."""
    return (store_partition(workspace, store_id), f"load#{short(load)}")


def staged_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns the partition of the rows that lead to what a store's loads staged."""
    return workspace.partition("products_staged", short(store_id))


def custom_fields_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns the key of the custom fields that the store's products have."""
    return (store_partition(workspace, store_id), "custom_fields")


def names_partition(workspace: WorkspaceScope, store_id: UUID, shard: int) -> str:
    """Returns a partition of the variants' names."""
    return workspace.partition("product_names", short(store_id), str(shard))
