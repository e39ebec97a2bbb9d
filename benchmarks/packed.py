"""`make bench-packed`: what a list of packed leaves costs to load and to read, beside others.

The million is built by a load, which takes minutes; `ENTRIES=100000` takes fewer. Leaves without a
page are those of a list of `PLAIN=20000` of the same entries, written as single writers do; another
such list packed what was cold as it grew.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import batched
from random import Random
from uuid import UUID, uuid4

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.orders.trees import CANCELLED, FILTERS, FINANCIAL, FULFILLMENT, TEST
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    PACKS_WHAT_IS_COLD,
    Filter,
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    moments,
)
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values.ids import short
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

ENTRIES = int(os.environ.get("ENTRIES", "1000000"))
PLAIN = int(os.environ.get("PLAIN", "20000"))
DRAWN = 100
PAGE = 25
WRITES = 400
START = datetime(2023, 1, 1, tzinfo=UTC)
RARE = FINANCIAL.among(FinancialStatus.VOIDED)

COLUMNS = (
    Column("list"),
    Column("what"),
    Column("of"),
    Column("write units", digits=3),
    Column("read units", digits=2),
    Column("at most", digits=1),
    Column("calls", digits=3),
    Column("calls at most"),
    Column("CPU", "ms", 3),
)
NOTES = (
    "Loads and writes: for one entry. Pages: the mean of those drawn, and the dearest.",
    "Each page was compared with a plain list, rows and total.",
)


def entry(minute: int, random: Random, store: UUID) -> TreeEntry:
    """An order of that minute, as the list of all shows it; 1 in 100 is voided."""
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


@dataclass(frozen=True)
class Lists:
    """A list and what it must hold, by key."""

    name: str
    tree: Tree
    entries: list[TreeEntry]
    meter: Meter
    table: Table

    def load(self, what: str, new: Sequence[TreeEntry]) -> None:
        """Loads entries, and reports what one takes."""
        self._put(what, new, lambda: Load(self.tree).run(new))

    def write(self, what: str, new: Sequence[TreeEntry], at_once: int) -> None:
        """Writes entries as single writers do, so many in a transaction."""

        def insert() -> None:
            for some in batched(new, at_once, strict=False):
                commit_anew(partial(self._insert, some))

        self._put(what, new, insert)

    def change(self, what: str, some: Sequence[TreeEntry]) -> None:
        """Has entries fulfilled, one a transaction."""
        places = {each.key: number for number, each in enumerate(self.entries)}
        changed = [
            TreeEntry(e.key, {**e.values, CANCELLED.name: not e.values[CANCELLED.name]}, e.payload)
            for e in some
        ]

        def move() -> None:
            for old, new in zip(some, changed, strict=True):
                commit_anew(partial(self._move, old, new))

        self._report(what, len(some), self.meter.measured(move))
        for each in changed:
            self.entries[places[each.key]] = each

    def pages(
        self, what: str, by: Filter | None = None, ranges: Sequence[KeyRange] = (EVERYTHING,)
    ) -> None:
        """Pages drawn at random, of what a filter keeps in ranges."""
        random, measured = Random(3), list[Measured[None]]()
        for number in range(DRAWN):
            within = ranges[number % len(ranges)]
            rows = [e for e in self.entries if e.key in within and (by is None or by.keeps(e))]
            request = PageRequest(1 + random.randrange(max(1, len(rows) // PAGE)), PAGE)
            measured.append(
                self.meter.measured(partial(self._page, request, rows, by, within, number % 2 == 0))
            )
        self._report_pages(what, measured)

    def first(self) -> None:
        """Page 1, from both ends."""
        request = PageRequest(1, PAGE)
        read = partial(self._page, request, self.entries, None, EVERYTHING)
        self._report_pages(
            "page 1",
            [self.meter.measured(partial(read, descending)) for descending in (True, False)],
        )

    def _page(
        self,
        request: PageRequest,
        rows: Sequence[TreeEntry],
        by: Filter | None,
        within: KeyRange,
        descending: bool,  # noqa: FBT001 - it is private
    ) -> None:
        listing = self.tree.page(request, descending=descending, by=by, within=within)
        first = request.skipped
        expected = (
            rows[first : first + PAGE]
            if not descending
            else rows[max(0, len(rows) - first - PAGE) : len(rows) - first][::-1]
        )
        if (list(listing.items), listing.total) != (expected, len(rows)):
            raise AssertionError(f"{request} of {self.name}")

    def _put(self, what: str, new: Sequence[TreeEntry], put: Callable[[], None]) -> None:
        self._report(what, len(new), self.meter.measured(put))
        self.entries[:] = sorted((*self.entries, *new), key=lambda each: each.key)

    def _insert(self, some: Sequence[TreeEntry], changes: Changes) -> None:
        for each in some:
            self.tree.insert(changes, each)

    def _move(self, old: TreeEntry, new: TreeEntry, changes: Changes) -> None:
        self.tree.move(changes, old, new)

    def _report(self, what: str, entries: int, measured: Measured[None]) -> None:
        self.table.add(
            self.name,
            what,
            entries,
            measured.writes / entries,
            measured.reads / entries,
            None,
            len(measured.work) / entries,
            None,
            1000 * measured.cpu_seconds / entries,
        )

    def _report_pages(self, what: str, measured: Sequence[Measured[None]]) -> None:
        self.table.add(
            self.name,
            what,
            len(self.entries),
            None,
            sum(each.reads for each in measured) / len(measured),
            max(each.reads for each in measured),
            sum(len(each.work) for each in measured) / len(measured),
            max(len(each.work) for each in measured),
            1000 * sum(each.cpu_seconds for each in measured) / len(measured),
        )


def months(minutes: int) -> list[KeyRange]:
    """Ranges of a month each, all over so many minutes."""
    month = min(30 * 24 * 60, minutes // 3)
    starts = (START + timedelta(minutes=(minutes - month) * n / 9) for n in range(10))
    return [moments(since, since + timedelta(minutes=month)) for since in starts]


def report_reads(lists: Lists, minutes: int) -> None:
    """Page 1, any page, a filter, a range."""
    lists.first()
    lists.pages("any page")
    lists.pages("1 in 100", RARE)
    lists.pages("a month", None, months(minutes))


def main() -> None:
    """Loads, measures, publishes."""
    title = (
        f"A list of {ENTRIES:,} orders in packed leaves, beside {PLAIN:,} in leaves without pages"
    )
    table = Table("packed", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    random, store = Random(1), uuid4()

    def some(minutes: Sequence[int]) -> list[TreeEntry]:
        return [entry(minute, random, store) for minute in minutes]

    with tables():
        meter = Meter()
        scope = WorkspaceScope(uuid4())
        plain = Lists("today's", Tree(scope.partition("plain"), FILTERS), [], meter, table)
        plain.write("80 a transaction", some(range(PLAIN)), 80)
        report_reads(plain, PLAIN)
        changed = [random.choice(plain.entries[PLAIN // 4 :]) for _ in range(WRITES)]
        plain.change("a change", list({e.key: e for e in changed}.values()))
        cold = Tree(scope.partition("grown"), FILTERS, packing=PACKS_WHAT_IS_COLD)
        grown = Lists("packed as it grew", cold, [], meter, table)
        grown.write("80 a transaction", some(range(PLAIN)), 80)
        report_reads(grown, PLAIN)
        changed = [random.choice(grown.entries[PLAIN // 4 : PLAIN // 2]) for _ in range(WRITES)]
        grown.change("a change", list({e.key: e for e in changed}.values()))
        tree = Tree(scope.partition("packed"), FILTERS, packing=Packing())
        packed = Lists("packed", tree, [], meter, table)
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
        packed.pages("any page", None)
    table.publish()


if __name__ == "__main__":
    main()
