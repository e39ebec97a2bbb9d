"""`make bench-batches`: batches of orders, from the request to the last row of the last chunk.

Each passes the API's handler, S3, the outbox, the queue and the worker; the tables are in dynoxide.
`ORDERS=10000` shortens the long series.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.batch_shop import delete_objects, open_shop, order
from benchmarks.measure.batch_figures import Figures, Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import start_other_services, tables
from local.aws.dynoxide import VERSION

ORDERS = int(os.environ.get("ORDERS", "100000"))
BATCH = 500
FLOOR_OFTEN = 20
"""In the long series, one batch in so many is written again to measure the floor."""
COLUMNS = (
    Column("what"),
    Column("orders", "stored before, or imported"),
    Column("orders/s", "by the clock"),
    Column("CPU", "ms an order", 2),
    Column("floor's CPU", "ms an order", 2),
    Column("times the floor", "", 1),
    Column("read units", "an order", 2),
    Column("write units", "an order", 2),
    Column("floor's write units", "an order", 2),
    Column("units an entry", "of the orders' lists", 2, most=3.0),
    Column("calls", "an order", 2),
    Column("memory", "MB at most"),
)
NOTES = (
    f"Batches of {BATCH} orders in the order of `placedAt`, of two lines each.",
    "CPU is this process's: the request's, the relay's and the worker's. The engine has its own.",
    "Floor: the same rows in the same transactions, by botocore alone and without conditions.",
    "Units an entry: a list's row and its nodes' share, splits too.",
)


@dataclass(frozen=True)
class Scenario:
    """One batch of a new store."""

    label: str
    buyer: Callable[[int], int | None]
    """Returns the buyer of an order, by its number."""
    stored: int = 0
    """The number of orders, from number 0, that are stored before."""
    first: int = 0
    """The number of the batch's first order."""


SCENARIOS = (
    Scenario("a batch, of nobody", lambda _number: None),
    Scenario("a batch, of people all new", lambda number: number),
    Scenario("a batch, of people all known", lambda number: number % BATCH, BATCH, BATCH),
    Scenario("a batch, the same again", lambda number: number, BATCH),
)


def batch_of(first: int, buyer: Callable[[int], int | None]) -> list[dict[str, Any]]:
    """Returns a batch that begins with an order."""
    return [order(number, buyer(number)) for number in range(first, first + BATCH)]


def single(meter: Meter) -> Iterator[list[Cell]]:
    """Measures single batches, on lists that hold at most one."""
    for scenario in SCENARIOS:
        shop = open_shop(scenario.label)
        for first in range(0, scenario.stored, BATCH):
            shop.import_orders(batch_of(first, scenario.buyer))
        meter.clear()
        figures = Figures(meter)
        figures.measure(shop.import_orders, batch_of(scenario.first, scenario.buyer), floor=True)
        yield figures.row(scenario.label, scenario.stored)


def buyer_among_many(number: int) -> int:
    """Returns a new buyer for two orders in five, and a random earlier buyer for the others."""
    if number % 5 < 2:
        return number
    earlier = number * 2_654_435_761 % 2**32 % number
    return earlier - earlier % 5 + earlier % 2


def long(meter: Meter) -> Iterator[list[Cell]]:
    """Measures many batches, with new buyers for two orders in five.

    It yields a row after a tenth of the batches, and one at the end.
    """
    shop, batches = open_shop("many batches"), ORDERS // BATCH
    often = max(1, min(FLOOR_OFTEN, batches // 10))
    meter.clear()
    figures = Figures(meter)
    for number in range(batches):
        batch = batch_of(BATCH * number, buyer_among_many)
        figures.measure(shop.import_orders, batch, floor=number % often == often // 2)
        delete_objects()
        if number + 1 in {batches // 10, batches}:
            yield figures.row(f"batches, up to order {BATCH * (number + 1):,}", figures.orders)
            meter.clear()
            figures = Figures(meter)


def main() -> None:
    """Measures and publishes."""
    table = Table("batches", "Orders in batches", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        start_other_services()
        meter = Meter()
        open_shop("warm-up").import_orders([order(0, 0)])  # imports the handlers
        for rows in (single, long):
            for cells in rows(meter):
                table.show(*cells)
    table.publish()


if __name__ == "__main__":
    main()
