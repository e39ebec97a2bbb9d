"""`make bench-lists`: the reads of a page of a million orders, and checks of its exact total.

The first run loads them, which takes minutes; `ORDERS=100000` loads fewer.
"""

import os
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.loading import large
from benchmarks.data.order_lists import OrderLists, OrderQuery
from benchmarks.data.sales import SECONDS, Sale
from benchmarks.measure import page_costs
from benchmarks.measure.bounds import ANY, ANY_DOLLARS, FIRST, FIRST_DOLLARS, Bound
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.page_costs import add_row
from benchmarks.measure.pages import COLUMNS, DRAWN, NOTES, PAGE, ROUNDS, Report
from benchmarks.measure.reporting import Table
from local.aws.dynoxide import VERSION
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import OrderList
from storepost.platform.persistence.item import Item, dynamodb_client

ORDERS = int(os.environ.get("ORDERS", "1000000"))
DAY = 24 * 60 * 60
RANGE, RARE = Bound(36), Bound(150)

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
"""Filters that each match about 1 order in 100."""


def report_ranges(
    report: Report, name: str, lists: OrderLists, store: int | None
) -> list[Measured[Any]]:
    """Measures date ranges: narrow and wide, open at an end, in the middle, and deep pages."""
    middle = SECONDS // 2
    for label, since, until in (
        ("a day", middle, middle + DAY),
        ("a month", middle, middle + 30 * DAY),
        ("a year", middle - 182 * DAY, middle + 183 * DAY),
        ("all but a day at each end", DAY, SECONDS - DAY),
        ("all from a day on", middle, SECONDS),
        ("all until a day", 0, middle),
    ):
        expected = lists.expected(OrderQuery(store, since=since, until=until))
        report.ends(f"{name}, {label}", expected, RANGE)
    random, drawn = Random(5), []
    for _ in range(20):
        since, until = sorted(random.sample(range(SECONDS), 2))
        drawn.append(lists.expected(OrderQuery(store, since=since, until=until)))
    return report.drawn(f"{name}, ranges", drawn, RANGE)


def report_filters(
    report: Report, name: str, lists: OrderLists, store: int | None
) -> list[Measured[Any]]:
    """Measures a filter that matches 1 in 100, alone and within a year."""
    found = []
    for parameter, (value, keeps) in FILTERS.items():
        found.append(lists.expected(OrderQuery(store, {parameter: value}, keeps)))
        report.ends(f"{name}, {parameter}={value}", found[-1], RARE)
    drawn = report.drawn(f"{name}, 1 in 100", found, RARE)
    parameter, (value, keeps) = next(iter(FILTERS.items()))
    year = OrderQuery(store, {parameter: value}, keeps, SECONDS // 3, SECONDS // 3 + 365 * DAY)
    report.ends(f"{name}, {parameter}={value}, a year", lists.expected(year), RARE)
    return drawn


def report_floor(report: Report, name: str, listed: OrderList, meter: Meter) -> None:
    """Measures a bare query of the same rows, as of any index: without a total."""
    for place, key in (("first", "~"), ("from a known key on", "-DWz")):
        measured = [meter.measured(partial(bare_page, listed, key)) for _ in range(ROUNDS)]
        report.add(f"floor: {name}, {PAGE} rows {place}", measured)


def bare_page(listed: OrderList, before: str) -> Any:  # noqa: ANN401 - botocore's own shape
    """Queries the newest rows before a key."""
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
    costs = Table("page_costs", title, page_costs.COLUMNS, {}, page_costs.NOTES)
    with large(ORDERS) as loaded:
        shop, meter = loaded.shop, Meter()
        lists, report = OrderLists(shop, Api(loaded.key, meter), ORDERS), Report(table)
        lists.expected(OrderQuery()).page(1)  # imports the handler
        for name, store in (("all", None), ("a store's", 0)):
            listed = OrderList(shop.workspace, None if store is None else shop.stores[store])
            report_floor(report, name, listed, meter)
            expected = lists.expected(OrderQuery(store))
            first = [expected.page(1) for _ in range(DRAWN)]
            deep = report.whole(name, expected, FIRST, ANY)
            add_row(costs, f"{name}, page 1", first, FIRST_DOLLARS)
            add_row(costs, f"{name}, any page", deep, ANY_DOLLARS)
            add_row(costs, f"{name}, a range", report_ranges(report, name, lists, store))
            add_row(costs, f"{name}, 1 in 100", report_filters(report, name, lists, store))
    table.publish()
    costs.publish()


if __name__ == "__main__":
    main()
