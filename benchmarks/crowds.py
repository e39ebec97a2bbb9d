"""`make bench-crowds`: one list's throughput with many writers at once, whose writes conflict.

`SECONDS` is how long each writes by the writers' clock, and `DILATION` how much slower that clock
is. `BEFORE=/path/to/a/checkout` is a folder with another commit of this repository, such as
`git worktree add` makes; it runs with the same packages.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, quantiles
from uuid import uuid4

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.checkouts import checkouts, done_in
from benchmarks.measure.holding import HoldingProxy
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from benchmarks.processes.crowd_writer import Run
from local.aws.dynoxide import VERSION
from local.template import ROOT
from storepost.orders.trees import OrderList
from storepost.platform.persistence.counted_tree import Tree
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

SECONDS = float(os.environ.get("SECONDS", "2"))
DILATION = float(os.environ.get("DILATION", "80"))
"""How much slower the writers' clock is than the machine's, so that the CPU isn't the limit."""
HELD_SECONDS = 0.012
THERE = 3_000
WRITERS = (1, 64)
PAGES = 5
"""Pages read a second, alternately page 1 and a random one."""

COLUMNS = (
    Column("writers"),
    Column("commit"),
    Column("at once"),
    Column("clock", "times slower"),
    Column("entries a second", digits=1),
    Column("given up", most=0),
    Column("refused", "%"),
    Column("write units"),
    Column("p50", "ms"),
    Column("p95", "ms"),
    Column("page 1", "units", 1),
    Column("any page", "units", 1),
)
NOTES = (
    f"{THERE:,} entries are there before. Each transaction has its rows for 12 ms.",
    "Whoever comes between is refused: a writer, or one who folds. Pages of 25 are read meanwhile:",
    "the mean, of our own commit. By a slower clock all waiting takes longer, and the processor is",
    "what it is: with 1, many writers wait for the processor of a small machine.",
)


@dataclass
class Pages:
    """The read units of the pages."""

    first: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)


@contextmanager
def reading(kind: "Kind", tree: Tree) -> Iterator[Pages]:
    """Reads pages of this checkout's lists while the block runs."""
    pages, ended, meter = Pages(), threading.Event(), Meter()
    if not kind.is_ours:
        yield pages
        return

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


@dataclass(frozen=True)
class Kind:
    """A run's checkout, and its writers."""

    commit: str
    checkout: Path
    scattered: bool
    writers: int

    @property
    def is_ours(self) -> bool:
        """Whether this checkout writes the list, and so also reads and checks it."""
        return self.checkout == ROOT


def report(table: Table, engine_url: str, engine_port: int, kind: Kind) -> None:
    """Runs the writers at once; raises SystemExit if this checkout's list is wrong afterwards."""
    scope = WorkspaceScope(uuid4())
    tree, workspace = OrderList(scope).tree, str(scope.id)
    done_in(kind.checkout, "crowd_writer", Run(workspace, fill=THERE), engine_url)
    run = Run(
        workspace,
        writers=kind.writers,
        seconds=SECONDS,
        scattered=kind.scattered,
        dilation=DILATION,
    )
    with HoldingProxy(engine_port, HELD_SECONDS * DILATION) as proxy, reading(kind, tree) as pages:
        done = done_in(kind.checkout, "crowd_writer", run, proxy.url)
    if kind.is_ours and (found := faults(tree)):
        raise SystemExit(f"{kind}: {found}")
    cuts = quantiles(done["seconds"], n=20)
    table.show(
        "scattered" if kind.scattered else "in order",
        kind.commit,
        kind.writers,
        DILATION,
        len(done["seconds"]) / SECONDS,
        done["given_up"],
        100 * proxy.seen.refused / proxy.seen.calls["TransactWriteItems"],
        proxy.seen.writes / len(done["seconds"]),
        1000 * cuts[9],
        1000 * cuts[18],
        fmean(pages.first) if pages.first else None,
        fmean(pages.others) if pages.others else None,
    )


def main() -> None:
    """Measures and publishes."""
    title = f"Entries written at once into one list, for {SECONDS:g} seconds each"
    table = Table("crowds", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables() as engine:
        for scattered in (False, True):
            for writers in WRITERS:
                for commit, checkout in checkouts("ours").items():
                    kind = Kind(commit, checkout, scattered, writers)
                    report(table, engine.url, engine.port, kind)
    table.publish()


if __name__ == "__main__":
    main()
