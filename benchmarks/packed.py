"""`make bench-packed`: the cost of loading and reading a list of packed leaves, beside others.

A load builds the list of a million entries in minutes; `ENTRIES=100000` loads fewer. For
comparison, a list of `PLAIN=20000` of the same entries, written as single writers do, has unpacked
leaves; another such list packs its cold leaves as it grows.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID, uuid4

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.bounds import ANY
from benchmarks.measure.compared_list import PAGE, ComparedList
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import (
    CANCELLED,
    FILTERS,
    FINANCIAL,
    FULFILLMENT,
    TEST,
    TOP_NODES,
)
from storepost.platform.persistence.counted_tree import (
    PACKS_WHAT_IS_COLD,
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    moments,
)
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values.ids import short
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

ENTRIES = int(os.environ.get("ENTRIES", "1000000"))
PLAIN = int(os.environ.get("PLAIN", "20000"))
WRITES = 400
AGAIN = 4
"""Successive loads of a tenth as many entries."""
PACE, THREADS, BESIDE_SECONDS = 50, 4, 20.0
"""The writes a second beside readers, their threads and their duration."""
START = datetime(2023, 1, 1, tzinfo=UTC)
RARE = FINANCIAL.among(FinancialStatus.VOIDED)

COLUMNS = (
    Column("list"),
    Column("what"),
    Column("of"),
    Column("write units", digits=3),
    Column("read units", digits=2),
    Column("of 95 in 100", digits=1),
    Column("at most", digits=1),
    Column("calls", digits=3),
    Column("calls at most"),
    Column("share", digits=2, most=1),
    Column("CPU", "ms", 3),
)
NOTES = (
    "Loads and writes: for one entry. Pages: the mean of those drawn, 95 in 100, and the dearest.",
    "Share: of the units, or of the calls, that the dearest page may take; the greater of both.",
    "Each page was compared with a plain list, rows and total.",
)


def entry(minute: int, random: Random, store: UUID) -> TreeEntry:
    """Returns an order of that minute, as an entry of the list of all; 1 in 100 is voided."""
    statuses = [status for status in FinancialStatus if status is not FinancialStatus.VOIDED]
    rare = random.random() < 1 / 100
    return TreeEntry(
        moment_key(START + timedelta(minutes=minute), UUID(int=random.getrandbits(128))),
        {
            FINANCIAL.name: FinancialStatus.VOIDED if rare else random.choice(statuses),
            FULFILLMENT.name: random.choice(list(FulfillmentStatus)),
            CANCELLED.name: random.random() < 1 / 20,
            TEST.name: False,
        },
        [f"#{minute}", random.randrange(10**5), "EUR", "de-AT", short(store)],
    )


def months(minutes: int) -> list[KeyRange]:
    """Returns ranges of a month each, spread over `minutes` minutes."""
    month = min(30 * 24 * 60, minutes // 3)
    starts = (START + timedelta(minutes=(minutes - month) * n / 9) for n in range(10))
    return [moments(since, since + timedelta(minutes=month)) for since in starts]


def report_reads(lists: ComparedList, minutes: int) -> None:
    """Measures page 1, random pages, a filter and ranges."""
    lists.first()
    lists.pages("any page", bound=ANY)
    lists.pages("1 in 100", RARE)
    lists.pages("a month", None, months(minutes))


def report_beside_writers(packed: ComparedList, url: str) -> None:
    """Measures pages beside writes in order and scattered ones; then checks nodes and total."""
    ended = START + timedelta(minutes=ENTRIES)
    for order in ("in order", "scattered"):
        command = [sys.executable, "-m", "benchmarks.processes.list_writer", packed.tree.partition]
        command += [str(THREADS), str(BESIDE_SECONDS), order, str(PACE / THREADS), str(ended)]
        environment = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": url}
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        packed.pages_beside(f"beside writes {order}", writer)
        given_up, seconds = json.loads(writer.communicate()[0])
        print(f"{len(seconds) / BESIDE_SECONDS:.0f} writes a second, {given_up} given up")
        packed.written += len(seconds)
        total = packed.tree.page(PageRequest(1, PAGE)).total
        if (wrong := faults(packed.tree)) or total != len(packed.entries) + packed.written:
            raise SystemExit(f"{total} of {len(packed.entries) + packed.written}: {wrong}")


def orders(partition: str, packing: Packing) -> Tree:
    """Returns a list like those of orders, with a given packing."""
    return Tree(partition, FILTERS, top_nodes=TOP_NODES, packing=packing, keys_stay=True)


def main() -> None:
    """Loads, measures, publishes."""
    title = (
        f"A list of {ENTRIES:,} orders in packed leaves, beside {PLAIN:,} in leaves without pages"
    )
    table = Table("packed", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    random, store = Random(1), uuid4()

    def some(minutes: Sequence[int]) -> list[TreeEntry]:
        return [entry(minute, random, store) for minute in minutes]

    with tables() as engine:
        meter = Meter()
        scope = WorkspaceScope(uuid4())
        plain = ComparedList("today's", Tree(scope.partition("plain"), FILTERS), [], meter, table)
        plain.write("80 a transaction", some(range(PLAIN)), 80)
        report_reads(plain, PLAIN)
        changed = [random.choice(plain.entries[PLAIN // 4 :]) for _ in range(WRITES)]
        plain.change("a change", list({e.key: e for e in changed}.values()))
        cold = orders(scope.partition("grown"), PACKS_WHAT_IS_COLD)
        grown = ComparedList("packed as it grew", cold, [], meter, table)
        grown.write("80 a transaction", some(range(PLAIN)), 80)
        report_reads(grown, PLAIN)
        changed = [random.choice(grown.entries[PLAIN // 4 : PLAIN // 2]) for _ in range(WRITES)]
        grown.change("a change", list({e.key: e for e in changed}.values()))
        tree = orders(scope.partition("packed"), Packing())
        packed = ComparedList("packed", tree, [], meter, table)
        packed.load("a first load", some(range(ENTRIES * 3 // 4)))
        packed.load("in order", some(range(ENTRIES * 3 // 4, ENTRIES)))
        report_reads(packed, ENTRIES)
        at = ENTRIES // 2
        near = [random.choice(packed.entries[at : at + 4000]) for _ in range(WRITES)]
        packed.change("a change", list({e.key: e for e in near}.values()))
        packed.pages(
            "a page where 1 in 10 changed",
            None,
            [moments(START + timedelta(minutes=at), START + timedelta(minutes=at + 4000))],
        )
        scattered = sorted(random.sample(range(ENTRIES // 4), ENTRIES // 40))
        packed.load("scattered, 1 in 10", some(scattered))
        packed.pages("any page", bound=ANY)
        for number in range(2, 1 + AGAIN):
            minutes = sorted(random.sample(range(ENTRIES // 4), len(packed.entries) // 40))
            packed.load(f"scattered, 1 in 10, time {number}", some(minutes))
        packed.pages("any page", bound=ANY)
        report_beside_writers(packed, engine.url)
    table.publish()


if __name__ == "__main__":
    main()
