"""The worker: counts what orders sold, by the difference to what is counted already.

A message names an order alone. What is counted of it is stored in a row of its own, which each
transaction of differences updates. So a message may arrive twice, late, in any order, or after a
run that was killed anywhere. Orders whose messages arrive together share transactions, and so the
rows of the products and days that they have in common.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from uuid import UUID

from storepost.orders.keys import counted_key, order_key
from storepost.orders.messages import ProductSalesMessage
from storepost.orders.repository import OrderRepository
from storepost.orders.sales import Sales, SalesKey, Sold, sales_of
from storepost.overview.product_sales.repository import ProductSales, SalesRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.scope import WorkspaceScope

MAX_ROWS = 90
"""The most rows that one transaction writes; DynamoDB allows 100."""

type Orders = dict[UUID, UUID | None]
"""Orders to be counted, each with its store if the order was removed without a trace."""


def count_orders(messages: Sequence[ProductSalesMessage]) -> None:
    """Counts what the orders sold; an order that was removed without a trace sold nothing."""
    by_workspace = defaultdict[WorkspaceScope, Orders](dict)
    for message in messages:
        orders = by_workspace[message.workspace]
        removed_from = UUID(message.store_id) if message.store_id else None
        orders[message.order_id] = removed_from or orders.get(message.order_id)
    for workspace, orders in by_workspace.items():
        reads = ReadAhead()
        while orders:
            counted = commit_anew(partial(_count_some, workspace, orders, reads), reads)
            for order_id in counted:
                del orders[order_id]
            if counted:
                reads.next()
            else:  # a part of an order's products, whose rest needs the order as it is then
                reads.clear()


def _count_some(
    workspace: WorkspaceScope, orders: Orders, reads: ReadAhead, changes: Changes
) -> list[UUID]:
    """Counts as many orders as fit into a transaction; returns those that are done."""
    counting = _Counting(workspace, reads, changes)
    counting.read_ahead(orders)
    done = list[UUID]()
    for order_id, removed_from in orders.items():
        if not counting.add(order_id, removed_from):
            break
        done.append(order_id)
    counting.finish()
    return done


class _Counting:
    """One transaction that counts orders."""

    def __init__(self, workspace: WorkspaceScope, reads: ReadAhead, changes: Changes) -> None:
        self._workspace, self._reads, self._changes = workspace, reads, changes
        self._counted = SalesRepository(workspace, reads)
        self._orders = OrderRepository(workspace, reads)
        self._sums = defaultdict[tuple[UUID, SalesKey], ProductSales](ProductSales)
        self._rows = 0

    def read_ahead(self, orders: Iterable[UUID]) -> None:
        """Reads the orders' rows, those of what is counted first.

        A concurrent run that has read a newer order than this one makes this one lose the race.
        """
        for key_of in (counted_key, order_key):
            self._reads.prefetch(key_of(self._workspace, order_id) for order_id in orders)

    def add(self, order_id: UUID, removed_from: UUID | None) -> bool:
        """Counts the order, if all of its products fit; of the first order, those that fit."""
        counted = self._counted.of(order_id)
        stored = self._orders.find_stored(order_id)
        store_id = stored.store_id if stored else removed_from
        if store_id is None:
            return True
        sold = sales_of(stored.order if stored else None)
        differing = [key for key in sorted({*counted, *sold}) if counted.get(key) != sold.get(key)]
        new = [key for key in differing if (store_id, key) not in self._sums]
        fits = self._rows + 1 + len(new) <= MAX_ROWS
        if self._rows and not fits:
            return False
        some = differing if fits else differing[: MAX_ROWS - 1]
        for key in some:
            self._sums[store_id, key] += _difference(counted.get(key), sold.get(key))
        after = {key: each for key, each in counted.items() if key not in some}
        after |= {key: sold[key] for key in some if key in sold}
        self._save(order_id, after, is_removed=stored is None)
        self._rows += 1 + len(new)
        return fits

    def _save(self, order_id: UUID, after: Sales, *, is_removed: bool) -> None:
        if is_removed and not after:
            self._counted.delete(self._changes, order_id)
        else:
            # Also where nothing differs, so that no concurrent run counts an older state of the
            # order that it has read.
            self._counted.save(self._changes, order_id, after)

    def finish(self) -> None:
        """Adds the orders' differences to what was sold."""
        self._counted.add(self._changes, self._sums)


def _difference(before: Sold | None, after: Sold | None) -> ProductSales:
    old, new = before or Sold(0, 0), after or Sold(0, 0)
    orders = (after is not None) - (before is not None)
    return ProductSales(orders, new.units - old.units, new.revenue - old.revenue)
