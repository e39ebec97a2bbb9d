"""`make bench-loads`: a file of coupon codes, beside an earlier commit where one is given.

`BEFORE=/path/to/a/checkout` is a folder with another commit of this repository, such as
`git worktree add` makes; it runs with the same packages. `CODES=20000` makes the file longer.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.measure.reporting import Cell, Column, Table
from local.aws.dynoxide import VERSION

CODES = int(os.environ.get("CODES", "5000"))
LATENCIES = (0, 12)
"""In milliseconds: the engine's own, and the mean of DynamoDB's writes."""
MAX_WRITES = 1.3
HERE = Path(__file__).parent.parent
WORKER = HERE / "benchmarks" / "processes" / "loading_worker.py"
COLUMNS = (
    Column("what"),
    Column("latency", "ms a call at least"),
    Column("codes"),
    Column("a second", "by the clock"),
    Column("CPU", "ms each", 3),
    Column("read units", "each", 2),
    Column("write units", "each", 2),
    Column("calls", "each", 3),
)
NOTES = (
    "An import is a coupon's file of codes, from the request to the last code.",
    f"{MAX_WRITES:g} write units each are the most that a loaded code may take.",
    "The engine is in another process. Each way runs in turn, in a process of its own.",
)


def measured(checkout: Path, codes: int, milliseconds: float) -> dict[str, float]:
    """What a load takes by the code of a checkout."""
    done = subprocess.run(
        [sys.executable, str(WORKER), str(codes), str(milliseconds)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout / 'layers' / 'core'}:{checkout}"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def row(what: str, milliseconds: float, codes: int, took: dict[str, float]) -> list[Cell]:
    """A row of the table."""
    each = [took[name] / codes for name in ("reads", "writes", "calls")]
    return [what, milliseconds, codes, codes / took["seconds"], 1000 * took["cpu"] / codes, *each]


def main() -> None:
    """Measures and publishes."""
    before = os.environ.get("BEFORE")
    checkouts = ({"before": Path(before)} if before else {}) | {"loaded": HERE}
    table = Table("loads", "Loads", COLUMNS, {"dynoxide": VERSION}, NOTES)
    for milliseconds in LATENCIES:
        for what, checkout in checkouts.items():
            took = measured(checkout, CODES, milliseconds)
            table.add(*row(f"coupon codes, {what}", milliseconds, CODES, took))
            print(table.text().splitlines()[-len(NOTES) - 2], flush=True)
    table.publish()


if __name__ == "__main__":
    main()
