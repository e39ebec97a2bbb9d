"""Many processes put orders into one store at once; earlier commits can run it, too.

`in_checkout.py` starts it; its JSON argument is a `Run`. It prints the results as JSON.

Each writer is a process, like each of a function's containers: it runs the handlers on the
gateway's events. Writers are forked from a process that has imported everything.
"""

import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from benchmarks.processes.in_checkout import at_once, begin, connect, module, say

_PAST = timedelta(days=700)
_STORES = 17
_CONNECT_TRIES = 3


@dataclass(frozen=True)
class Run:
    """One run's writes to the workspace of that name, which the first run creates."""

    shop: str
    key: str = ""
    """The API key, if the workspace exists."""
    number: int = 0
    """Unique for each run of a workspace, so that its orders and people are new."""
    writers: int = 1
    seconds: float = 0.0
    scattered: bool = False
    """Whether orders have random times in two years; else the current time."""
    imports: int = 0
    """The number of the workspace's other stores, which send batches meanwhile."""
    batch: int = 40
    dilation: float = 1.0
    """The factor by which all waits are longer."""


@dataclass
class Did:
    """Processes' results: answers by status, and the seconds and ids of accepted orders."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    imported: int = 0
    """Orders that batches imported."""

    def add(self, other: "Did") -> None:
        """Adds another process's results."""
        self.answers += other.answers
        self.seconds += other.seconds
        self.orders += other.orders
        self.imported += other.imported


class Shop:
    """A workspace with one store that puts orders, and others that send batches."""

    def __init__(self, run: Run) -> None:
        """Creates the workspace if it doesn't exist."""
        large_shop = module("data", "large_shop")
        self.run = run
        self.stores = tuple(uuid5(NAMESPACE_URL, f"{run.shop} {n}") for n in range(_STORES))
        self.workspace = large_shop.shop(run.shop).workspace
        opened = large_shop.Shop(self.workspace, self.stores)
        self.key = run.key or large_shop.open_shop(opened)

    def call(self, method: str, path: str, body: object = None, query: str = "") -> Any:  # noqa: ANN401
        """Returns the status and the JSON of the gateway's answer."""
        gateway = import_module("local.gateway")
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        event = gateway.http_event(method, f"/v1{path}", query=query, headers=headers, body=sent)
        answer = gateway.handle(event)
        return answer.status, json.loads(answer.body)

    def put_order(self, number: int, store: UUID, did: Did) -> None:
        """Puts an order of a new buyer."""
        body = self._order(number)
        began = time.monotonic()
        try:
            status, answer = self.call("PUT", f"/stores/{store}/orders/o-{number}", body)
        except Exception as died:  # the gateway would answer 500
            did.answers[type(died).__name__] += 1
            return
        did.answers[str(status) + ("" if status < 400 else f" {answer.get('code')}")] += 1
        if status < 300:
            did.seconds.append(time.monotonic() - began)
            did.orders.append(answer["id"])

    def load_batch(self, number: int, store: UUID, size: int, did: Did) -> None:
        """Sends orders as one batch, and runs its import."""
        messaging = "storepost.platform.messaging"
        outbox, relay = (import_module(f"{messaging}.{name}") for name in ("outbox", "relay"))
        pumps = import_module("local.events.pumps")
        orders = [{"externalId": f"b-{number + n}", **self._order(number + n)} for n in range(size)]
        status, answer = self.call("POST", f"/stores/{store}/batches", {"orders": orders})
        did.answers[f"batch {status}"] += 1
        if status >= 300:
            return
        soon = datetime.now(UTC) + timedelta(seconds=1)
        for row in (r for shard in range(outbox.SHARDS) for r in outbox.due(shard, soon)):
            if any(str(store) in message.body for message in row.messages):
                relay.relay(row)
        while pumps.pump_queue("StoreImportQueue", 0):
            pass
        status, answer = self.call("GET", f"/stores/{store}/imports/{answer['id']}")
        did.answers[f"import {answer['status']}"] += 1
        did.imported += size if answer["status"] == "completed" else 0

    def _order(self, number: int) -> dict[str, Any]:
        past = _PAST * random.random() if self.run.scattered else timedelta()
        placed = module("data", "bodies").clock.to_text(datetime.now(UTC) - past)
        fields = {"placedAt": placed, "updatedAt": placed}
        return dict(module("data", "bodies").order(number, number, **fields))


def put_orders(shop: Shop, place: int, did: Did) -> None:
    """Puts one order after the other, until the time is over."""
    run, until = shop.run, time.monotonic() + shop.run.seconds
    number = 10_000_000 * (1 + run.number) + 100_000 * place
    while time.monotonic() < until:
        number += 1
        shop.put_order(number, shop.stores[0], did)


def load_batches(shop: Shop, place: int, did: Did) -> None:
    """Sends one batch after the other, until the time is over."""
    run, until = shop.run, time.monotonic() + shop.run.seconds
    number = 10_000_000 * (1 + run.number) + 100_000 * (run.writers + place)
    while time.monotonic() < until:
        number += run.batch
        shop.load_batch(number, shop.stores[1 + place], run.batch, did)


def written(shop: Shop) -> Did:
    """Runs all writers; returns their results."""
    run = shop.run
    works = [partial(put_orders, shop, place) for place in range(run.writers)]
    works += [partial(load_batches, shop, place) for place in range(run.imports)]
    did = Did()
    for each in at_once(works, Did):
        did.add(each)
    return did


def main(run: Run) -> None:
    """Creates the workspace if it doesn't exist, and runs all writers."""
    begin(run.dilation)
    module("measure", "tables").start_other_services()
    connect(run.dilation)
    shop = Shop(run)
    warm = Did()
    for number in range(_CONNECT_TRIES):  # it imports the handlers
        shop.put_order(9_000_000 + 10 * run.number + number, shop.stores[0], warm)
    if run.imports:
        shop.load_batch(9_500_000 + 10 * run.number, shop.stores[1], 1, warm)
    did = written(shop)
    orders = [*warm.orders, *did.orders]
    did.imported += warm.imported
    say({**vars(did), "key": shop.key, "orders": orders, "warm": warm.answers})


if __name__ == "__main__":
    main(Run(**json.loads(sys.argv[1])))
