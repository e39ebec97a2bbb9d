"""Runs a worker with the code of a checkout, be it of an earlier commit, by a slowed clock.

`python in_checkout.py <worker> '<json>'` in the checkout's folder, which is on the path, with
`AWS_ENDPOINT_URL_DYNAMODB` naming the engine. The worker is the module of that name beside this
one, which it finds under the name that it has in our own checkout.
"""

import json
import logging
import multiprocessing
import os
import random
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

NAME = "benchmarks.processes.in_checkout"


def module(folder: str, name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the benchmarks, which stood beside each other once."""
    in_folder = f"benchmarks.{folder}"
    return import_module(f"{in_folder}.{name}" if find_spec(in_folder) else f"benchmarks.{name}")


def persistence(name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the service's persistence, which stood on top once."""
    package = "storepost.platform" if find_spec("storepost.platform") else "storepost"
    return import_module(f"{package}.persistence.{name}")


def value_module(name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the service's values, some of which stood on top once."""
    found = find_spec(f"storepost.values.{name}")
    return import_module(f"storepost.values.{name}" if found else f"storepost.{name}")


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


def begin(dilation: float) -> None:
    """Has this process run by the slowed clock, and keep its tables in the engine."""
    slow_down(dilation)
    module("measure", "environment")
    logging.disable(logging.CRITICAL)
    import_module("local.aws").keep_tables_at(os.environ["AWS_ENDPOINT_URL_DYNAMODB"])


def connect(dilation: float) -> None:
    """Has this process a client of its own."""
    connection = persistence("item").connection
    connection._client = None
    connection._read_timeout_seconds = max(connection._read_timeout_seconds, 10 * dilation)
    persistence("client").make_client(connection)


def at_once[T](works: Iterable[Callable[[T], None]], make: Callable[[], T]) -> list[T]:
    """What works did that begin together, each in a process of its own, which is forked.

    Each is given something new of `make` to note it in.
    """
    fork, pipes = multiprocessing.get_context("fork"), list[Any]()
    for work in works:
        parent_end, child_end = fork.Pipe()
        fork.Process(target=_serve, args=(child_end, work, make), daemon=True).start()
        child_end.close()
        pipes.append(parent_end)
    for pipe in pipes:
        pipe.send("begin")
    return [pipe.recv() for pipe in pipes]


def _serve[T](pipe: Connection, work: Callable[[T], None], make: Callable[[], T]) -> None:
    """Does the work from when it is told to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    random.seed()
    connect(1.0)
    pipe.recv()
    did = make()
    work(did)
    pipe.send(did)


def say(done: object) -> None:
    """Prints what was done, and ends the process with all that waits in it."""
    print(json.dumps(done), flush=True)
    os._exit(0)


def main(worker: str) -> None:
    """Runs a worker, which is given the arguments behind its name."""
    sys.modules[NAME] = sys.modules["__main__"]
    del sys.argv[:1]
    runpy.run_path(str(Path(__file__).parent / f"{worker}.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
