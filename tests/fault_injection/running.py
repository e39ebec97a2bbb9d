"""A run: concurrent writers and workers, then the comparison."""

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from local import aws, functions
from local.events import pumps
from tests.harness.engines import engine

# The service and the engine's choice read the environment on import.
os.environ["STORE"] = "dynoxide"
aws.prepare_environment()
engine()
aws.start()
aws.create_resources()

from benchmarks.measure.apart import aws_for_all  # noqa: E402
from storepost.values.scope import WorkspaceScope  # noqa: E402
from tests.fault_injection.acknowledged_writes import Facts  # noqa: E402
from tests.fault_injection.checking import differences  # noqa: E402
from tests.fault_injection.processes import Process  # noqa: E402
from tests.fault_injection.requests import (  # noqa: E402
    PEOPLE,
    Shop,
    customer_of,
    email_of,
    pool_of,
    requests_of,
)
from tests.fault_injection.transport import Rates  # noqa: E402
from tests.fault_injection.writers import Writer, write_at_once  # noqa: E402
from tests.harness.world import Someone, World  # noqa: E402

RATES = Rates()
WORKER_RATES = Rates(killed=0.0005)
"""A worker's run makes hundreds of calls: at a request's rate, none would complete."""

_CODES = 1000
_MAX_DRAINING_SECONDS = 600.0


def run(requests: int, writers: int) -> int:
    """Runs it and prints the results; returns 0 if nothing is wrong."""
    with aws_for_all() as address:
        environment, world, facts = {"AWS_ENDPOINT_URL": address}, World(), Facts()
        owner = world.person()
        shop = _open(world, owner, world.workspace(owner))
        own = [
            requests_of(number, len(range(number, requests, writers)), shop)
            for number in range(writers)
        ]
        began = time.monotonic()
        with _workers(environment) as worker:
            clients = [
                Writer(Process(environment, RATES, number, _log()), owner, facts)
                for number in range(writers)
            ]
            met = write_at_once(clients, [*own])
            _report(facts, met, time.monotonic() - began)
        print(f"  faults of the workers: {dict(worker.met)}, killed {worker.starts - 1} times")
        _drain(world)
        wrong = [*facts.wrong, *differences(world, owner, shop, facts)]
    for each in wrong:
        print(f"WRONG: {each}")
    print(f"{len(wrong)} wrong, after {time.monotonic() - began:.0f} s")
    return 1 if wrong or len(facts.answered) < requests else 0


def _open(world: World, owner: Someone, workspace: WorkspaceScope) -> Shop:
    """Creates a store with all people as customers, and a coupon with codes."""
    store, profiles = world.store(owner), dict[int, str]()
    for person in range(PEOPLE):
        body = {"email": email_of(person)}
        made = owner.call("POST", "/profiles", body)
        profiles[person] = str(made.json["id"])
        owner.call("PUT", f"/stores/{store}/customers/c-{person}", customer_of(person))
    pool = pool_of(store, "Pool", _CODES)
    coupon = owner.call("POST", "/coupons", pool)
    world.deliver()
    return Shop(workspace, store, coupon.json["id"], profiles)


@contextmanager
def _workers(environment: Mapping[str, str]) -> Iterator[Process]:
    """Delivers streams and queues during the block, to functions with faults."""
    worker = Process(environment, WORKER_RATES, 99, _log())
    stop = threading.Event()

    def elsewhere(function: Any, event: dict[str, Any]) -> Any:
        return worker.run(function.name, event)

    def carry() -> None:
        stream = pumps.StreamPump(pause=lambda failures: time.sleep(min(failures, 5) / 10))
        while not stop.is_set():
            if not stream.pump() + sum(pumps.pump_queue(q, 1) for q in pumps.read_queues()):
                time.sleep(0.05)

    functions.run_elsewhere(elsewhere)
    thread = threading.Thread(target=carry, daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        stop.set()
        thread.join()
        functions.run_elsewhere(None)
        worker.stop()


def _log() -> str:
    return os.environ.get("LOG") or os.devnull


def _drain(world: World) -> None:
    """Delivers the rest without faults; failed messages become visible again after some seconds."""
    world.advance(minutes=3)
    world.sweep()
    until = time.monotonic() + _MAX_DRAINING_SECONDS
    while time.monotonic() < until:
        world.deliver()
        if not any(world.queue_depth(queue) for queue in pumps.read_queues()):
            return
        time.sleep(0.5)


def _report(facts: Facts, met: Counter[str], seconds: float) -> None:
    print(f"{len(facts.answered)} requests acknowledged in {seconds:.0f} s: {dict(facts.tally)}")
    print(f"  {dict(Counter(sent.kind for sent, _ in facts.answered))}")
    print(f"  faults of the writers: {dict(met)}")
