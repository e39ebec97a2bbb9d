"""Checks that a workspace's lists have the orders and people that the API acknowledged."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree import Tree
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

PAGE = 100


def differences(
    workspace: WorkspaceScope, stores: Sequence[UUID], orders: Sequence[str], imported: int
) -> Iterator[str]:
    """Yields what is wrong: nodes, totals, or pages of the first store, which has only `orders`.

    The other stores have the imported ones. Each order has a buyer of its own.
    """
    people = ProfileLists(workspace)
    of_all = [OrderList(workspace).tree, people.by_first_seen, people.by_name, people.by_email]
    of_stores = [OrderList(workspace, store).tree for store in stores]
    of_stores += [people.of_store(store) for store in stores]
    for tree in (*of_all, *of_stores):
        yield from (f"{tree.partition}: {fault}" for fault in faults(tree))
    for tree in of_all:
        total = tree.page(PageRequest(1, 1)).total
        if total != len(orders) + imported:
            yield f"{tree.partition} says {total} of {len(orders) + imported}"
    yield from _different_pages(OrderList(workspace, stores[0]).tree, orders)


def _different_pages(tree: Tree, orders: Sequence[str]) -> Iterator[str]:
    """Reads all pages; yields the wrong ones."""
    found = list[str]()
    for number in range(1, 2 + len(orders) // PAGE):
        page = tree.page(PageRequest(number, PAGE), descending=True)
        found += [str(entry.id) for entry in page.items]
        if page.total != len(orders):
            yield f"page {number} says {page.total} of {len(orders)}"
    if sorted(found) != sorted(orders):
        yield "pages have other orders than were answered"
