"""Compares a list of orders with its expected entries, and measures its writes and pages."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched
from random import Random
from statistics import fmean, quantiles

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.bounds import ANY, FIRST, Bound
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.reporting import Table
from storepost.orders.trees import CANCELLED
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    KeyRange,
    Tree,
    TreeEntry,
)
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.values.pagination import PageRequest

DRAWN = 100
PAGE = 25


@dataclass
class ComparedList:
    """A list and its expected entries, by key."""

    name: str
    tree: Tree
    entries: list[TreeEntry]
    meter: Meter
    table: Table
    written: int = 0
    """The number of entries that other processes wrote, in addition to `entries`."""

    def load(self, label: str, new: Sequence[TreeEntry]) -> None:
        """Loads entries, and reports the cost of one."""
        self._put(label, new, lambda: Load(self.tree).run(new))

    def write(self, label: str, new: Sequence[TreeEntry], at_once: int) -> None:
        """Writes entries as single writers do, `at_once` in a transaction."""

        def insert() -> None:
            for some in batched(new, at_once, strict=False):
                commit_anew(partial(self._insert, some))

        self._put(label, new, insert)

    def change(self, label: str, some: Sequence[TreeEntry]) -> None:
        """Toggles whether entries are cancelled, one in a transaction."""
        positions = {each.key: number for number, each in enumerate(self.entries)}
        changed = [
            TreeEntry(e.key, {**e.values, CANCELLED.name: not e.values[CANCELLED.name]}, e.payload)
            for e in some
        ]

        def move() -> None:
            for old, new in zip(some, changed, strict=True):
                commit_anew(partial(self._move, old, new))

        self._report(label, len(some), self.meter.measured(move))
        for each in changed:
            self.entries[positions[each.key]] = each

    def pages(
        self,
        label: str,
        by: Filter | None = None,
        ranges: Sequence[KeyRange] = (EVERYTHING,),
        bound: Bound | None = None,
    ) -> None:
        """Reads random pages of the entries that match a filter, in ranges."""
        random, measured = Random(3), list[Measured[None]]()
        for number in range(DRAWN):
            within = ranges[number % len(ranges)]
            rows = [e for e in self.entries if e.key in within and (by is None or by.keeps(e))]
            request = PageRequest(1 + random.randrange(max(1, len(rows) // PAGE)), PAGE)
            measured.append(
                self.meter.measured(partial(self._page, request, rows, by, within, number % 2 == 0))
            )
        self._report_pages(label, measured, bound)

    def first(self) -> None:
        """Reads page 1, in both orders."""
        request = PageRequest(1, PAGE)
        read = partial(self._page, request, self.entries, None, EVERYTHING)
        measured = [self.meter.measured(partial(read, descending)) for descending in (True, False)]
        self._report_pages("page 1", measured, FIRST)

    def pages_beside(self, label: str, writer: "subprocess.Popen[bytes]") -> None:
        """Reads page 1 and random pages while another process writes.

        It checks that each page is full, and that totals only grow.
        """
        random, total = Random(4), len(self.entries)
        first, others = list[Measured[None]](), list[Measured[None]]()

        def read(request: PageRequest) -> None:
            nonlocal total
            listing = self.tree.page(request, descending=True)
            if listing.total < total or len(listing.items) != PAGE:
                raise AssertionError(f"{request} of {self.name}: {listing.total} after {total}")
            total = listing.total

        while writer.poll() is None:
            other = PageRequest(2 + random.randrange(len(self.entries) // PAGE - 2), PAGE)
            first.append(self.meter.measured(partial(read, PageRequest(1, PAGE))))
            others.append(self.meter.measured(partial(read, other)))
        self._report_pages(f"page 1, {label}", first, FIRST)
        self._report_pages(f"any page, {label}", others, ANY)

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

    def _put(self, label: str, new: Sequence[TreeEntry], put: Callable[[], None]) -> None:
        self._report(label, len(new), self.meter.measured(put))
        self.entries[:] = sorted((*self.entries, *new), key=lambda each: each.key)

    def _insert(self, some: Sequence[TreeEntry], changes: Changes) -> None:
        for each in some:
            self.tree.insert(changes, each)

    def _move(self, old: TreeEntry, new: TreeEntry, changes: Changes) -> None:
        self.tree.move(changes, old, new)

    def _report(self, label: str, entries: int, measured: Measured[None]) -> None:
        self.table.add(
            self.name,
            label,
            entries,
            measured.writes / entries,
            measured.reads / entries,
            None,
            None,
            len(measured.work) / entries,
            None,
            None,
            1000 * measured.cpu_seconds / entries,
        )

    def _report_pages(
        self, label: str, measured: Sequence[Measured[None]], bound: Bound | None = None
    ) -> None:
        units, calls = [each.reads for each in measured], [len(each.work) for each in measured]
        shares = [max(units) / bound.units] if bound else []
        shares += [max(calls) / bound.calls] if bound and bound.calls else []
        self.table.add(
            self.name,
            label,
            len(self.entries),
            None,
            fmean(units),
            quantiles(units, n=20, method="inclusive")[-1],
            max(units),
            fmean(calls),
            max(calls),
            max(shares, default=None),
            1000 * fmean(each.cpu_seconds for each in measured),
        )
