"""The list of orders by time: one filter uses the nodes' counts, several scan entries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from storepost.orders.keys import order_id
from storepost.orders.model import FinancialStatus, FulfillmentStatus, Order, OrderSummary
from storepost.orders.repository import OrderRepository
from storepost.orders.trees import CANCELLED, FINANCIAL, FULFILLMENT, TEST, OrderList
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.counted_tree import Filter, TreeEntry, moments
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.listing import found_by
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import (
    MAX_ROWS,
    FilterTooBroad,
    Listing,
    PageRequest,
    cut,
    is_among,
    is_within,
)
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class OrderFilter:
    """The filters of the list; None doesn't filter."""

    q: str | None = None
    store_id: UUID | None = None
    profile_id: UUID | None = None
    external_id: str | None = None
    financial_statuses: Collection[FinancialStatus] | None = None
    fulfillment_statuses: Collection[FulfillmentStatus] | None = None
    cancelled: bool | None = None
    is_test: bool | None = None
    placed_from: datetime | None = None
    placed_to: datetime | None = None

    def takes(self, order: OrderSummary) -> bool:
        """Returns whether the order matches; the caller has already applied `profile_id`."""
        return (
            self.store_id in {None, order.store_id}
            and is_among(order.financial_status, self.financial_statuses)
            and is_among(order.fulfillment_status, self.fulfillment_statuses)
            and self.cancelled in {None, order.cancelled}
            and self.is_test in {None, order.is_test}
            and (self.q is None or matches(self.q, order.number))
            and is_within(order.placed_at, self.placed_from, self.placed_to)
        )

    def counted(self) -> list[Filter]:
        """Returns the filters whose values the tree's nodes count."""
        filters = []
        if self.financial_statuses is not None:
            filters.append(FINANCIAL.among(*self.financial_statuses))
        if self.fulfillment_statuses is not None:
            filters.append(FULFILLMENT.among(*self.fulfillment_statuses))
        if self.cancelled is not None:
            filters.append(CANCELLED.among(self.cancelled))
        if self.is_test is not None:
            filters.append(TEST.among(self.is_test))
        return filters


def list_orders(
    workspace: WorkspaceScope, filters: OrderFilter, page: PageRequest, *, descending: bool
) -> Listing[OrderSummary]:
    """Returns a page of the orders that match, by `placedAt`."""
    if filters == OrderFilter(profile_id=filters.profile_id) and filters.profile_id is not None:
        return _page_of_profile(workspace, filters.profile_id, page, descending=descending)
    if filters.q is not None:
        if filters == OrderFilter(q=filters.q):
            return _page_of_found(workspace, filters.q, page, descending=descending)
        found = _by_words(workspace, filters)
    elif filters.external_id is not None:
        found = _by_external_id(workspace, filters)
    elif filters.profile_id is not None:
        found = _of_profile(workspace, filters.profile_id)
    else:
        return _from_tree(workspace, filters, page, descending=descending)
    rows = sorted(
        (row for row in found if filters.takes(row)),
        key=lambda row: (row.placed_at, row.id),
        reverse=descending,
    )
    return cut(rows, page)


def _from_tree(
    workspace: WorkspaceScope, filters: OrderFilter, page: PageRequest, *, descending: bool
) -> Listing[OrderSummary]:
    orders = OrderList(workspace, filters.store_id)
    within, counted = moments(filters.placed_from, filters.placed_to), filters.counted()
    if len(counted) > 1:
        listing = orders.tree.scan(
            page, _all, advised="placedFrom", descending=descending, by=counted, within=within
        )
    else:
        by = counted[0] if counted else None
        listing = orders.tree.page(page, descending=descending, by=by, within=within)
    return Listing(list(map(orders.summary, listing.items)), listing.total, page)


def _page_of_found(
    workspace: WorkspaceScope, q: str, page: PageRequest, *, descending: bool
) -> Listing[OrderSummary]:
    """One page of the search results.

    Postings have `placedAt`, so only the page's orders are read.
    """
    found = found_by(workspace, SearchKind.ORDER, q)
    found.sort(key=lambda posting: (posting.at, posting.id), reverse=descending)
    listing = cut(found, page)
    orders = OrderRepository(workspace).get_many(posting.id for posting in listing.items)
    return Listing([order.summary for order in orders], listing.total, page)


def _by_words(workspace: WorkspaceScope, filters: OrderFilter) -> list[OrderSummary]:
    """The orders that the search finds and that match the external id and profile, too."""
    found = found_by(workspace, SearchKind.ORDER, filters.q or "")
    orders = OrderRepository(workspace).get_many(posting.id for posting in found)
    if filters.external_id is not None:
        orders = [order for order in orders if order.external_id == filters.external_id]
    return [order.summary for order in _bought_by(workspace, orders, filters.profile_id)]


def _all(entries: Sequence[TreeEntry]) -> Sequence[TreeEntry]:
    return entries


def _by_external_id(workspace: WorkspaceScope, filters: OrderFilter) -> list[OrderSummary]:
    """Orders with the external id, at most one per store: an order's id derives from both."""
    ids = [filters.store_id] if filters.store_id else _store_ids(workspace)
    order_ids = [order_id(store_id, filters.external_id or "") for store_id in ids]
    orders = OrderRepository(workspace).get_many(order_ids)
    return [order.summary for order in _bought_by(workspace, orders, filters.profile_id)]


def _bought_by(
    workspace: WorkspaceScope, orders: list[Order], profile_id: UUID | None
) -> list[Order]:
    """The orders that the profile bought; all of them if no profile is given."""
    if profile_id is None:
        return orders
    profile = ProfileRepository(workspace).get(profile_id)
    # Until the worker has moved them, some orders still have a merged profile's id.
    names = profile.partitions if profile else ()
    return [order for order in orders if order.profile_id in names]


def _store_ids(workspace: WorkspaceScope) -> list[UUID]:
    return [store.id for store in StoreRepository(workspace).all()]


def _page_of_profile(
    workspace: WorkspaceScope, profile_id: UUID, page: PageRequest, *, descending: bool
) -> Listing[OrderSummary]:
    """One page of a profile's orders: reads the pointers up to the page, and only its orders.

    The profile counts its orders, so the total needs no further read.
    """
    profile, repository = ProfileRepository(workspace).get(profile_id), OrderRepository(workspace)
    if profile is None or page.skipped >= profile.orders:
        return Listing([], profile.orders if profile else 0, page)
    until = page.skipped + page.size
    ids = repository.ids_of_profile(profile.partitions, until, descending=descending)
    orders = repository.get_many(islice(ids, page.skipped, until))
    return Listing([order.summary for order in orders], profile.orders, page)


def _of_profile(workspace: WorkspaceScope, profile_id: UUID) -> list[OrderSummary]:
    """All orders of one profile, each read once. Raises FilterTooBroad above `MAX_ROWS`."""
    profile, repository = ProfileRepository(workspace).get(profile_id), OrderRepository(workspace)
    if profile is None:
        return []
    ids = list(repository.ids_of_profile(profile.partitions, MAX_ROWS + 1))
    if len(ids) > MAX_ROWS:
        raise FilterTooBroad("placedFrom")
    return [order.summary for order in repository.get_many(ids)]
