"""`make bench-imports`: a shop's customers and orders pulled, in a process of their own.

The tables are in dynoxide; the shop and the rest of AWS are in this process, so that the other
process has only the worker's memory. `CUSTOMERS=2000` makes it shorter: each customer has three
orders, and a row for a tenth of all precedes the row for all.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.import_shop import connect
from benchmarks.data.pulled_shop import serving, write_customers, write_orders
from benchmarks.measure.apart import apart, aws_for_all
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import start_other_services, tables
from local.aws.dynoxide import VERSION
from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.stores.imports.repository import ImportRepository, TurnsRepository
from storepost.stores.stores.model import Store

CUSTOMERS = int(os.environ.get("CUSTOMERS", "100000"))
ORDERS_A_CUSTOMER = 3
MAX_GROWTH = 64
COLUMNS = (
    Column("what"),
    Column("records", "customers and orders"),
    Column("records/s", "by the clock"),
    Column("CPU", "ms a record", 2),
    Column("parsing's CPU", "ms a record", 3),
    Column("times parsing", "", 1),
    Column("memory", "MB at most"),
    Column("before", "MB"),
    Column("growth", "MB, beside the smaller", most=MAX_GROWTH),
)
NOTES = (
    f"{ORDERS_A_CUSTOMER} orders a customer, of two lines each; everybody is new and subscribed.",
    "CPU and memory are the worker's alone. The engine, the shop and KMS are in other processes.",
    "Parsing: the same files joined on disk and read into records, in another process.",
)


def worked(address: str, host: str, *arguments: str) -> dict[str, float]:
    """Runs the worker; returns its cost. The shop is at `host`."""
    environment = {"FEED_ALLOW_HOSTS": host, "SHOPIFY_STAND_IN": f"http://{host}"}
    return apart(address, "benchmarks.processes.import_worker", *arguments, **environment)


def check(store: Store, customers: int, orders: int) -> None:
    """Raises RuntimeError if the import isn't complete."""
    turns = TurnsRepository(store.workspace).get(store.id)
    latest = turns.latest_of[ImportScope.CUSTOMERS_ORDERS]
    found = ImportRepository(store.workspace, store.id).get(latest)
    imported = found.progress.imported if found else None
    if not found or found.status is not ImportStatus.COMPLETED or not imported:
        raise RuntimeError(f"the import ended otherwise: {found}")
    if (imported.customers, imported.orders) != (customers, orders):
        raise RuntimeError(f"the import created {imported}")


def measure(table: Table, address: str, customers: int, least: float | None) -> float:
    """Measures a row of the table; returns the worker's peak memory."""
    orders = ORDERS_A_CUSTOMER * customers
    records = customers + orders
    store = connect(f"import-{customers}")
    named = (str(store.workspace.id), str(store.id))
    with TemporaryDirectory() as name, serving(Path(name), customers, orders) as host:
        folder = Path(name)
        write_customers(folder / "customers", customers)
        write_orders(folder / "orders", orders, customers)
        parsed = [
            worked(address, host, "parse", *named, str(folder / stage), stage)["cpu"]
            for stage in ("customers", "orders")
        ]
        figures = worked(address, host, "pull", *named)
    check(store, customers, orders)
    table.add(
        f"{customers:,} customers, {orders:,} orders",
        records,
        records / figures["seconds"],
        1000 * figures["cpu"] / records,
        1000 * sum(parsed) / records,
        figures["cpu"] / sum(parsed),
        figures["most"],
        figures["before"],
        None if least is None else figures["most"] - least,
    )
    return figures["most"]


def main() -> None:
    """Measures and publishes."""
    table = Table("imports", "Shops pulled", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        start_other_services()
        with aws_for_all() as address:
            least = measure(table, address, max(1, CUSTOMERS // 10), None)
            measure(table, address, CUSTOMERS, least)
    table.publish()


if __name__ == "__main__":
    main()
