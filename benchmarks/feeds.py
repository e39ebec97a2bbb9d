"""`make bench-feeds`: a feed imported first, unchanged and changed, beside an earlier commit.

`BEFORE=/path/to/a/checkout` is a folder with another commit of this repository, such as
`git worktree add` makes; it runs with the same packages. `ROWS=200000` makes the feed longer, and
`LATENCIES=12` measures only with answers that take that many milliseconds.
"""

import os

from benchmarks.measure.checkouts import Figures, checkouts, measured_in
from benchmarks.measure.reporting import Cell, Column, Table
from local.aws.dynoxide import VERSION

ROWS = int(os.environ.get("ROWS", "4000"))
LATENCIES = [float(each) for each in os.environ.get("LATENCIES", "0,12").split(",")]
"""In milliseconds: the engine's own, and the mean of DynamoDB's writes."""
PARTS = {"first": "first import", "unchanged": "unchanged", "changed": "1 % changed"}
COLUMNS = (
    Column("what"),
    Column("latency", "ms a call at least"),
    Column("rows"),
    Column("a second", "rows by the clock"),
    Column("CPU", "ms a row", 3),
    Column("read units", "a row", 2),
    Column("write units", "a row", 2),
    Column("calls", "a row", 3),
    Column("times the unchanged", "by the clock", 1),
)
NOTES = (
    "Each row is a product of one variant, with a title of seven words and a description of 500",
    "characters. One row in a hundred has another price, and is changed.",
    "The engine is in another process. Each commit runs in turn, in a process of its own.",
    "Postings, which follow the stream, aren't written here.",
)


def rows(label: str, milliseconds: float, figures: dict[str, Figures]) -> list[list[Cell]]:
    """Returns the table's rows of one commit."""
    unchanged = figures["unchanged"]["seconds"]
    return [
        [
            f"{name}, {label}",
            milliseconds,
            ROWS,
            ROWS / figures[part]["seconds"],
            1000 * figures[part]["cpu"] / ROWS,
            *(figures[part][unit] / ROWS for unit in ("reads", "writes", "calls")),
            None if part == "first" else figures[part]["seconds"] / unchanged,
        ]
        for part, name in PARTS.items()
    ]


def main() -> None:
    """Measures and publishes."""
    table = Table("feeds", "Imports of a feed", COLUMNS, {"dynoxide": VERSION}, NOTES)
    for milliseconds in LATENCIES:
        for label, checkout in checkouts().items():
            figures = measured_in(checkout, "feed", ROWS, milliseconds)
            for cells in rows(label, milliseconds, figures):
                table.add(*cells)
    table.publish()


if __name__ == "__main__":
    main()
