"""`make bench-batches`: batches of orders, from the request to the last row of the last chunk.

Each goes through the API's handler, S3, the outbox, the queue and the worker; the tables are in
dynoxide. `ORDERS=10000` makes the long row shorter.
"""

import json
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from local import aws

aws.prepare_environment()
os.environ["POWERTOOLS_LOG_LEVEL"] = "WARNING"

from benchmarks.measuring import cpu_seconds  # noqa: E402 - the service reads its environment
from benchmarks.reporting import Cell, Column, Table  # noqa: E402
from local import gateway, pumps  # noqa: E402
from local.dynoxide import VERSION, Dynoxide  # noqa: E402
from storepost import clock  # noqa: E402
from storepost.api_keys.model import ApiKey, Secret  # noqa: E402
from storepost.api_keys.repository import ApiKeyRepository  # noqa: E402
from storepost.identity.model import KeyScope  # noqa: E402
from storepost.identity.tokens import digest, new_api_key, shown_prefix  # noqa: E402
from storepost.ids import new_id  # noqa: E402
from storepost.messaging.outbox import SHARDS, due  # noqa: E402
from storepost.messaging.relay import relay  # noqa: E402
from storepost.persistence.changes import Changes  # noqa: E402
from storepost.persistence.item import Item, dynamodb_client  # noqa: E402
from storepost.scope import WorkspaceScope  # noqa: E402
from storepost.workspaces.model import Workspace  # noqa: E402
from storepost.workspaces.repository import WorkspaceRepository  # noqa: E402

ORDERS = int(os.environ.get("ORDERS", "100000"))
BATCH = 500
BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
QUEUE = "StoreImportQueue"
FLOOR_OFTEN = 20
"""Of so many batches of the long row one is written again, as its floor."""
COLUMNS = (
    Column("what"),
    Column("orders", "there before, or brought"),
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


@dataclass
class Meter:
    """What the service asks of DynamoDB."""

    units: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Rows of the orders' lists and of their nodes, as often as one is written."""
    calls: int = 0
    transactions: list[list[dict[str, Any]]] | None = None
    """Each of them, while somebody wants to write them again."""

    def __post_init__(self) -> None:
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._ask)
        events.register("after-call.dynamodb", self._count)

    def clear(self) -> None:
        """Counts from nothing."""
        self.units.clear()
        self.kinds.clear()
        self.calls = 0

    def _ask(self, model: Any, params: dict[str, Any], **_: object) -> None:  # noqa: ANN401
        params["ReturnConsumedCapacity"] = "TOTAL"
        if model.name == "TransactWriteItems":
            items = params["TransactItems"]
            self.kinds.update(filter(None, map(_list_of, items)))
            if self.transactions is not None:
                self.transactions.append(items)

    def _count(self, model: Any, parsed: dict[str, Any], **_: object) -> None:  # noqa: ANN401
        consumed = parsed.get("ConsumedCapacity", [])
        tables = consumed if isinstance(consumed, list) else [consumed]
        is_read = model.name in {"GetItem", "BatchGetItem", "Query"}
        self.units["read" if is_read else "write"] += sum(t["CapacityUnits"] for t in tables)
        self.calls += 1


def _list_of(item: dict[str, Any]) -> str | None:
    """Whether an item of a transaction is a row of an orders' list, or a node."""
    [(_, written)] = item.items()
    key = written.get("Key") or written["Item"]
    parts = key.get("pk", {}).get("S", "").split("#")[2:]
    if parts[:1] != ["orders"]:
        return None
    return "nodes" if parts[-1] == "nodes" else "rows"


