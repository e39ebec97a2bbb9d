"""Deletes products, the stores' rules for them, and feeds."""

from storepost.catalog.priorities.repository import change_partition, named_changes
from storepost.catalog.products.keys import product_partition, store_partition
from storepost.catalog.products.naming import all_partitions
from storepost.catalog.products.staged import staged_products
from storepost.catalog.products.trees import ProductLists
from storepost.feeds.feeds.keys import imports_partition as feed_imports_partition
from storepost.feeds.feeds.keys import skipped_partition
from storepost.feeds.feeds.repository import FeedRepository
from storepost.lifecycle.workspaces.rows import delete_rows, delete_some, empty, few, few_listed
from storepost.overview.product_sales.repository import sales_partitions
from storepost.stores.stores.repository import StoreRepository
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope

_STAGED_AT_ONCE = 10
"""Rows that name a hundred products each."""


def delete_products(workspace: WorkspaceScope) -> bool:
    """Deletes some products with their sources' records, and then their entries in a list."""
    lists = ProductLists(workspace)
    for tree in (lists.by_added, lists.removed):
        listed = few_listed(tree)
        for row in listed:
            for product in row.ids:
                empty(product_partition(workspace, product))
        delete_rows(row.key for row in listed)
        if listed:
            return True
    return False


def delete_staged_products(workspace: WorkspaceScope) -> bool:
    """Deletes products that loads staged and no list has, and then the rows that name them."""
    more = False
    for store in StoreRepository(workspace).all():
        found = staged_products(workspace, store.id, _STAGED_AT_ONCE)
        for _, products in found:
            for product in products:
                empty(product_partition(workspace, product))
        delete_rows(key for key, _ in found)
        more = more or bool(found)
    return more


def delete_priority_changes(workspace: WorkspaceScope) -> bool:
    """Deletes the records of changes of the stores' rules."""
    for store in StoreRepository(workspace).all():
        for change in named_changes(workspace, store.id):
            empty(change_partition(workspace, change))
    return False


def delete_product_stores(workspace: WorkspaceScope) -> bool:
    """Deletes some rows that the products of a store share."""
    return any(
        delete_some(partition)
        for store in StoreRepository(workspace).all()
        for partition in (
            store_partition(workspace, store.id),
            *all_partitions(store),
            *sales_partitions(workspace, store.id),
        )
    )


def delete_feeds(workspace: WorkspaceScope) -> bool:
    """Deletes some of each feed's imports, with the rows that they skipped; S3 objects expire."""
    more = False
    for feed_id in FeedRepository(workspace).ids():
        found = few(feed_imports_partition(workspace, feed_id))
        for _, key in found:
            empty(skipped_partition(workspace, from_short(key.partition("#")[2])))
        delete_rows(found)
        more = more or bool(found)
    return more
