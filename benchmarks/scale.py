"""`make bench-scale`: ten and a hundred million rows on AWS, by simulation; nothing is measured.

The cost of a row is from measured benchmarks: `loads`, `feeds`, `postings` and docs/adr 74, 75,
76 and 103.
"""

from benchmarks.measure.reporting import Column, Table
from benchmarks.simulation.throughput import Kind, Load, simulate

KINDS = (
    Kind("feed's new products", 2.84 + 0.73, 0.73, 1.3),
    Kind("orders, two in five of somebody new", 14.7 + 2.0, 2.0, 4.3 + 0.46 * 12),
    Kind("orders of known people", 7.2, 1.2, 4.2 + 0.70 * 12),
    Kind("coupon codes", 1.09, 0.1, 0.52),
)
"""`key_units` are on the key with most writes: products' postings in pages; new people's in rows,
five each; a list's page for ten orders, with its leaf and the node above; pages of codes.
"""
ROWS = (10_000_000, 100_000_000)
WAYS = ((1, 5, 1), (1, 16, 16), (100, 5, 1), (100, 100, 1), (100, 1000, 16))
"""Numbers of workspaces, of the queue's containers, and of shards of a workspace's load."""
COLUMNS = (
    Column("rows of"),
    Column("rows", "of all workspaces"),
    Column("workspaces", "at once"),
    Column("containers", "of the queue"),
    Column("shards", "a workspace"),
    Column("hours", "", 1),
    Column("dollars", "writes and workers"),
    Column("bound", "most of the time"),
)
NOTES = (
    "A new table: 4,000 write units a second, twice as many after each half an hour of full use.",
    "Containers are QueueConcurrency, 5 unless a deployment says otherwise.",
    "More shards than one don't exist: see docs/adr/0077.",
    "Another machine's CPU is taken for Lambda's at 1,769 MB; both are one core.",
)


def main() -> None:
    """Simulates and publishes."""
    table = Table("scale", "Loads by simulation", COLUMNS, {}, NOTES)
    for kind in KINDS:
        for rows in ROWS:
            for workspaces, containers, shards in WAYS:
                figures = simulate(Load(kind, rows, workspaces, containers, shards))
                cells = (kind.name, rows, workspaces, containers, shards)
                table.add(*cells, figures.hours, figures.dollars, figures.bound)
    table.publish()


if __name__ == "__main__":
    main()
