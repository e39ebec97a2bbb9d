"""Orders put into one store by many processes at once; it runs in earlier commits, too.

`python order_writer.py '<json>'` in the folder of a checkout, with `AWS_ENDPOINT_URL_DYNAMODB`
naming the engine; the JSON is a `Run`. It prints as JSON what became of the requests.

Each writer is a process, as each of a function's containers is: it runs the handlers behind the
gateway's events. They are forked from one that has imported everything.
"""

import json
import logging
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

_PAST = timedelta(days=700)
_STORES = 17
_CONNECT_TRIES = 3


@dataclass(frozen=True)
class Run:
    """What one run does to the workspace of that name; the first run opens it."""

    shop: str
    key: str = ""
    """Of the API, where the workspace is open."""
    number: int = 0
    """Each run of a workspace has one of its own: its orders and people are new ones."""
    writers: int = 1
    seconds: float = 0.0
    scattered: bool = False
    """Whether orders are of any time in two years; else they are of now."""
    imports: int = 0
    """Other stores of the workspace, which send one batch after the other meanwhile."""
    batch: int = 40
    dilation: float = 1.0
    """How much longer all waiting takes."""


@dataclass
class Did:
    """What processes did: answers by status, and of orders that were taken seconds and ids."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    imported: int = 0
    """Orders that batches brought."""

    def add(self, other: "Did") -> None:
        """Adds what another process did."""
        self.answers += other.answers
        self.seconds += other.seconds
        self.orders += other.orders
        self.imported += other.imported


def module(folder: str, name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the benchmarks, which stood beside each other once."""
    in_folder = f"benchmarks.{folder}"
    return import_module(f"{in_folder}.{name}" if find_spec(in_folder) else f"benchmarks.{name}")


def persistence(name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the service's persistence, which stood on top once."""
    package = "storepost.platform" if find_spec("storepost.platform") else "storepost"
    return import_module(f"{package}.persistence.{name}")


class Shop:
    """A workspace with a store of orders and others of batches."""

    def __init__(self, run: Run) -> None:
        """Opens it where it isn't open."""
        large_shop = module("data", "large_shop")
        self.run = run
        self.stores = tuple(uuid5(NAMESPACE_URL, f"{run.shop} {n}") for n in range(_STORES))
        self.workspace = large_shop.shop(run.shop).workspace
        opened = large_shop.Shop(self.workspace, self.stores)
        self.key = run.key or large_shop.open_shop(opened)

    def call(self, method: str, path: str, body: object = None, query: str = "") -> Any:  # noqa: ANN401
        """The gateway's answer: its status and what it says."""
        gateway = import_module("local.gateway")
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        event = gateway.http_event(method, f"/v1{path}", query=query, headers=headers, body=sent)
        answer = gateway.handle(event)
        return answer.status, json.loads(answer.body)

    def put_order(self, number: int, store: UUID, did: Did) -> None:
        """Puts an order of somebody new."""
        body = self._order(number)
        began = time.monotonic()
        try:
            status, answer = self.call("PUT", f"/stores/{store}/orders/o-{number}", body)
        except Exception as died:  # what the gateway answers with 500
            did.answers[type(died).__name__] += 1
            return
        did.answers[str(status) + ("" if status < 400 else f" {answer.get('code')}")] += 1
        if status < 300:
            did.seconds.append(time.monotonic() - began)
            did.orders.append(answer["id"])

    def bring_batch(self, number: int, store: UUID, size: int, did: Did) -> None:
        """Sends orders together, and carries them as the import's worker does."""
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


def slow_down(times: float) -> None:
    """Has this process's clocks run slower and its sleeps take longer, by as much.

    A machine of two cores that runs 64 writers measures its processor. With all waiting 80 times as
    long, of writers and of the engine, it does as much in a millisecond of the writers' clock as
    one of 160 cores. Moments of the calendar stay real.
    """
    monotonic, sleep, set_timer = time.monotonic, time.sleep, signal.setitimer
    began = monotonic()

    def slower() -> float:
        return began + (monotonic() - began) / times

    def sleep_longer(seconds: float) -> None:
        sleep(seconds * times)

    def set_longer_timer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        return set_timer(which, seconds * times, interval * times)

    time.monotonic = time.perf_counter = slower
    time.sleep = sleep_longer  # type: ignore[assignment]
    signal.setitimer = set_longer_timer


def serve(pipe: Connection, work: Callable[[Did], None]) -> None:
    """Does the work in a process of its own, from when it is told to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    random.seed()
    connect(1.0)
    pipe.recv()
    did = Did()
    work(did)
    pipe.send(did)


def connect(dilation: float) -> None:
    """Has this process a client of its own."""
    connection = persistence("item").connection
    connection._client = None
    connection._read_timeout_seconds = max(connection._read_timeout_seconds, 10 * dilation)
    persistence("client").make_client(connection)


def put_orders(shop: Shop, place: int, did: Did) -> None:
    """One order after the other, until the time is over."""
    run, until = shop.run, time.monotonic() + shop.run.seconds
    number = 10_000_000 * (1 + run.number) + 100_000 * place
    while time.monotonic() < until:
        number += 1
        shop.put_order(number, shop.stores[0], did)


def bring_batches(shop: Shop, place: int, did: Did) -> None:
    """One batch after the other, until the time is over."""
    run, until = shop.run, time.monotonic() + shop.run.seconds
    number = 10_000_000 * (1 + run.number) + 100_000 * (run.writers + place)
    while time.monotonic() < until:
        number += run.batch
        shop.bring_batch(number, shop.stores[1 + place], run.batch, did)


def written(shop: Shop) -> Did:
    """What all processes did."""
    run = shop.run
    works = [partial(put_orders, shop, place) for place in range(run.writers)]
    works += [partial(bring_batches, shop, place) for place in range(run.imports)]
    fork, pipes = multiprocessing.get_context("fork"), list[Any]()
    for work in works:
        parent_end, child_end = fork.Pipe()
        fork.Process(target=serve, args=(child_end, work), daemon=True).start()
        child_end.close()
        pipes.append(parent_end)
    for pipe in pipes:
        pipe.send("begin")
    did = Did()
    for pipe in pipes:
        did.add(pipe.recv())
    return did


def main(run: Run) -> None:
    """Opens the workspace where it isn't open, and has everybody write."""
    slow_down(run.dilation)
    module("measure", "environment")
    logging.disable(logging.CRITICAL)
    import_module("local.aws").keep_tables_at(os.environ["AWS_ENDPOINT_URL_DYNAMODB"])
    module("measure", "tables").start_other_services()
    connect(run.dilation)
    shop = Shop(run)
    warm = Did()
    for number in range(_CONNECT_TRIES):  # it imports the handlers
        shop.put_order(9_000_000 + 10 * run.number + number, shop.stores[0], warm)
    if run.imports:
        shop.bring_batch(9_500_000 + 10 * run.number, shop.stores[1], 1, warm)
    did = written(shop)
    orders = [*warm.orders, *did.orders]
    did.imported += warm.imported
    print(json.dumps({**vars(did), "key": shop.key, "orders": orders, "warm": warm.answers}))
    sys.stdout.flush()
    with suppress(Exception):
        os._exit(0)


if __name__ == "__main__":
    main(Run(**json.loads(sys.argv[1])))
