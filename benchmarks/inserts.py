"""`make bench-inserts`: the cost of an entry of a large list, by entries per transaction.

It uses the orders that `make bench-lists` loads.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched, count
from random import Random
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.loading import large
from benchmarks.data.sales import SECONDS, Sale
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Column, Table
from local.aws.dynoxide import VERSION
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import OrderList
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import TreeEntry

ORDERS = int(os.environ.get("ORDERS", "1000000"))
ENTRIES = 720
IN_ORDER = (1, 8, 15, 30, 60)
SCATTERED = (1, 8, 20)
"""Scattered entries per transaction; each has nodes of its own, so no more fit into one."""

COLUMNS = (
    Column("entries"),
    Column("a transaction"),
    Column("write units", digits=2),
    Column("read units", digits=2),
    Column("calls", digits=2),
    Column("time", "ms", 2),
    Column("CPU", "ms", 2),
)
NOTES = (
    "All of it for one entry of one list. An order stands in two: the workspace's and its store's.",
    f"Of {ENTRIES} entries each, with the splits of the nodes that they fill.",
    "The floor is an entry's row alone: 2 write units in a transaction, 1 outside of one.",
)


@dataclass(frozen=True)
class Inserts:
    """Writes new orders into the list of all."""

    listed: OrderList
    stores: Sequence[UUID]
    meter: Meter
    table: Table

    def report(self, name: str, placed: Iterator[int], at_once: int) -> None:
        """Measures the cost of an entry with `at_once` entries per transaction."""
        entries = [self._entry(next(placed)) for _ in range(ENTRIES)]
        measured = self.meter.measured(partial(self._insert, entries, at_once))
        self.table.add(
            name,
            at_once,
            measured.writes / ENTRIES,
            measured.reads / ENTRIES,
            len(measured.work) / ENTRIES,
            1000 * measured.seconds / ENTRIES,
            1000 * measured.cpu_seconds / ENTRIES,
        )

    def _insert(self, entries: Sequence[TreeEntry], at_once: int) -> None:
        for some in batched(entries, at_once, strict=False):
            commit_anew(partial(self._add, some))

    def _add(self, entries: Sequence[TreeEntry], changes: Changes) -> None:
        for entry in entries:
            self.listed.tree.insert(changes, entry)

    def _entry(self, placed: int) -> TreeEntry:
        """Returns a new order, placed `placed` seconds from the beginning."""
        sale = Sale(
            number=next(_numbers),
            store=0,
            placed=placed,
            financial=FinancialStatus.PAID,
            fulfillment=FulfillmentStatus.UNFULFILLED,
            cancelled=False,
            is_test=False,
        )
        return self.listed.entry(sale.order(self.stores))


_numbers = count(10 * ORDERS)


def main() -> None:
    """Loads, measures, publishes."""
    title = f"What an entry costs in a list of {ORDERS:,} orders"
    table = Table("inserts", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    random = Random(9)
    with large(ORDERS, scratch=True) as loaded:
        listed, stores = OrderList(loaded.shop.workspace), loaded.shop.stores
        inserts = Inserts(listed, stores, Meter(), table)
        newest = count(SECONDS)
        for at_once in IN_ORDER:
            inserts.report("in order", newest, at_once)
        anywhere = iter(lambda: random.randrange(SECONDS), None)
        for at_once in SCATTERED:
            inserts.report("scattered", anywhere, at_once)
    table.publish()


if __name__ == "__main__":
    main()
