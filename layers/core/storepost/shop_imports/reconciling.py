"""What a shop has no more, though nobody told: found by what its whole export doesn't have.

The store's own list is walked a page at a time beside the export's ids, which are on disk. What is
missing there is deleted as a webhook would delete it, but for what may be younger than the export,
and for what the export can't have (docs/adr/0063).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storepost.customers.repository import CustomerRepository
from storepost.customers.service import remove_customer
from storepost.ids import short
from storepost.orders.keys import order_id
from storepost.orders.repository import OrderRepository
from storepost.orders.service import bury_order
from storepost.orders.trees import OrderList
from storepost.persistence.changes import Changes
from storepost.persistence.counted_tree.keys import LOWEST, KeyRange, moments
from storepost.persistence.counted_tree.model import Entry
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.shop_imports.spool import Spool
from storepost.shop_records.reading import id_of
from storepost.shopify.grants import find_grant
from storepost.shopify.scopes import covers
from storepost.store_imports.model import ImportStage
from storepost.stores.model import Store

SWEPT = frozenset({ImportStage.CUSTOMERS, ImportStage.ORDERS})
"""The stages whose records are looked for."""

PAGE = 100
"""Entries of the store's list that are looked at together."""

SETTLED = timedelta(minutes=15)
"""What was changed so shortly before the export may not have come to the shop's index by then."""

WINDOW = timedelta(days=60)
"""Of orders, without the scope to read all of them."""


@dataclass(frozen=True)
class Missing:
    """What a page of the store's list has that the export hasn't."""

    external_ids: list[str]
    until: str | None
    """The key of the page's last entry; None behind the list's end."""


class Sweep:
    """A store's records beside a whole export of them."""

    def __init__(
        self, store: Store, stage: ImportStage, spool: Spool, began: datetime, after: str | None
    ) -> None:
        """The export began then, by the shop's clock, and has what comes behind the id `after`."""
        self._store = store
        self._stage = stage
        self._spool = spool
        self._began = began
        ids = [int(after or 0) + 1]
        self._window = None if self._has_all() else began - WINDOW
        if self._window is not None:
            # Ids ascend: what is below the first of the window may lie before it.
            ids.append(min(map(_number, spool.ids()), default=2**64))
        self._least = max(ids)
        spool.mark(map(self._mark, map(_external, spool.ids())))

    def missing(self, behind: str | None) -> Missing:
        """What the next page lacks: of the entries behind a key, or from the list's beginning."""
        first = moments(self._window).lo if behind is None else behind + LOWEST
        if self._stage is ImportStage.ORDERS:
            tree = OrderList(self._store.workspace, self._store.id).tree
        else:
            tree = ProfileRepository(self._store.workspace).lists.of_store(self._store.id)
        entries = tree.rows.entries(KeyRange(first), PAGE)
        if not entries:
            return Missing([], None)
        named = self._orders(entries) if self._stage is ImportStage.ORDERS else self._ids(entries)
        lacking = [each for each in named if int(each) >= self._least]
        return Missing(lacking, entries[-1].key)

    def delete(self, changes: Changes, external_id: str) -> bool:
        """Deletes what is missing, if it is older than the export; whether it is."""
        if self._stage is ImportStage.ORDERS:
            orders = OrderRepository(self._store.workspace)
            order = orders.get(order_id(self._store.id, external_id))
            if order is None or not self._is_old(order.updated_at):
                return False
            bury_order(self._store, external_id, self._began, changes)
            return True
        customer = CustomerRepository(self._store.workspace).get(self._store.id, external_id)
        if (
            customer is None
            or customer.deleted_at
            or not self._is_old(customer.external_updated_at)
        ):
            return False
        remove_customer(self._store, external_id, changes, self._began)
        return True

    def _has_all(self) -> bool:
        if self._stage is not ImportStage.ORDERS:
            return True
        grant = find_grant(self._store.external_id)
        return grant is not None and covers(grant.scopes, "read_all_orders")

    def _is_old(self, updated_at: datetime) -> bool:
        return updated_at < self._began - SETTLED

    def _mark(self, external_id: str) -> str:
        if self._stage is ImportStage.ORDERS:
            return short(order_id(self._store.id, external_id))
        return external_id

    def _orders(self, entries: list[Entry]) -> list[str]:
        gone = [e.id for e in entries if not self._spool.is_marked(short(e.id))]
        found = OrderRepository(self._store.workspace).get_many(gone)
        return [order.external_id for order in found]

    def _ids(self, entries: list[Entry]) -> list[str]:
        found = ProfileRepository(self._store.workspace).get_many(entry.id for entry in entries)
        own = (each for profile in found for each in self._customers_of(profile))
        return [each for each in own if not self._spool.is_marked(each)]

    def _customers_of(self, profile: Profile) -> list[str]:
        return [each.value for each in profile.live_customers if each.store_id == self._store.id]


def _external(gid: str) -> str:
    return id_of(gid) or "0"


def _number(gid: str) -> int:
    return int(_external(gid))
