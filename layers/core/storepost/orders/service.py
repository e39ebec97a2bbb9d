"""A custom store's orders as it puts and deletes them, and one order read whole."""

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
from storepost.values.problems import NotFound
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class WrittenOrder:
    """What writing an order did."""

    order: Order
    buyer: Profile | None
    is_new: bool


def put_order(
    workspace: WorkspaceScope,
    store_id: UUID,
    incoming_of: Callable[[Store], IncomingOrder],
    changes: Changes,
) -> tuple[OrderDetails, bool]:
    """Writes a custom store's order with its buyer; whether it is new.

    `incoming_of` reads the order as one of that store. Raises StaleUpdate, CurrencyMismatch, and
    what it raises.
    """
    store = active_custom_store(workspace, store_id)
    written = write_order(store, incoming_of(store), changes)
    return _details(store, written.order, written.buyer), written.is_new


def write_order(store: Store, incoming: IncomingOrder, changes: Changes) -> WrittenOrder:
    """Adds to a unit of work what an order that arrives from a store changes.

    Raises StaleUpdate where what is stored is newer, or was deleted and isn't older, and
    CurrencyMismatch; before either it has added nothing.
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
    """Adds that the order's discount codes are used, but for those that it had when it was written
    last.
    """
    known = before.discount_codes if before and before.placed_at <= after.placed_at else ()
    new = [code for code in after.discount_codes if code not in known]
    mark_used(changes, store, new, Use(after.id, after.number, after.placed_at))


def delete_order(
    workspace: WorkspaceScope, store_id: UUID, external_id: str, changes: Changes
) -> None:
    """Deletes a custom store's order: it is gone from lists and counts."""
    mark_order_deleted(active_custom_store(workspace, store_id), external_id, changes)


def mark_order_deleted(store: Store, external_id: str, changes: Changes) -> None:
    """Adds to a unit of work that a store has deleted an order. Raises NotFound."""
    repository = OrderRepository(store.workspace)
    order = repository.get(order_id(store.id, external_id))
    if order is None:
        raise NotFound("No order with this external id exists in this store.")
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
    """Adds to a unit of work that a store has deleted an order at that moment, known or not.

    Nothing older restores it, in whatever order that comes.
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
    """Adds to a unit of work that there is no order, and that nothing says there was one."""
    repository = OrderRepository(store.workspace)
    order = repository.get(order_id(store.id, external_id))
    if order is None:
        return
    uncount_order(changes, store.workspace, order)
    repository.delete(changes, order.id)
    reindex(changes, store.workspace, order, None)
    queue_sales_removal(changes, store.workspace, store.id, order.id)


def redact_order_buyer(store: Store, external_id: str, changes: Changes) -> None:
    """Adds to a unit of work that an order has no buyer any more, whatever its store sends.

    One that was deleted won't either, should it come back.
    """
    repository, identifier = OrderRepository(store.workspace), order_id(store.id, external_id)
    stored = repository.find_stored(identifier)
    if stored is None or stored.buyer_erased:
        return
    if stored.order:
        uncount_order(changes, store.workspace, stored.order)
    repository.redact_buyer(changes, identifier)


def get_order(workspace: WorkspaceScope, order_id: UUID) -> OrderDetails:
    """Returns an order in full; 404 where the workspace has none of that id."""
    order = OrderRepository(workspace).get(order_id)
    if order is None:
        raise NotFound.of("order")
    store = found_store(StoreRepository(workspace), order.store_id)
    return _details(store, order, buyer_of(workspace, order.profile_id))


def get_order_of_store(workspace: WorkspaceScope, store_id: UUID, external_id: str) -> OrderDetails:
    """Returns the order that the store calls so, in full. Raises NotFound."""
    store = found_store(StoreRepository(workspace), store_id)
    order = OrderRepository(workspace).get(order_id(store.id, external_id))
    if order is None:
        raise NotFound("No order with this external id exists in this store.")
    return _details(store, order, buyer_of(workspace, order.profile_id))


def _details(store: Store, order: Order, buyer: Profile | None) -> OrderDetails:
    external_id = order.customer_external_id
    customers = CustomerRepository(store.workspace)
    customer = customers.get(store.id, external_id) if external_id else None
    return OrderDetails(order, store, buyer, customer.admin_url if customer else None)


def _refuse_stale(stored: StoredOrder | None, updated_at: datetime) -> None:
    """Equal times are accepted of what is there, newer ones alone of what was deleted."""
    if stored is None:
        return
    stale = updated_at < stored.updated_at if stored.order else updated_at <= stored.updated_at
    if stale:
        raise StaleUpdate()
