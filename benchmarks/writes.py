"""`make bench-writes`: the write units of orders, customers, profiles and consents, by rows.

The lists are empty, small and large. The first run loads the large ones, which takes minutes;
`ORDERS=100000` loads fewer.
"""

import multiprocessing
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data import bodies
from benchmarks.data.bodies import customer_id
from benchmarks.data.large_shop import open_shop, shop
from benchmarks.data.loading import large
from benchmarks.measure.calling import Api
from benchmarks.measure.ledger import Ledger, Raw
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import start_other_services, tables
from local.aws.dynoxide import VERSION
from storepost.platform.persistence.item import Item, dynamodb_client

ORDERS = int(os.environ.get("ORDERS", "1000000"))
SIZES = sorted({0, 10_000, ORDERS})
ROUNDS = 6
WARM_UP = ROUNDS + 1

KINDS = {
    "order": "order",
    "order_pointer": "pointer",
    "deleted_order": "deleted",
    "customer": "customer",
    "profile": "profile",
    "profile_event": "events",
    "identity": "claims",
    "entry": "entries",
    "node": "nodes",
    "consent_address": "address",
    "consent_change": "change",
    "indexed_change": "write-backs",
    "outbox": "outbox",
    "idempotency": "idempotency",
    "check": "checks",
}
COLUMNS = (
    Column("what"),
    Column("orders there"),
    Column("write units"),
    Column("floor"),
    Column("read units"),
    Column("calls"),
    Column("time", "ms", 1),
    Column("CPU", "ms", 1),
    *(Column(name) for name in KINDS.values()),
)
NOTES = (
    "Units and calls are those beside authentication, which reads one unit in one call.",
    "From `order` on: the write units of each kind of row. They sum up to what the engine bills.",
    "Floor: the write units of the one row that says it, by a bare put.",
    f"Each is the median of {ROUNDS} of its kind; a node's split, once in 36 entries, is no part.",
)


@dataclass(frozen=True)
class Put:
    """One request of the story."""

    label: str
    path: str
    body: object = None
    method: str = "PUT"
    key: str | None = None
    floor: str | None = None
    """The kind of the row whose bare put is the floor."""


@dataclass
class Figures:
    """The costs of the requests of one kind."""

    units: "list[Counter[str]]" = field(default_factory=list)
    units_of: list[Measured[Any]] = field(default_factory=list)


def story(api: Api, store: str, number: int) -> Iterator[Put]:
    """Yields the requests of a customer who orders, and of a guest who orders."""
    customer, guest = f"{store}/customers/{customer_id(number)}", 1_000_000 + number
    yield Put("customer, new", customer, bodies.customer(number), floor="customer")
    yield Put("customer, the same again", customer, bodies.customer(number))
    yield Put("customer, a later time alone", customer, bodies.customer(number, minutes=1))
    renamed = bodies.customer(number, minutes=2, lastName="Steinberger-Hofer")
    yield Put("customer, another name", customer, renamed, floor="customer")
    order, other = f"{store}/orders/{2 * number}", f"{store}/orders/{2 * number + 1}"
    placed = bodies.order(number, number)
    yield Put("order, of a known customer", order, placed, floor="order")
    yield Put("order, the same again", order, placed)
    yield Put("order, a later time alone", order, bodies.order(number, number, minutes=1))
    sent = bodies.order(number, number, minutes=2, fulfillmentStatus="fulfilled")
    yield Put("order, another status", order, sent, floor="order")
    yield Put("order, of somebody new", other, bodies.order(number, guest), floor="order")
    keyed = Put(
        "order, of a known customer, with an idempotency-key",
        f"{store}/orders/{guest}",
        bodies.order(guest, number),
        key=f"key-{number}",
        floor="order",
    )
    yield keyed
    yield Put("its retry", keyed.path, keyed.body, key=keyed.key)
    yield Put("order, deleted", order, method="DELETE", floor="order")
    known_by = {"email": f"newcomer-{number}@example.com", "phone": f"+1415555{number:04}"}
    yield Put("profile, new", "/profiles", known_by, method="POST", floor="profile")
    email = bodies.customer(number)["email"]
    found = api.call("GET", "/profiles", query={"email": email}).result["items"]
    consent, statement = f"/profiles/{found[0]['id']}/consent/email", {"state": "unsubscribed"}
    yield Put("consent, changed", consent, statement, floor="consent_change")
    yield Put("consent, the same again", consent, statement)


@contextmanager
def opened(orders: int) -> Iterator[tuple[str, str]]:
    """Opens a shop with `orders` orders; yields its key and its store's path."""
    if orders:
        with large(orders, scratch=True) as loaded:
            yield loaded.key, f"/stores/{loaded.shop.stores[0]}"
    else:
        with tables():
            empty = shop("empty")
            yield open_shop(empty), f"/stores/{empty.stores[0]}"


def measure(orders: int) -> list[list[Cell]]:
    """Returns the table's rows for lists of `orders` orders."""
    figures: dict[str, Figures] = defaultdict(Figures)
    with opened(orders) as (key, store):
        start_other_services()
        meter, ledger = Meter(), Ledger()
        api = Api(key, meter)
        for put in story(api, store, WARM_UP):  # imports the handlers
            send(api, put)
        for number in range(1, 1 + ROUNDS):
            for put in story(api, store, number):
                if number % 2:
                    figures[put.label].units_of.append(send(api, put))
                else:
                    units_of = ledger.units_of(partial(send, api, put))
                    figures[put.label].units.append(units_of)
        floors = floor_units(meter, ledger.rows)
        return [row(put, orders, figures[put.label], floors) for put in story(api, store, WARM_UP)]


def send(api: Api, put: Put) -> Measured[Any]:
    """Sends the request."""
    return api.call(put.method, put.path, body=put.body, idempotency_key=put.key)


def row(put: Put, orders: int, figures: Figures, floors: dict[str, float]) -> list[Cell]:
    """Returns the table's row of one kind of request."""
    kinds = {kind: median(units[kind] for units in figures.units) for kind in KINDS}
    others = {kind for units in figures.units for kind in units} - set(KINDS)
    if others:
        raise ValueError(f"{put.label} writes {others} too")
    return [
        put.label,
        orders,
        sum(kinds.values()),
        floors[put.floor] if put.floor else None,
        median(units_of.reads for units_of in figures.units_of),
        median(len(units_of.work) for units_of in figures.units_of),
        1000 * median(units_of.seconds for units_of in figures.units_of),
        1000 * min(units_of.cpu_seconds for units_of in figures.units_of),
        *kinds.values(),
    ]


def floor_units(meter: Meter, rows: Mapping[str, Raw]) -> dict[str, float]:
    """Returns the units of a bare put of a row, by kind."""
    of_table = {kind: raw for kind, raw in rows.items() if "pk" in raw}
    return {kind: meter.measured(partial(put_bare, raw)).writes for kind, raw in of_table.items()}


def put_bare(raw: Raw) -> None:
    """Puts the row again, under another key."""
    dynamodb_client().put_item(
        TableName=Item.Meta.table_name, Item={**raw, "pk": {"S": f"floor {raw['pk']['S']}"}}
    )


def main() -> None:
    """Measures and publishes, in a process for each size, which has tables of its own."""
    title = "Write units of what a custom store puts, of a profile and of a consent"
    table = Table("writes", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as alone:
        for orders in SIZES:
            for cells in alone.submit(measure, orders).result():
                table.add(*cells)
    table.publish()


if __name__ == "__main__":
    main()
