"""The cost of batches: units, CPU and memory, beside the same rows written by botocore alone."""

import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.measuring import cpu_seconds
from benchmarks.measure.reporting import Cell
from storepost.platform.persistence.item import Item, dynamodb_client

type Import = Callable[[list[dict[str, Any]]], object]
"""Imports a batch of orders."""


@dataclass
class Meter:
    """The service's calls of DynamoDB."""

    units: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Writes of the orders' list entries and of their nodes."""
    calls: int = 0
    transactions: list[list[dict[str, Any]]] | None = None
    """All transactions, if they are to be written again; else None."""

    def __post_init__(self) -> None:
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._ask)
        events.register("after-call.dynamodb", self._count)

    def clear(self) -> None:
        """Resets the counts."""
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
    """Returns whether a transaction's item is an entry of an orders' list, a node, or neither."""
    [(_, written)] = item.items()
    key = written.get("Key") or written["Item"]
    parts = key.get("pk", {}).get("S", "").split("#")[2:]
    if parts[:1] != ["orders"]:
        return None
    return "nodes" if parts[-1] == "nodes" else "rows"


def write_again(transactions: list[list[dict[str, Any]]]) -> None:
    """Writes bare transactions, by botocore alone."""
    client = dynamodb_client()
    for items in transactions:
        client.transact_write_items(TransactItems=items)


def bare(transactions: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Returns the one table's writes, without conditions and with partition keys of their own."""
    found = ([_bare(item) for item in items] for items in transactions)
    return [written for items in found if (written := [item for item in items if item])]


def _bare(item: dict[str, Any]) -> dict[str, Any] | None:
    [(kind, written)] = item.items()
    if kind == "ConditionCheck" or written["TableName"] != Item.Meta.table_name:
        return None
    part = "Item" if kind == "Put" else "Key"
    bare_write = {
        name: value for name, value in written.items() if not name.startswith("Condition")
    }
    bare_write[part] = {**bare_write[part], "pk": {"S": f"floor {bare_write[part]['pk']['S']}"}}
    expression = str(bare_write.get("UpdateExpression", ""))
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        used = {key: value for key, value in bare_write.pop(name, {}).items() if key in expression}
        bare_write |= {name: used} if used else {}
    return {kind: bare_write}


@dataclass
class Figures:
    """The total cost of some batches."""

    meter: Meter
    orders: int = 0
    seconds: float = 0
    cpu: float = 0
    floor_orders: int = 0
    floor_cpu: float = 0
    floor_units: float = 0

    def measure(self, import_batch: Import, orders: list[dict[str, Any]], *, floor: bool) -> None:
        """Imports one batch; with `floor`, also writes its rows again to measure the floor."""
        self.meter.transactions = [] if floor else None
        began = time.perf_counter()
        self.cpu += cpu_seconds(lambda: import_batch(orders))
        self.seconds += time.perf_counter() - began
        self.orders += len(orders)
        transactions, self.meter.transactions = self.meter.transactions, None
        if transactions is not None:
            self._measure_floor(bare(transactions))
            self.floor_orders += len(orders)

    def _measure_floor(self, transactions: list[list[dict[str, Any]]]) -> None:
        """Writes the rows again, and counts that only for the floor."""
        units, kinds, calls = self.meter.units.copy(), self.meter.kinds.copy(), self.meter.calls
        self.floor_cpu += cpu_seconds(lambda: write_again(transactions))
        self.floor_units += self.meter.units["write"] - units["write"]
        self.meter.units, self.meter.kinds, self.meter.calls = units, kinds, calls

    def row(self, label: str, stored: int) -> list[Cell]:
        """Returns the table's row."""
        meter, orders = self.meter, self.orders
        cpu, floor = 1000 * self.cpu / orders, 1000 * self.floor_cpu / self.floor_orders
        return [
            label,
            stored,
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
