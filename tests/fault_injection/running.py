"""A run: writers at once, workers beside them, then the comparison."""

import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from local import aws, functions, pumps
from tests.engines import engine

# What the service reads when it is imported, and where its tables are.
os.environ["STORE"] = "dynoxide"
aws.prepare_environment()
engine()
aws.start()
aws.create_resources()

from benchmarks.apart import aws_for_all  # noqa: E402 - the service reads its environment
from tests.fault_injection.checking import differences  # noqa: E402
from tests.fault_injection.facts import Facts  # noqa: E402
from tests.fault_injection.processes import GATEWAY, Died, Process  # noqa: E402
from tests.fault_injection.requests import (  # noqa: E402
    PEOPLE,
    Sent,
    Shop,
    customer_of,
    email_of,
    pool_of,
    requests_of,
)
from tests.fault_injection.transport import Rates  # noqa: E402
from storepost.scope import WorkspaceScope  # noqa: E402
from tests.concurrency.requests import request  # noqa: E402
from tests.world import Someone, World  # noqa: E402

TRIES = 200
"""Of one request: a killed run's key is free after half a minute."""
RATES = Rates()
WORKER_RATES = Rates(killed=0.001)
"""A batch makes some hundred calls: at a request's rate it would never end."""
_MAX_DRAINING_SECONDS = 300.0


def run(requests: int, writers: int) -> int:
    """Runs it and prints what came of it: 0 where nothing is wrong."""
    with aws_for_all() as address:
        environment, world = {"AWS_ENDPOINT_URL": address}, World()
        owner = world.person()
        shop, facts = _open(world, owner, world.workspace(owner)), Facts()
        began = time.monotonic()
        with _workers(environment) as carried:
            met = _write(requests, writers, owner, shop, facts, environment)
            took = time.monotonic() - began
        _drain(world)
        wrong = [*facts.wrong, *differences(world, owner, shop, facts)]
    _report(facts, met, carried, took)
    for each in wrong:
        print(f"WRONG: {each}")
    print(f"{len(wrong)} wrong")
    return 1 if wrong or len(facts.answered) < requests else 0


def _open(world: World, owner: Someone, workspace: WorkspaceScope) -> Shop:
    """A store whose people are known, and a coupon with codes."""
    store = world.store(owner)
    profiles = {}
    for person in range(PEOPLE):
        body = {"email": email_of(person)}
        made = world.call("POST", "/profiles", token=owner.token, json_body=body)
        profiles[person] = str(made.json["id"])
        path = f"/stores/{store}/customers/c-{person}"
        world.call("PUT", path, token=owner.token, json_body=customer_of(person))
    coupon = world.call(
        "POST", "/coupons", token=owner.token, json_body=pool_of(store, "Pool", 500)
    )
    world.deliver()
    return Shop(workspace, store, coupon.json["id"], profiles)


@contextmanager
def _workers(environment: dict[str, str]) -> Iterator[Process]:
    """Has streams and queues read beside the block, by functions with faults."""
    worker = Process(environment, WORKER_RATES, 99, _log())
    lock, stop = threading.Lock(), threading.Event()

    def elsewhere(function: Any, event: dict[str, Any]) -> Any:
        with lock:
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
        thread.join(60)
        functions.run_elsewhere(None)
        worker.stop()


def _log() -> str:
    return os.environ.get("LOG") or os.devnull


def _drain(world: World) -> None:
    """Delivers what is left, without faults: what failed comes again after some seconds."""
    world.advance(minutes=3)
    world.sweep()
    until = time.monotonic() + _MAX_DRAINING_SECONDS
    while time.monotonic() < until:
        world.deliver()
        if not any(world.queue_depth(queue) for queue in pumps.read_queues()):
            return
        time.sleep(0.5)


def _write(
    requests: int,
    writers: int,
    owner: Someone,
    shop: Shop,
    facts: Facts,
    environment: dict[str, str],
) -> Counter[str]:
    """Has the writers write; the faults that they met, and how often they were killed."""
    met: Counter[str] = Counter()
    lock = threading.Lock()

    def write(writer: int) -> None:
        process = Process(environment, RATES, writer, _log())
        own = requests // writers + (writer < requests % writers)
        for sent in requests_of(writer, own, shop):
            _repeat(process, sent, owner, facts)
        process.stop()
        with lock:
            met.update(process.met)
            met["killed"] += process.starts - 1

    threads = [threading.Thread(target=write, args=(each,)) for each in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return met


def _repeat(process: Process, sent: Sent, owner: Someone, facts: Facts) -> None:
    """Sends the request until it is acknowledged, as clients are told to."""
    event = request(sent.method, sent.path, owner, sent.body, sent.key)
    before = "at first"
    for _ in range(TRIES):
        wait = 0.2
        try:
            answer = process.run(GATEWAY, event)
        except Died:
            facts.count("killed")
            before = "after a kill"
        else:
            body = json.loads(answer.body)
            if answer.status < 300:
                facts.count(str(answer.status))
                facts.add(sent, body)
                return
            facts.count(f"{answer.status} {body['code']} {before}")
            if before == "at first":
                before = f"after {answer.status}"
            if body["code"] not in _REPEATED:
                facts.refuse(f"{sent.kind} {sent.key}: {answer.status} {answer.body.decode()}")
                if answer.status < 500:
                    return
            headers = {name.lower(): value for name, value in answer.headers.items()}
            wait = float(headers.get("retry-after", wait))
        time.sleep(wait * random.uniform(0.5, 1))
    facts.refuse(f"{sent.kind} {sent.key}: no answer after {TRIES} tries")


_REPEATED = {"busy", "conflict", "idempotency_in_progress"}


def _report(facts: Facts, met: Counter[str], worker: Process, took: float) -> None:
    print(f"{len(facts.answered)} requests acknowledged in {took:.0f} s: {dict(facts.tally)}")
    print(f"  {dict(Counter(sent.kind for sent, _ in facts.answered))}")
    print(f"  faults of the writers: {dict(met)}")
    print(f"  faults of the workers: {dict(worker.met)}, killed {worker.starts - 1} times")