@dataclass
class Shop:
    """A new workspace's store."""

    key: str
    store: str

    def call(self, path: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """What a POST answers."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        sent = json.dumps(body).encode()
        answer = gateway.handle(
            gateway.http_event("POST", f"/v1{path}", headers=headers, body=sent)
        )
        if answer.status >= 400:
            raise RuntimeError(answer.body.decode())
        return json.loads(answer.body)

    def bring(self, orders: list[dict[str, Any]]) -> None:
        """Sends a batch and carries it to its end."""
        self.call(f"/stores/{self.store}/batches", {"orders": orders})
        for shard in range(SHARDS):
            for row in due(shard, clock.now() + timedelta(seconds=1)):
                relay(row)
        while pumps.pump_queue(QUEUE):
            pass


def open_shop() -> Shop:
    """A workspace with a key and a store."""
    secret, changes = new_api_key(), Changes()
    workspace = Workspace(new_id(), "Bench", f"bench-{new_id().hex[:8]}", False, 0)  # noqa: FBT003
    WorkspaceRepository(workspace.scope).add(changes, workspace)
    ApiKeyRepository(workspace.scope).add(changes, _key(workspace.scope, secret))
    changes.commit()
    shop = Shop(secret, "")
    store = {"platform": "custom", "name": "Bench", "externalId": "b", "currency": "EUR"}
    more = {"primaryLocale": "en", "adminUrl": "https://admin.example.com/"}
    shop.store = shop.call("/stores", {**store, **more})["id"]
    return shop


def _key(workspace: WorkspaceScope, secret: str) -> ApiKey:
    return ApiKey(
        id=new_id(),
        workspace_id=workspace.id,
        name="Bench",
        scope=KeyScope.WRITE,
        prefix=shown_prefix(secret),
        maker_id=None,
        created_at=clock.now(),
        used_before=None,
        rotated_at=None,
        revoked_at=None,
        secrets=(Secret(digest(secret), None),),
    )


def order(number: int, buyer: int | None) -> dict[str, Any]:
    """An order of two lines, a minute after the one before it."""
    at = clock.to_text(BEGINNING + timedelta(minutes=number))
    names = ("total", "subtotal", "totalDiscounts", "totalShipping", "totalTax", "totalRefunded")
    line = {"quantity": 1, "unitPrice": _eur(4990), "totalDiscount": _eur(0)}
    return {
        "externalId": f"order-{number}",
        "number": f"#{1000 + number}",
        "placedAt": at,
        "updatedAt": at,
        "financialStatus": "paid",
        "fulfillmentStatus": "fulfilled" if number % 7 else "unfulfilled",
        "locale": "de-AT",
        **dict.fromkeys(names, _eur(9980)),
        "lineItems": [{**line, "title": title, "sku": title.upper()} for title in ("Tea", "Cup")],
        **({} if buyer is None else {"customer": person(buyer)}),
    }


def person(number: int) -> dict[str, str]:
    """Who ordered; names come in no order."""
    mixed = number * 2_654_435_761 % 2**32
    return {
        "externalId": f"customer-{number}",
        "email": f"{mixed:08x}@example.com",
        "phone": f"+4366{10_000_000 + number}",
        "firstName": f"Ann{mixed % 977}",
        "lastName": f"Lind{mixed % 7919}",
    }


def _eur(amount: int) -> dict[str, object]:
    return {"amount": amount, "currency": "EUR"}


def write_again(transactions: list[list[dict[str, Any]]]) -> None:
    """The same rows elsewhere, by botocore alone and without conditions."""
    client = dynamodb_client()
    for items in transactions:
        client.transact_write_items(TransactItems=items)


def bare(transactions: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """The transactions' writes of the one table, without conditions, under keys of their own."""
    found = ([_bare(item) for item in items] for items in transactions)
    return [written for items in found if (written := [item for item in items if item])]


def _bare(item: dict[str, Any]) -> dict[str, Any] | None:
    [(kind, written)] = item.items()
    if kind == "ConditionCheck" or written["TableName"] != Item.Meta.table_name:
        return None
    part = "Item" if kind == "Put" else "Key"
    kept = {name: value for name, value in written.items() if not name.startswith("Condition")}
    kept[part] = {**kept[part], "pk": {"S": f"floor {kept[part]['pk']['S']}"}}
    expression = str(kept.get("UpdateExpression", ""))
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        used = {key: value for key, value in kept.pop(name, {}).items() if key in expression}
        kept |= {name: used} if used else {}
    return {kind: kept}


@dataclass
class Figures:
    """Of some batches together."""

    meter: Meter
    orders: int = 0
    seconds: float = 0
    cpu: float = 0
    floor_orders: int = 0
    floor_cpu: float = 0
    floor_units: float = 0

    def measure(self, shop: Shop, orders: list[dict[str, Any]], *, floor: bool) -> None:
        """Brings one batch, and writes its rows again where the floor is asked for, too."""
        self.meter.transactions = [] if floor else None
        began = time.perf_counter()
        self.cpu += cpu_seconds(lambda: shop.bring(orders))
        self.seconds += time.perf_counter() - began
        self.orders += len(orders)
        transactions, self.meter.transactions = self.meter.transactions, None
        if transactions is not None:
            self._measure_floor(bare(transactions))
            self.floor_orders += len(orders)

    def _measure_floor(self, transactions: list[list[dict[str, Any]]]) -> None:
        """Writes the rows again, which counts for the floor alone."""
        units, kinds, calls = self.meter.units.copy(), self.meter.kinds.copy(), self.meter.calls
        self.floor_cpu += cpu_seconds(lambda: write_again(transactions))
        self.floor_units += self.meter.units["write"] - units["write"]
        self.meter.units, self.meter.kinds, self.meter.calls = units, kinds, calls

    def row(self, what: str, there: int) -> list[Cell]:
        """The table's row."""
        meter, orders = self.meter, self.orders
        cpu, floor = 1000 * self.cpu / orders, 1000 * self.floor_cpu / self.floor_orders
        return [
            what,
            there,
            orders / self.seconds,
            cpu,
            floor,
            cpu / floor,
            meter.units["read"] / orders,
            meter.units["write"] / orders,
            self.floor_units / self.floor_orders,
            2 * meter.kinds.total() / max(1, meter.kinds["rows"]),
            meter.calls / orders,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        ]


@dataclass(frozen=True)
class Scenario:
    """One batch of a new store."""

    what: str
    buyer: Callable[[int], int | None]
    """Who buys the order of a number."""
    there: int = 0
    """How many orders, from number 0 on, are there before."""
    first: int = 0
    """The number of the batch's first order."""


SCENARIOS = (
    Scenario("a batch, of nobody", lambda _number: None),
    Scenario("a batch, of people all new", lambda number: number),
    Scenario("a batch, of people all known", lambda number: number % BATCH, BATCH, BATCH),
    Scenario("a batch, the same again", lambda number: number, BATCH),
)


def batch_of(first: int, buyer: Callable[[int], int | None]) -> list[dict[str, Any]]:
    """A batch from an order on."""
    return [order(number, buyer(number)) for number in range(first, first + BATCH)]


def single(meter: Meter) -> Iterator[list[Cell]]:
    """Single batches, on lists that hold one at most."""
    for scenario in SCENARIOS:
        shop = open_shop()
        for first in range(0, scenario.there, BATCH):
            shop.bring(batch_of(first, scenario.buyer))
        meter.clear()
        figures = Figures(meter)
        figures.measure(shop, batch_of(scenario.first, scenario.buyer), floor=True)
        yield figures.row(scenario.what, scenario.there)


def buyer_among_many(number: int) -> int:
    """Two orders in five are somebody's first; the others are of people who bought before."""
    return number if number % 5 < 2 else number * 7919 % number


def long(meter: Meter) -> Iterator[list[Cell]]:
    """Many batches, two in five of the orders of somebody new; a row for each tenth."""
    shop, batches = open_shop(), ORDERS // BATCH
    meter.clear()
    figures = Figures(meter)
    for number in range(batches):
        batch = batch_of(BATCH * number, buyer_among_many)
        figures.measure(shop, batch, floor=number % FLOOR_OFTEN == FLOOR_OFTEN // 2)
        forget_objects()
        if number + 1 in {batches // 10, batches}:
            yield figures.row(f"batches, up to order {BATCH * (number + 1):,}", figures.orders)
            meter.clear()
            figures = Figures(meter)


def forget_objects() -> None:
    """moto keeps what S3 has in this process: a bucket would count as the worker's memory."""
    s3 = aws.client("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        for held in s3.list_objects_v2(Bucket=bucket["Name"]).get("Contents", []):
            s3.delete_object(Bucket=bucket["Name"], Key=held["Key"])


def main() -> None:
    """Measures and publishes."""
    table = Table("batches", "Orders in batches", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with Dynoxide() as engine:
        aws.keep_tables_at(engine.url)
        aws.start()
        aws.create_resources()
        meter = Meter()
        open_shop().bring([order(0, 0)])  # imports the handlers
        for rows in (single, long):
            for cells in rows(meter):
                table.add(*cells)
                print(table.text().splitlines()[-len(NOTES) - 2], flush=True)
    table.publish()


if __name__ == "__main__":
    main()
