"""The lists of orders by `placedAt`: one of the workspace, and one of each store.

An entry's row carries what the list shows, so one query reads a page.
"""

from dataclasses import dataclass
from typing import cast
from uuid import UUID

from storepost.orders.model import FinancialStatus, FulfillmentStatus, Order, OrderSummary
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import (
    PACKS_WHAT_IS_COLD,
    FilterField,
    Tree,
    TreeEntry,
    moment_key,
    moment_of,
)
from storepost.values.ids import from_short, short
from storepost.values.money import Money
from storepost.values.scope import WorkspaceScope

FINANCIAL = FilterField(
    "financialStatus",
    "f",
    {
        FinancialStatus.PENDING: "A",
        FinancialStatus.AUTHORIZED: "B",
        FinancialStatus.PARTIALLY_PAID: "C",
        FinancialStatus.PAID: "D",
        FinancialStatus.PARTIALLY_REFUNDED: "E",
        FinancialStatus.REFUNDED: "F",
        FinancialStatus.VOIDED: "G",
    },
)
FULFILLMENT = FilterField(
    "fulfillmentStatus",
    "l",
    {
        FulfillmentStatus.UNFULFILLED: "A",
        FulfillmentStatus.PARTIALLY_FULFILLED: "B",
        FulfillmentStatus.FULFILLED: "C",
        FulfillmentStatus.RESTOCKED: "D",
    },
)
CANCELLED = FilterField("cancelled", "c", {False: "A", True: "B"})
TEST = FilterField("isTest", "t", {False: "A", True: "B"})
FILTERS = (FINANCIAL, FULFILLMENT, CANCELLED, TEST)

TOP_NODES = 21
"""How many of these lists' nodes take one read unit: the first page's query of the top reads no
more than that.
"""


@dataclass(frozen=True)
class OrderList:
    """The list of a workspace's orders, or of one store's."""

    workspace: WorkspaceScope
    store_id: UUID | None = None

    @property
    def tree(self) -> Tree:
        """Returns the list's tree."""
        return Tree(
            self._partition,
            FILTERS,
            top_nodes=TOP_NODES,
            packing=PACKS_WHAT_IS_COLD,
            keys_stay=True,
        )

    @property
    def _partition(self) -> str:
        if self.store_id is None:
            return self.workspace.partition("orders", "placed")
        return self.workspace.partition("orders", "store", short(self.store_id), "placed")

    def entry(self, order: Order) -> TreeEntry:
        """Returns the order's entry; in a store's own list it leaves out the store's id."""
        total, currency = order.amounts.total, order.currency
        payload = [order.number, total, currency, order.locale]
        return TreeEntry(
            moment_key(order.placed_at, order.id),
            {
                FINANCIAL.name: order.financial_status,
                FULFILLMENT.name: order.fulfillment_status,
                CANCELLED.name: order.cancelled,
                TEST.name: order.is_test,
            },
            payload if self.store_id else [*payload, short(order.store_id)],
        )

    def summary(self, entry: TreeEntry) -> OrderSummary:
        """Returns what the list shows of an entry."""
        number, amount, currency, locale, *store = cast(
            "tuple[str, int, str, str | None, *tuple[str]]", entry.payload
        )
        return OrderSummary(
            id=entry.id,
            store_id=self.store_id or from_short(store[0]),
            number=number,
            placed_at=moment_of(entry.key),
            financial_status=FinancialStatus(cast("str", entry.values[FINANCIAL.name])),
            fulfillment_status=FulfillmentStatus(cast("str", entry.values[FULFILLMENT.name])),
            cancelled=bool(entry.values[CANCELLED.name]),
            is_test=bool(entry.values[TEST.name]),
            total=Money(amount, currency),
            locale=locale,
        )


def reindex(
    changes: Changes, workspace: WorkspaceScope, before: Order | None, after: Order | None
) -> None:
    """Updates both lists for a change of one order; writes nothing where entries stay the same."""
    order = after or before
    if order is None:
        return
    for each in (OrderList(workspace), OrderList(workspace, order.store_id)):
        old, new = (each.entry(o) if o else None for o in (before, after))
        each.tree.update_index(changes, old, new)
