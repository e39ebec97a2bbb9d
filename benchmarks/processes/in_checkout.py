"""Runs a worker with the code of a checkout, maybe of an earlier commit, by a slowed clock.

`python in_checkout.py <worker> '<json>'` runs in the checkout's folder, which is on the path, with
the engine's URL in `AWS_ENDPOINT_URL_DYNAMODB`. The worker is the module of that name beside this
one; it imports this one under the name that this has in our own checkout.
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
    """Imports a module of the benchmarks, which were all in one folder in earlier commits."""
    in_folder = f"benchmarks.{folder}"
    return import_module(f"{in_folder}.{name}" if find_spec(in_folder) else f"benchmarks.{name}")


def persistence(name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """Imports a module of `persistence`, which was a top-level package in earlier commits."""
    package = "storepost.platform" if find_spec("storepost.platform") else "storepost"
    return import_module(f"{package}.persistence.{name}")


def value_module(name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """Imports a module of `values`, some of which were top-level modules in earlier commits."""
    found = find_spec(f"storepost.values.{name}")
    return import_module(f"storepost.values.{name}" if found else f"storepost.{name}")


def slow_down(times: float) -> None:
    """Makes this process's clocks slower and its sleeps longer, by the same factor.

    With 64 writers on a machine of two cores, the CPU is the limit. With all waits of the writers
    and the engine 80 times as long, it does as much in a millisecond of the writers' clock as a
    machine of 160 cores. Dates and times of day stay real.
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
    """Slows this process's clock, and directs calls to the tables to the engine."""
    slow_down(dilation)
    module("measure", "environment")
    logging.disable(logging.CRITICAL)
    import_module("local.aws").keep_tables_at(os.environ["AWS_ENDPOINT_URL_DYNAMODB"])


def connect(dilation: float) -> None:
    """Makes a client for this process."""
    connection = persistence("item").connection
    connection._client = None
    connection._read_timeout_seconds = max(connection._read_timeout_seconds, 10 * dilation)
    persistence("client").make_client(connection)


def at_once[T](works: Iterable[Callable[[T], None]], make: Callable[[], T]) -> list[T]:
    """Runs works at once, each in a forked process of its own; returns their results.

    Each work records its results in a new object from `make`.
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
    """Waits for the start signal, and does the work."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    random.seed()
    connect(1.0)
    pipe.recv()
    did = make()
    work(did)
    pipe.send(did)


def say(done: object) -> None:
    """Prints the results, and ends the process at once, with any waiting threads."""
    print(json.dumps(done), flush=True)
    os._exit(0)


def main(worker: str) -> None:
    """Runs a worker with the arguments after its name."""
    sys.modules[NAME] = sys.modules["__main__"]
    del sys.argv[:1]
    runpy.run_path(str(Path(__file__).parent / f"{worker}.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
