"""`make bench-loads`: coupon codes, orders and pulls, beside an earlier commit if one is given.

`BEFORE=/path/to/a/checkout` is a folder with another commit of this repository, such as
`git worktree add` makes; it runs with the same packages. `CODES=20000` makes the file longer,
`ORDERS=10000` sends more orders, and `CUSTOMERS=5000` pulls more customers from a shop.
"""

import os

from benchmarks.measure.checkouts import Figures, checkouts, measured_in
from benchmarks.measure.reporting import Cell, Column, Table
from local.aws.dynoxide import VERSION

CODES = int(os.environ.get("CODES", "5000"))
ORDERS = int(os.environ.get("ORDERS", "2000"))
CUSTOMERS = int(os.environ.get("CUSTOMERS", "500"))
PULLED = 4
"""Records per customer: the customer and three orders."""
LATENCIES = (0, 12)
"""In milliseconds: the engine's own, and the mean of DynamoDB's writes."""
MAX_WRITES = 1.3
COLUMNS = (
    Column("what"),
    Column("latency", "ms a call at least"),
    Column("records", "codes, orders, or customers and orders"),
    Column("a second", "by the clock"),
    Column("CPU", "ms each", 3),
    Column("read units", "each", 2),
    Column("write units", "each", 2),
    Column("calls", "each", 3),
)
NOTES = (
    "An import is a coupon's file of codes, from the request to the last code.",
    f"{MAX_WRITES:g} write units each are the most that a loaded code may take.",
    "Orders come in batches of 500; mixed: two in five are somebody's first, the others anybody's.",
    "Of known buyers, five orders in a row are one's. The stream's work comes to all that.",
    "A pull is a shop's first import: customers who subscribed, each with three orders.",
    "The engine is in another process. Each way runs in turn, in a process of its own.",
)


def row(label: str, milliseconds: float, records: int, figures: Figures) -> list[Cell]:
    """Returns a row of the table."""
    each = [figures[name] / records for name in ("reads", "writes", "calls")]
    rate, cpu = records / figures["seconds"], 1000 * figures["cpu"] / records
    return [label, milliseconds, records, rate, cpu, *each]


def main() -> None:
    """Measures and publishes."""
    table = Table("loads", "Loads", COLUMNS, {"dynoxide": VERSION}, NOTES)
    for milliseconds in LATENCIES:
        for label, checkout in checkouts().items():
            codes = measured_in(checkout, "coupons", CODES, milliseconds)["first"]
            table.add(*row(f"coupon codes, {label}", milliseconds, CODES, codes))
            orders = measured_in(checkout, "orders", ORDERS, milliseconds)
            for buyers, figures in orders.items():
                table.add(*row(f"orders, buyers {buyers}, {label}", milliseconds, ORDERS, figures))
            pulled = measured_in(checkout, "pull", CUSTOMERS, milliseconds)["first"]
            table.add(*row(f"a pull, {label}", milliseconds, PULLED * CUSTOMERS, pulled))
            print(table.text(), flush=True)
    table.publish()


if __name__ == "__main__":
    main()
