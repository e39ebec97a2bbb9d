"""The worker: counts what an order sold, by the difference to what of it is counted.

A message says no more than which order. What is counted stands in a row of its own, which each
transaction of differences moves on. So a message may come twice, late, in any order, or after a run
that was killed anywhere.
"""

import json
from functools import partial
from uuid import UUID

from storepost.orders.repository import OrderRepository
from storepost.orders.sales import Sold, sales_of
from storepost.overview.product_sales.repository import ProductSales, SalesRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MAX_AT_ONCE = 80
"""Products of an order that one transaction counts."""


def count_order(message: str) -> None:
    """Counts the order that a message names."""
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    workspace, order = WorkspaceScope(named["workspaceId"]), named["orderId"]
    while commit_anew(partial(_count_some, workspace=workspace, order=order)):
        pass


def _count_some(changes: Changes, workspace: WorkspaceScope, order: UUID) -> bool:
    """Counts some of the order's products; whether there may be more."""
    held = OrderRepository(workspace).held(order)
    if held is None:
        return False
    repository = SalesRepository(workspace)
    counted, wanted = repository.counted(order), sales_of(held.order)
    differing = [key for key in sorted({*counted, *wanted}) if counted.get(key) != wanted.get(key)]
    some = differing[:MAX_AT_ONCE]
    if not some:
        return False
    more = {key: _difference(counted.get(key), wanted.get(key)) for key in some}
    repository.add(changes, held.store_id, more)
    after = {key: sold for key, sold in counted.items() if key not in more}
    after |= {key: wanted[key] for key in some if key in wanted}
    repository.save_counted(changes, order, after)
    return len(differing) > len(some)


def _difference(before: Sold | None, after: Sold | None) -> ProductSales:
    old, new = before or Sold(0, 0), after or Sold(0, 0)
    orders = (after is not None) - (before is not None)
    return ProductSales(orders, new.units - old.units, new.revenue - old.revenue)
