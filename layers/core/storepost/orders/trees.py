"""The lists of orders by `placedAt`: all of a workspace's, and each store's.

An entry's row carries what the list shows, so that a page is read in one query.
"""

from typing import cast
from uuid import UUID

from storepost import clock
from storepost.ids import from_short, short
from storepost.orders.model import FinancialStatus, FulfillmentStatus, Order, OrderSummary
from storepost.persistence.changes import Changes
from storepost.persistence.counted_tree import Entry, FilterField, Tree, moment_key
from storepost.scope import WorkspaceScope
from storepost.values.money import Money

FINANCIAL = FilterField("financialStatus", "f", tuple(FinancialStatus))
FULFILLMENT = FilterField("fulfillmentStatus", "l", tuple(FulfillmentStatus))
CANCELLED = FilterField("cancelled", "c", (False, True))
TEST = FilterField("isTest", "t", (False, True))
FILTERS = (FINANCIAL, FULFILLMENT, CANCELLED, TEST)
_MOMENT = 24


def all_orders(workspace: WorkspaceScope) -> Tree:
    """All orders of the workspace."""
    return Tree(workspace.partition("orders", "placed"), FILTERS)


def orders_of_store(workspace: WorkspaceScope, store_id: UUID) -> Tree:
    """The orders of one store."""
    return Tree(workspace.partition("orders", "store", short(store_id), "placed"), FILTERS)


def relist(
    changes: Changes, workspace: WorkspaceScope, before: Order | None, after: Order | None
) -> None:
    """Makes the lists follow a change of one order; nothing where they show the same."""
    order = after or before
    if order is None:
        return
    old, new = _entry(before), _entry(after)
    for tree in (all_orders(workspace), orders_of_store(workspace, order.store_id)):
        tree.follow(changes, old, new)


def summary_of(entry: Entry) -> OrderSummary:
    """What the list shows of an entry."""
    store, number, amount, currency, locale = cast(
        "tuple[str, str, int, str, str | None]", entry.payload
    )
    return OrderSummary(
        id=entry.id,
        store_id=from_short(store),
        number=number,
        placed_at=clock.from_text(entry.key[:_MOMENT]),
        financial_status=FinancialStatus(cast("str", entry.values[FINANCIAL.name])),
        fulfillment_status=FulfillmentStatus(cast("str", entry.values[FULFILLMENT.name])),
        cancelled=bool(entry.values[CANCELLED.name]),
        is_test=bool(entry.values[TEST.name]),
        total=Money(amount, currency),
        locale=locale,
    )


def summary_of_order(order: Order) -> OrderSummary:
    """What the list shows of an order that was read whole."""
    entry = _entry(order)
    assert entry is not None  # noqa: S101 - an order has an entry
    return summary_of(entry)


def _entry(order: Order | None) -> Entry | None:
    if order is None:
        return None
    return Entry(
        moment_key(order.placed_at, order.id),
        {
            FINANCIAL.name: order.financial_status,
            FULFILLMENT.name: order.fulfillment_status,
            CANCELLED.name: order.cancelled,
            TEST.name: order.is_test,
        },
        [
            short(order.store_id),
            order.number,
            order.amounts.total,
            order.currency,
            order.locale,
        ],
    )
