"""Puts and deletes a custom store's orders, and reads one order in full."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.coupons.model import Use
from storepost.coupons.using import mark_used
from storepost.orders.buyers import assign_buyer, buyer_of, uncount_order
from storepost.orders.details import OrderDetails
from storepost.orders.incoming import IncomingOrder
from storepost.orders.keys import order_id
from storepost.orders.model import Order
from storepost.orders.repository import OrderRepository, StoredOrder
from storepost.orders.sales import has_sold_otherwise, queue_sales_removal
from storepost.orders.trees import reindex
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.model import Profile
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.finding import active_custom_store, found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class WrittenOrder:
    """The result of writing an order."""

    order: Order
    buyer: Profile | None
    is_new: bool


def put_order(
    workspace: WorkspaceScope,
    store_id: UUID,
    incoming_of: Callable[[Store], IncomingOrder],
    changes: Changes,
) -> tuple[OrderDetails, bool]:
    """Writes a custom store's order with its buyer; returns whether it is new.

    `incoming_of` makes the order from the request for that store. Raises StaleUpdate,
    CurrencyMismatch, and whatever `incoming_of` raises.
    """
    store = active_custom_store(workspace, store_id)
    written = write_order(store, incoming_of(store), changes)
    return _details(store, written.order, written.buyer), written.is_new


def write_order(store: Store, incoming: IncomingOrder, changes: Changes) -> WrittenOrder:
    """Adds an incoming order of a store to a unit of work.

    Raises StaleUpdate where the stored order is newer, or the tombstone is newer or equally old,
    and CurrencyMismatch; before either it has added nothing.
    """
    repository = OrderRepository(store.workspace, changes.reads)
    stored = repository.find_stored(order_id(store.id, incoming.external_id))
    incoming.check_currency(store, stored.order if stored else None)
    _refuse_stale(stored, incoming.updated_at)
    before = stored.order if stored else None
    bought = assign_buyer(changes, store, stored, incoming)
    after = bought.order
    if after != before:
        repository.save(changes, after, bought.placed, is_counted=has_sold_otherwise(before, after))
    reindex(changes, store.workspace, before, after)
    use_codes(changes, store, before, after)
    return WrittenOrder(after, bought.buyer, before is None)


def use_codes(changes: Changes, store: Store, before: Order | None, after: Order) -> None:
    """Marks the order's discount codes as used.

    Codes that the order had when it was last written are skipped, unless its number or its
    `placed_at` is another one now.
    """
    use = _use_by(after)
    known = before.discount_codes if before and _use_by(before) == use else ()
    new = [code for code in after.discount_codes if code not in known]
    mark_used(changes, store, new, use)


def _use_by(order: Order) -> Use:
    return Use(order.id, order.number, order.placed_at)


def delete_order(
    workspace: WorkspaceScope, store_id: UUID, external_id: str, changes: Changes
) -> None:
    """Deletes a custom store's order, and removes it from lists and counts."""
    mark_order_deleted(active_custom_store(workspace, store_id), external_id, changes)


def mark_order_deleted(store: Store, external_id: str, changes: Changes) -> None:
    """Adds the deletion of a store's order to a unit of work. Raises NotFound."""
    repository = OrderRepository(store.workspace)
    order = _found_in(store, repository, external_id)
    erased = uncount_order(changes, store.workspace, order)
    at, updated_at = clock.now(), order.updated_at
    repository.tombstone(
        changes,
        store.id,
        external_id,
        at,
        updated_at=updated_at,
        buyer_erased=erased,
        is_counted=has_sold_otherwise(order, None),
    )
    reindex(changes, store.workspace, order, None)


def tombstone_order(store: Store, external_id: str, changes: Changes, at: datetime) -> None:
    """Adds a deletion at `at` to a unit of work, whether the order is stored or not.

    No older data restores the order, in whatever sequence the data arrives.
    """
    repository = OrderRepository(store.workspace)
    stored = repository.find_stored(order_id(store.id, external_id))
    erased = stored is not None and stored.buyer_erased
    if stored and stored.order:
        erased = uncount_order(changes, store.workspace, stored.order)
        reindex(changes, store.workspace, stored.order, None)
    if stored is None or stored.order or stored.updated_at < at:
        updated_at = max(at, stored.updated_at) if stored else at
        repository.tombstone(
            changes,
            store.id,
            external_id,
            at,
            updated_at=updated_at,
            buyer_erased=erased,
            is_counted=has_sold_otherwise(stored.order if stored else None, None),
        )


def redact_order(store: Store, external_id: str, changes: Changes) -> None:
    """Adds the removal of an order to a unit of work, without a tombstone."""
    repository = OrderRepository(store.workspace)
    order = repository.get(order_id(store.id, external_id))
    if order is None:
        return
    uncount_order(changes, store.workspace, order)
    repository.delete(changes, order.id)
    reindex(changes, store.workspace, order, None)
    queue_sales_removal(changes, store.workspace, store.id, order.id)


def redact_order_buyer(store: Store, external_id: str, changes: Changes) -> None:
    """Removes the buyer from an order for good, whatever its store sends later.

    A tombstone loses its buyer too, so the order has none if the store sends it again.
    """
    repository, identifier = OrderRepository(store.workspace), order_id(store.id, external_id)
    stored = repository.find_stored(identifier)
    if stored is None or stored.buyer_erased:
        return
    if stored.order:
        uncount_order(changes, store.workspace, stored.order)
    repository.redact_buyer(changes, identifier)


def get_order(workspace: WorkspaceScope, order_id: UUID) -> OrderDetails:
    """Returns an order in full. Raises NotFound where the workspace has none of that id."""
    order = needed(OrderRepository(workspace).get(order_id), NotFound.of("order"))
    store = found_store(StoreRepository(workspace), order.store_id)
    return _details(store, order, buyer_of(workspace, order.profile_id))


def get_order_of_store(workspace: WorkspaceScope, store_id: UUID, external_id: str) -> OrderDetails:
    """Returns a store's order by its external id, in full. Raises NotFound."""
    store = found_store(StoreRepository(workspace), store_id)
    order = _found_in(store, OrderRepository(workspace), external_id)
    return _details(store, order, buyer_of(workspace, order.profile_id))


def _found_in(store: Store, orders: OrderRepository, external_id: str) -> Order:
    order = orders.get(order_id(store.id, external_id))
    return needed(order, NotFound("No order with this external id exists in this store."))


def _details(store: Store, order: Order, buyer: Profile | None) -> OrderDetails:
    external_id = order.customer_external_id
    customers = CustomerRepository(store.workspace)
    customer = customers.get(store.id, external_id) if external_id else None
    return OrderDetails(order, store, buyer, customer.admin_url if customer else None)


def _refuse_stale(stored: StoredOrder | None, updated_at: datetime) -> None:
    """An order may be replaced at an equal time; a tombstone only by a newer time."""
    if stored is None:
        return
    stale = updated_at < stored.updated_at if stored.order else updated_at <= stored.updated_at
    if stale:
        raise StaleUpdate()
