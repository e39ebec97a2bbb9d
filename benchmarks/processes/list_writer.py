"""Writes entries into one list with several threads for a time; prints the results.

`python -m benchmarks.processes.list_writer <partition> <threads> <seconds> <scattered?>` runs with
the engine's URL in `AWS_ENDPOINT_URL_DYNAMODB`. Two more arguments are the most entries that each
thread writes a second, and the time that replaces the current one as the newest of the entries.
"""

import json
import logging
import random
import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from storepost.orders.trees import FILTERS
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.client import make_client
from storepost.platform.persistence.counted_tree import (
    PACKS_WHAT_IS_COLD,
    Tree,
    TreeEntry,
    moment_key,
)
from storepost.platform.persistence.item import connection
from storepost.platform.persistence.patience import patience
from storepost.values.problems import Problem

REQUEST_MILLISECONDS = 29_000
"""The timeout of a request's function."""
_PAST = timedelta(days=700)


@dataclass
class Written:
    """The threads' results; `seconds` has the duration of each entry's write."""

    given_up: int = 0
    seconds: list[float] = field(default_factory=list)


def entry(*, scattered: bool, until: datetime | None = None) -> TreeEntry:
    """Returns an order of `until` or now, or of a random time in the two years before."""
    placed = (until or datetime.now(UTC)) - (_PAST * random.random() if scattered else timedelta())
    values = {each.name: random.choice(each.values) for each in FILTERS}
    return TreeEntry(moment_key(placed, uuid4()), values, ["#1001", 5499, "EUR", "de"])


@dataclass(frozen=True)
class Wish:
    """The entries that each thread writes: their times, and the most a second."""

    scattered: bool
    pace: float = 0.0
    ended: datetime | None = None


def write(tree: Tree, until: float, written: Written, wish: Wish) -> None:
    """Writes one entry after the other."""
    due = time.monotonic()
    while (began := time.monotonic()) < until:
        new = entry(scattered=wish.scattered, until=wish.ended)
        try:
            with patience(REQUEST_MILLISECONDS):
                commit_anew(partial(tree.insert, entry=new))
        except Problem:
            written.given_up += 1
        else:
            written.seconds.append(time.monotonic() - began)
        if wish.pace:
            due += 1 / wish.pace
            time.sleep(max(0.0, due - time.monotonic()))


def main(partition: str, threads: int, seconds: float, wish: Wish) -> None:
    """Starts the threads together."""
    logging.disable(logging.CRITICAL)
    connection._max_pool_connections = threads
    connection._client = None
    make_client(connection)
    written, tree = Written(), Tree(partition, FILTERS, packing=PACKS_WHAT_IS_COLD)
    until = time.monotonic() + seconds
    running = [
        threading.Thread(target=write, args=(tree, until, written, wish)) for _ in range(threads)
    ]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    print(json.dumps([written.given_up, written.seconds]))


if __name__ == "__main__":
    partition, threads, seconds, order, *more = sys.argv[1:]
    pace, ended = (float(more[0]), datetime.fromisoformat(more[1])) if more else (0.0, None)
    wish = Wish(order == "scattered", pace, ended)
    main(partition, int(threads), float(seconds), wish)
