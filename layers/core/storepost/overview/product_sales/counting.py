"""The worker: counts what an order sold, by the difference to what is counted already.

A message names the order alone. What is counted is stored in a row of its own, which each
transaction of differences updates. So a message may arrive twice, late, in any order, or after a
run that was killed anywhere.
"""

from functools import partial
from uuid import UUID

from storepost.orders.messages import ProductSalesMessage
from storepost.orders.repository import OrderRepository
from storepost.orders.sales import Sold, sales_of
from storepost.overview.product_sales.repository import ProductSales, SalesRepository
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MAX_AT_ONCE = 80
"""Products of an order that one transaction counts."""


def count_order(run: Run[ProductSalesMessage]) -> None:
    """Counts what one order sold."""
    workspace, order_id = run.message.workspace, run.message.order_id
    while commit_anew(partial(_count_some, workspace=workspace, order_id=order_id)):
        pass


def _count_some(changes: Changes, workspace: WorkspaceScope, order_id: UUID) -> bool:
    """Counts some of the order's products; whether there may be more."""
    stored = OrderRepository(workspace).find_stored(order_id)
    if stored is None:
        return False
    repository = SalesRepository(workspace)
    counted, sold = repository.counted(order_id), sales_of(stored.order)
    differing = [key for key in sorted({*counted, *sold}) if counted.get(key) != sold.get(key)]
    some = differing[:MAX_AT_ONCE]
    if not some:
        return False
    more = {key: _difference(counted.get(key), sold.get(key)) for key in some}
    repository.add(changes, stored.store_id, more)
    after = {key: each for key, each in counted.items() if key not in more}
    after |= {key: sold[key] for key in some if key in sold}
    repository.save_counted(changes, order_id, after)
    return len(differing) > len(some)


def _difference(before: Sold | None, after: Sold | None) -> ProductSales:
    old, new = before or Sold(0, 0), after or Sold(0, 0)
    orders = (after is not None) - (before is not None)
    return ProductSales(orders, new.units - old.units, new.revenue - old.revenue)
