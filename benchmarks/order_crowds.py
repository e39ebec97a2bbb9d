"""`make bench-order_crowds`: 64 processes put orders into one store at once, by the handlers.

`SECONDS` is how long each run lasts by the writers' clock. `BEFORE=/path/to/a/checkout` is a folder
with another commit of this repository, such as `git worktree add` makes; it runs with the same
packages, in turn with this one.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.checkouts import checkouts, done_in
from benchmarks.measure.holding import HoldingProxy
from benchmarks.measure.listed_orders import differences
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import tables
from benchmarks.processes.order_writer import Run, Shop
from local.aws.dynoxide import VERSION
from local.template import ROOT

SECONDS = float(os.environ.get("SECONDS", "4"))
DILATION = float(os.environ.get("DILATION", "80"))
"""How much slower the writers' clock is than the machine's, so that the CPU isn't the limit."""
HELD_SECONDS = 0.012
READ_SECONDS = 0.004
WRITERS, IMPORTS = 64, 16
TURNS = int(os.environ.get("TURNS", "4"))
TURN_SECONDS = 15.0
"""The length of each commit's turn, in runs by the machine's own clock."""

COLUMNS = (
    Column("orders"),
    Column("commit"),
    Column("at once"),
    Column("imports"),
    Column("clock", "times slower"),
    Column("taken"),
    Column("not taken", most=0),
    Column("orders a second", digits=1),
    Column("imported a second", digits=1),
    Column("refused", "%"),
    Column("p50", "ms"),
    Column("p95", "ms"),
)
NOTES = (
    f"Each is of somebody new. A transaction has its rows for {1000 * HELD_SECONDS:g} ms,",
    f"and who comes between is refused; a read takes {1000 * READ_SECONDS:g} ms.",
    "By a slower clock all waiting takes longer, and the processor is what it is:",
    "with 1, 64 writers wait for the processor of a small machine.",
    "Lists, nodes, totals and pages of our own commit were compared with what was answered.",
)


@dataclass
class Sums:
    """The total results of one kind of run."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    imported: int = 0
    transactions: int = 0
    refused: int = 0
    by_the_clock: float = 0.0

    @property
    def not_taken(self) -> int:
        """Answers that aren't 2xx, and imports that aren't complete."""
        good = ("2", "batch 2", "import completed")
        return sum(n for status, n in self.answers.items() if not status.startswith(good))


@dataclass
class Crowd:
    """A workspace of its own that a checkout writes to."""

    engine_port: int
    checkout: Path
    name: str
    dilation: float
    key: str = ""
    runs: int = 0
    orders: list[str] = field(default_factory=list)
    """The ids of accepted orders."""
    imported: int = 0

    def write(self, sums: Sums, **wishes: Any) -> None:  # noqa: ANN401 - fields of Run
        """Does one run, and adds its figures."""
        run = Run(self.name, self.key, self.runs, dilation=self.dilation, **wishes)
        held_seconds, read_seconds = HELD_SECONDS * self.dilation, READ_SECONDS * self.dilation
        with HoldingProxy(self.engine_port, held_seconds, read_seconds) as proxy:
            done = done_in(self.checkout, "order_writer", run, proxy.url)
        self.runs, self.key = self.runs + 1, done["key"]
        self.orders += done["orders"]
        sums.answers += Counter(done["answers"])
        sums.seconds += done["seconds"]
        sums.imported += done["imported"]
        self.imported += done["imported"]
        sums.transactions += proxy.seen.calls["TransactWriteItems"]
        sums.refused += proxy.seen.refused
        sums.by_the_clock += run.seconds

    def check(self) -> None:
        """Raises SystemExit if lists don't have the acknowledged orders."""
        shop = Shop(Run(self.name, self.key))
        wrong = list(differences(shop.workspace, shop.stores, self.orders, self.imported))
        if wrong:
            raise SystemExit("\n".join(wrong))


@dataclass(frozen=True)
class Measure:
    """A kind of run, and its checkouts."""

    order: str
    dilation: float
    wishes: dict[str, Any]
    turns: int = 1


def measured(engine_port: int, commits: dict[str, Path], kind: Measure) -> dict[str, Sums]:
    """Runs the checkouts in turn; returns their results. It checks this checkout's lists."""
    crowds, sums = dict[str, Crowd](), dict[str, Sums]()
    for _ in range(kind.turns):
        for commit, checkout in commits.items():
            name = f"{commit} {kind.order} {kind.wishes['writers']} {kind.dilation:g}"
            shop = name.replace(" ", "-")
            crowd = crowds.setdefault(commit, Crowd(engine_port, checkout, shop, kind.dilation))
            crowd.write(sums.setdefault(commit, Sums()), **kind.wishes)
    for commit, crowd in crowds.items():
        if commits[commit] == ROOT:
            crowd.check()
    return sums


def row(kind: Measure, commit: str, sums: Sums) -> list[Cell]:
    """Returns the table's row."""
    cuts = quantiles(sums.seconds, n=20)
    return [
        kind.order,
        commit,
        kind.wishes["writers"],
        kind.wishes.get("imports", 0),
        kind.dilation,
        len(sums.seconds),
        sums.not_taken,
        len(sums.seconds) / sums.by_the_clock,
        sums.imported / sums.by_the_clock,
        100 * sums.refused / sums.transactions,
        1000 * cuts[9],
        1000 * cuts[18],
    ]


def kinds() -> Iterator[Measure]:
    """Yields the kinds of runs; those by the machine's own clock run in turns."""
    crowd = {"writers": WRITERS, "seconds": SECONDS}
    yield Measure("in order", DILATION, {**crowd, "writers": 1})
    yield Measure("in order", DILATION, crowd)
    yield Measure("scattered", DILATION, {**crowd, "scattered": True})
    beside = {**crowd, "writers": IMPORTS, "imports": IMPORTS}
    yield Measure("beside imports", DILATION, beside)
    by_turns = {"writers": WRITERS, "seconds": TURN_SECONDS}
    yield Measure("in order", 1, by_turns, turns=TURNS)


def main() -> None:
    """Measures and publishes."""
    both = checkouts("ours")
    figures = {"ours": ROOT}
    table = Table(
        "order_crowds",
        f"Orders put into one store at once, through the handlers, for {SECONDS:g} seconds",
        COLUMNS,
        {"dynoxide": VERSION},
        NOTES,
    )
    with tables() as engine:
        for kind in kinds():
            commits = both if kind.order == "in order" else figures
            for commit, sums in measured(engine.port, commits, kind).items():
                table.show(*row(kind, commit, sums))
                print(dict(sums.answers), flush=True)
    table.publish()


if __name__ == "__main__":
    main()
