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
    """Counts what one order sold; of one that was removed without a trace that it sold nothing."""
    message = run.message
    workspace, order_id = message.workspace, message.order_id
    store_id = UUID(message.store_id) if message.store_id else None
    some = partial(_count_some, workspace=workspace, order_id=order_id, removed_from=store_id)
    while commit_anew(some):
        pass


def _count_some(
    changes: Changes, workspace: WorkspaceScope, order_id: UUID, removed_from: UUID | None
) -> bool:
    """Counts some of the order's products; whether there may be more.

    `removed_from` is the store that it was of, where nothing may be left of it.
    """
    repository = SalesRepository(workspace)
    # Before the order: a concurrent run that has read a newer one makes this one lose the race.
    counted = repository.counted(order_id)
    stored = OrderRepository(workspace).find_stored(order_id)
    store_id = stored.store_id if stored else removed_from
    if store_id is None:
        return False
    sold = sales_of(stored.order if stored else None)
    differing = [key for key in sorted({*counted, *sold}) if counted.get(key) != sold.get(key)]
    some = differing[:MAX_AT_ONCE]
    if not some:
        if stored is None:
            repository.delete_counted(changes, order_id)
        else:
            # So that no concurrent run counts an older state of the order that it has read.
            repository.save_counted(changes, order_id, counted)
        return False
    more = {key: _difference(counted.get(key), sold.get(key)) for key in some}
    repository.add(changes, store_id, more)
    after = {key: each for key, each in counted.items() if key not in more}
    after |= {key: sold[key] for key in some if key in sold}
    repository.save_counted(changes, order_id, after)
    return stored is None or len(differing) > len(some)


def _difference(before: Sold | None, after: Sold | None) -> ProductSales:
    old, new = before or Sold(0, 0), after or Sold(0, 0)
    orders = (after is not None) - (before is not None)
    return ProductSales(orders, new.units - old.units, new.revenue - old.revenue)
