"""Finds all rows of a kind in a workspace that is in use: page by page, in the list that has them.

A row that changes meanwhile may move in its list. A caller must cope with the stream records that
arrive for such a row (`platform/postings/repository.py` for search).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.catalog.products.rows import ProductItem
from storepost.catalog.products.trees import ProductLists
from storepost.coupons.repository import CouponRepository
from storepost.coupons.rows import CouponItem
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.feeds.rows import FeedItem
from storepost.orders.repository import OrderItem
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.rows import ProfileItem
from storepost.people.suppressions.rows import SuppressionItem
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.counted_tree.keys import behind, id_of
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.item import Item
from storepost.stores.stores.repository import StoreItem, StoreRepository
from storepost.values.scope import WorkspaceScope

PAGE = 50

type Ids = tuple[Sequence[UUID], str | None]
"""Ids of rows, and the cursor for the next page; None if there is none."""


@dataclass(frozen=True)
class Walk:
    """A walk through the rows of a kind. Cursors contain its name, so it must never change."""

    name: str
    kind: type[Item]
    page: Callable[[WorkspaceScope, str], Ids]
    """Returns the ids after a cursor; "" is the beginning."""


def _of_tree(tree: Tree, after: str) -> Ids:
    entries = tree.first(behind(after), PAGE)
    ids = [id_of(entry.key) for entry in entries]
    return ids, entries[-1].key if len(entries) == PAGE else None


def _of_all(ids: Iterable[UUID]) -> Ids:
    """For rows that are few in a workspace."""
    return list(ids), None


WALKS = (
    Walk("profile", ProfileItem, lambda w, after: _of_tree(ProfileLists(w).by_first_seen, after)),
    # In this order: a suppression moves from the first list to the second, never back.
    Walk(
        "suppression",
        SuppressionItem,
        lambda w, after: _of_tree(SuppressionLists(w).in_force, after),
    ),
    Walk(
        "suppression-lifted",
        SuppressionItem,
        lambda w, after: _of_tree(SuppressionLists(w).lifted, after),
    ),
    Walk("coupon", CouponItem, lambda w, _: _of_all(each.id for each in CouponRepository(w).all())),
    Walk("order", OrderItem, lambda w, after: _of_tree(OrderList(w).tree, after)),
    Walk("product", ProductItem, lambda w, after: _of_tree(ProductLists(w).by_added, after)),
    Walk("product-removed", ProductItem, lambda w, after: _of_tree(ProductLists(w).removed, after)),
    Walk("feed", FeedItem, lambda w, _: _of_all(each.id for each in FeedRepository(w).all())),
    Walk("store", StoreItem, lambda w, _: _of_all(each.id for each in StoreRepository(w).all())),
)
"""Kinds of rows with a list of their own. A migration processes them in this order."""


def walks_of(kinds: Collection[type[Item]]) -> tuple[Walk, ...]:
    """Returns the walks through all rows of these kinds. Raises KeyError for a kind without one."""
    if missing := set(kinds) - {walk.kind for walk in WALKS}:
        raise KeyError(*sorted(each.__name__ for each in missing))
    return tuple(walk for walk in WALKS if walk.kind in kinds)
