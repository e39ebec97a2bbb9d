"""Deletes orders, coupons and their codes."""

from storepost.coupons.keys import CODE_SHARDS, codes_partition, coupons_partition, jobs_partition
from storepost.coupons.keys import due_key as coupon_due_key
from storepost.coupons.model import Code
from storepost.coupons.rows import CodeItem, CouponItem, as_code
from storepost.coupons.trees import CodeList
from storepost.lifecycle.workspaces import rows
from storepost.lifecycle.workspaces.rows import delete_rows, empty, few, few_listed
from storepost.orders.keys import counted_key, deleted_partition, order_key
from storepost.orders.trees import OrderList
from storepost.platform.persistence.item import Key, find_all, keys_in
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope


def delete_orders(workspace: WorkspaceScope) -> bool:
    """Deletes some orders, and then their entries in the workspace's list."""
    listed = few_listed(OrderList(workspace).tree)
    orders = [order for row in listed for order in row.ids]
    delete_rows(key(workspace, each) for each in orders for key in (order_key, counted_key))
    delete_rows(row.key for row in listed)
    return bool(listed)


def delete_deleted_orders(workspace: WorkspaceScope) -> bool:
    """Deletes some tombstones of orders."""
    named = few(deleted_partition(workspace))
    orders = [from_short(key) for _, key in named]
    delete_rows(key(workspace, each) for each in orders for key in (order_key, counted_key))
    delete_rows(named)
    return bool(named)


def delete_codes(workspace: WorkspaceScope) -> bool:
    """Deletes some codes with their due rows, and records of other codes that orders used."""
    more = False
    for shard in range(CODE_SHARDS):
        keys = keys_in(codes_partition(workspace, shard), rows.ROWS_AT_ONCE)
        found = find_all(keys).values()
        ends = [key for row in found if isinstance(row, CodeItem) for key in _due(as_code(row))]
        delete_rows([*ends, *keys])
        more = more or bool(keys)
    return more


def _due(code: Code) -> list[Key]:
    if not code.is_due or code.expires_at is None:
        return []
    return [coupon_due_key(code.coupon_id, code.expires_at, code.id)]


def delete_coupons(workspace: WorkspaceScope) -> bool:
    """Deletes some coupons, each with the list of its codes, its jobs and its due rows."""
    coupons = find_all(few(coupons_partition(workspace)))
    for key, row in coupons.items():
        if not isinstance(row, CouponItem):
            continue
        codes = CodeList(workspace, row.id).tree.rows
        jobs = jobs_partition(workspace, row.id)
        for partition in (codes.partition, codes.nodes_partition, jobs):
            empty(partition)
        dues = [coupon_due_key(row.id, at) for at in (row.ends_at, row.retry_at) if at]
        delete_rows([*dues, key])
    return bool(coupons)
