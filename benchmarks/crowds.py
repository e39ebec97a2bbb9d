"""`make bench-crowds`: what one list takes from many writers at once, where they conflict.

`SECONDS` says how long each of them writes.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import quantiles
from uuid import uuid4

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.holding import HoldingProxy
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from benchmarks.processes.list_writer import entry
from local.aws.dynoxide import VERSION
from local.template import ROOT
from storepost.orders.trees import FILTERS
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import PACKS_WHAT_IS_COLD, Tree, TreeEntry
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values.pagination import PageRequest

SECONDS = float(os.environ.get("SECONDS", "8"))
HELD_SECONDS = 0.012
THERE = 3_000
FEW = 20
"""Scattered entries that one transaction takes, each below nodes of its own."""
PAGES = 5
"""Read each second: page 1 and any other by turns."""

COLUMNS = (
    Column("writers"),
    Column("at once"),
    Column("entries a second", digits=1),
    Column("given up", most=0),
    Column("refused", "%"),
    Column("write units"),
    Column("p50", "ms"),
    Column("p95", "ms"),
    Column("page 1", "units", 1, 4),
    Column("any page", "units", 1, 12),
)
NOTES = (
    f"{THERE:,} entries are there before. Each transaction has its rows for 12 ms.",
    "Whoever comes between is refused: a writer, or one who folds. Pages of 25 are read meanwhile:",
    "the mean. On few cores it is the processor that bounds many writers.",
)


@dataclass
class Pages:
    """Units of the pages that were read."""

    first: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)


@contextmanager
def reading(tree: Tree) -> Iterator[Pages]:
    """Reads pages while the block runs."""
    pages, ended, meter = Pages(), threading.Event(), Meter()

    def read() -> None:
        number = 0
        while not ended.wait(1 / PAGES):
            number += 1
            page = 1 if number % 2 else 2 + number * 7 % (THERE // 25)
            request = PageRequest(page, 25)
            measured = meter.measured(partial(tree.page, request, descending=True))
            (pages.first if page == 1 else pages.others).append(measured.reads)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield pages
    finally:
        ended.set()
        thread.join()


def insert(tree: Tree, entries: Iterable[TreeEntry], changes: Changes) -> None:
    """All of them in one transaction."""
    for each in entries:
        tree.insert(changes, each)


def filled() -> Tree:
    """A list with entries of two years."""
    tree = Tree(f"crowd#{uuid4()}", FILTERS, packing=PACKS_WHAT_IS_COLD)
    for _ in range(THERE // FEW):
        commit_anew(partial(insert, tree, [entry(scattered=True) for _ in range(FEW)]))
    return tree


def report(table: Table, engine_port: int, order: str, processes: int, threads: int) -> None:
    """So many writers at once; raises where the list isn't right afterwards."""
    tree = filled()
    with HoldingProxy(engine_port, HELD_SECONDS) as proxy, reading(tree) as pages:
        command = [sys.executable, "-m", "benchmarks.processes.list_writer", tree.partition]
        command += [str(threads), str(SECONDS), order]
        environment = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": proxy.url}
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=ROOT)
            for _ in range(processes)
        ]
        ended = [json.loads(process.communicate()[0]) for process in running]
    if found := faults(tree):
        raise SystemExit(f"{order}, {processes * threads} writers: {found}")
    latencies = sorted(seconds for _, each in ended for seconds in each)
    cuts = quantiles(latencies, n=20)
    table.add(
        order,
        processes * threads,
        len(latencies) / SECONDS,
        sum(given_up for given_up, _ in ended),
        100 * proxy.seen.refused / proxy.seen.calls["TransactWriteItems"],
        proxy.seen.writes / len(latencies),
        1000 * cuts[9],
        1000 * cuts[18],
        sum(pages.first) / len(pages.first),
        sum(pages.others) / len(pages.others),
    )


def main() -> None:
    """Measures and publishes."""
    title = f"Entries written at once into one list, for {SECONDS:g} seconds each"
    table = Table("crowds", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables() as engine:
        for order in ("in order", "scattered"):
            for processes, threads in ((1, 1), (2, 8), (4, 16)):
                report(table, engine.port, order, processes, threads)
    table.publish()


if __name__ == "__main__":
    main()
