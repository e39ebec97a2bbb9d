"""`make bench-lists`: what a page of a million orders reads, and that its total is exact.

The first run loads them, which takes minutes; `ORDERS=100000` takes fewer.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median
from typing import Any

import benchmarks.environment  # noqa: F401 - before the service, which reads it
from benchmarks.calling import Api
from benchmarks.loading import large
from benchmarks.metering import Measured, Meter
from benchmarks.order_pages import PAGE, Asked, Lists, Wanted
from benchmarks.reporting import Column, Table
from benchmarks.sales import SECONDS, Sale
from local.dynoxide import VERSION
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import OrderList
from storepost.persistence.item import Item, dynamodb_client

ORDERS = int(os.environ.get("ORDERS", "1000000"))
ROUNDS = 3
DRAWN = 200
DAY = 24 * 60 * 60
_SHOWN = 6

COLUMNS = (
    Column("list"),
    Column("rows"),
    Column("calls"),
    Column("read units"),
    Column("may take"),
    Column("share", "", 2, most=1),
    Column("by call"),
    Column("time", "ms", 1),
    Column("CPU", "ms", 1),
)
NOTES = (
    "Units and calls are those beside authentication, which reads one unit in one call.",
    "Share: of the units, or of the calls, that the page may take; the greater of both.",
    "By call: the units of each call in turn, the last of them for the rows.",
    f"Drawn: the dearest of {DRAWN} pages drawn at random in either direction; their median time.",
    "Each page's rows and its total were compared with the orders, counted one by one.",
)


@dataclass(frozen=True)
class Bound:
    """What a page may take."""

    units: int
    calls: int | None = None


FIRST, ANY, RANGE, RARE = Bound(4, 2), Bound(12, 4), Bound(36), Bound(150)

type Keeps = Callable[[Sale], bool]
FILTERS: dict[str, tuple[str, Keeps]] = {
    "financialStatus": ("voided", lambda sale: sale.financial is FinancialStatus.VOIDED),
    "fulfillmentStatus": (
        "restocked",
        lambda sale: sale.fulfillment is FulfillmentStatus.RESTOCKED,
    ),
    "cancelled": ("true", lambda sale: sale.cancelled),
    "isTest": ("true", lambda sale: sale.is_test),
}


@dataclass
class Report:
    """The table as it grows."""

    table: Table

    def page(
        self, name: str, wanted: Wanted, number: int, bound: Bound, *, ascending: bool = False
    ) -> None:
        """One page, some times over."""
        label = f"{name}, page {number:,}{' ascending' if ascending else ''}"
        taken = [wanted.page(number, ascending=ascending) for _ in range(ROUNDS)]
        self.add(label, taken, bound, len(wanted.sales))

    def ends(self, name: str, wanted: Wanted, bound: Bound) -> None:
        """The first page, one in the middle, and the last."""
        for number in sorted({1, wanted.pages // 2 or 1, wanted.pages}):
            self.page(name, wanted, number, bound)

    def drawn(self, name: str, lists: Sequence[Wanted], bound: Bound) -> None:
        """The dearest of pages anywhere in these lists."""
        random = Random(4)
        taken = [
            wanted.page(random.randint(1, wanted.pages), ascending=random.choice((False, True)))
            for wanted in (lists[number % len(lists)] for number in range(DRAWN))
        ]
        self.add(f"{name}, drawn", taken, bound)

    def add(
        self,
        name: str,
        taken: Sequence[Measured[Any]],
        bound: Bound | None = None,
        rows: int | None = None,
    ) -> None:
        """What these took: the units of the dearest, the most calls, the median time."""
        dearest = max(taken, key=lambda each: each.reads)
        calls = max(len(each.work) for each in taken)
        shares = [dearest.reads / bound.units] if bound else []
        shares += [calls / bound.calls] if bound and bound.calls else []
        by_call = [f"{call.units:g}" for call in dearest.work]
        more = ["…"] if len(by_call) > _SHOWN else []
        self.table.add(
            name,
            rows,
            calls,
            dearest.reads,
            bound.units if bound else None,
            max(shares, default=None),
            "+".join([*by_call[: _SHOWN - len(more)], *more]),
            1000 * median(each.seconds for each in taken),
            1000 * min(each.cpu_seconds for each in taken),
        )


def report_plain(report: Report, name: str, wanted: Wanted) -> None:
    """A whole list by number."""
    report.page(name, wanted, 1, FIRST)
    deep = [n for n in (2, 100, 4_000, 20_000, 40_000) if n < wanted.pages]
    for number in (*deep, wanted.pages, wanted.pages + 1):
        report.page(name, wanted, number, ANY)
    report.page(name, wanted, 1, FIRST, ascending=True)
    report.page(name, wanted, wanted.pages // 3, ANY, ascending=True)
    report.drawn(name, [wanted], ANY)


def report_ranges(report: Report, name: str, lists: Lists, store: int | None) -> None:
    """Ranges of dates: narrow and wide, open at an end, in the middle, and their deep pages."""
    middle = SECONDS // 2
    for label, since, until in (
        ("a day", middle, middle + DAY),
        ("a month", middle, middle + 30 * DAY),
        ("a year", middle - 182 * DAY, middle + 183 * DAY),
        ("all but a day at each end", DAY, SECONDS - DAY),
        ("all from a day on", middle, SECONDS),
        ("all until a day", 0, middle),
    ):
        wanted = lists.wanted(Asked(store, since=since, until=until))
        report.ends(f"{name}, {label}", wanted, RANGE)
    random, drawn = Random(5), []
    for _ in range(20):
        since, until = sorted(random.sample(range(SECONDS), 2))
        drawn.append(lists.wanted(Asked(store, since=since, until=until)))
    report.drawn(f"{name}, ranges", drawn, RANGE)


def report_filters(report: Report, name: str, lists: Lists, store: int | None) -> None:
    """A filter of few values that keeps 1 in 100, alone and within a year."""
    found = []
    for parameter, (value, keeps) in FILTERS.items():
        found.append(lists.wanted(Asked(store, {parameter: value}, keeps)))
        report.ends(f"{name}, {parameter}={value}", found[-1], RARE)
    report.drawn(f"{name}, 1 in 100", found, RARE)
    parameter, (value, keeps) = next(iter(FILTERS.items()))
    year = Asked(store, {parameter: value}, keeps, SECONDS // 3, SECONDS // 3 + 365 * DAY)
    report.ends(f"{name}, {parameter}={value}, a year", lists.wanted(year), RARE)


def report_floor(report: Report, name: str, listed: OrderList, meter: Meter) -> None:
    """The same rows by a bare query, as an index gives them to anybody: without any total."""
    for place, key in (("first", "~"), ("from a known key on", "-DWz")):
        taken = [meter.measured(partial(bare_page, listed, key)) for _ in range(ROUNDS)]
        report.add(f"floor: {name}, {PAGE} rows {place}", taken)


def bare_page(listed: OrderList, before: str) -> Any:  # noqa: ANN401 - botocore's own shape
    """The newest rows before a key."""
    return dynamodb_client().query(
        TableName=Item.Meta.table_name,
        KeyConditionExpression="pk = :list AND sk < :before",
        ExpressionAttributeValues={
            ":list": {"S": listed.tree.partition},
            ":before": {"S": before},
        },
        ScanIndexForward=False,
        ConsistentRead=True,
        Limit=PAGE,
    )


def main() -> None:
    """Loads, measures, publishes."""
    title = f"A page of {PAGE} orders, of {ORDERS:,} of one store and some more of others"
    table = Table("lists", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    with large(ORDERS) as loaded:
        shop, meter = loaded.shop, Meter()
        lists, report = Lists(shop, Api(loaded.key, meter), ORDERS), Report(table)
        lists.wanted(Asked()).page(1)  # imports the handler
        for name, store in (("all", None), ("a store's", 0)):
            listed = OrderList(shop.workspace, None if store is None else shop.stores[store])
            report_floor(report, name, listed, meter)
            report_plain(report, name, lists.wanted(Asked(store)))
            report_ranges(report, name, lists, store)
            report_filters(report, name, lists, store)
    table.publish()


if __name__ == "__main__":
    main()
