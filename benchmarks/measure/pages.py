"""Reads pages of a list through the API, and compares each with the list's expected content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any

from benchmarks.measure.bounds import Bound
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Measured
from benchmarks.measure.reporting import Column, Table

PAGE = 25
ROUNDS = 3
DRAWN = 200
_DIGITS = 6

COLUMNS = (
    Column("list"),
    Column("rows"),
    Column("calls"),
    Column("read units"),
    Column("may take"),
    Column("share", "", 2, most=1),
    Column("by call"),
    Column("time", "ms", 1),
    Column("CPU", "ms", 1),
)
NOTES = (
    "Units and calls are those beside authentication, which reads one unit in one call.",
    "Share: of the units, or of the calls, that the page may take; the greater of both.",
    "By call: the units of each call in turn, the last of them for the rows.",
    f"Drawn: the dearest of {DRAWN} pages drawn at random in either direction; their median time.",
    "Each page's rows and its total were compared with all that there is, counted one by one.",
)


class Wrong(Exception):  # noqa: N818 - it is what the page is
    """A page isn't the expected one."""


@dataclass(frozen=True)
class ExpectedList:
    """A list's request, and its expected ids in order."""

    api: Api
    path: str
    query: Mapping[str, object]
    sort: str
    """The `sort` parameter for the order of the ids; a `-` before it reverses the order."""
    ids: Sequence[str]

    @property
    def pages(self) -> int:
        """The number of pages."""
        return -(-len(self.ids) // PAGE)

    def page(self, number: int, *, ascending: bool = False) -> Measured[Any]:
        """Reads and checks a page; returns it with its cost. Raises Wrong."""
        sort = self.sort if ascending else f"-{self.sort}"
        query = {**self.query, "sort": sort, "page": number, "pageSize": PAGE}
        measured = self.api.call("GET", self.path, query=query)
        found = [item["id"] for item in measured.result["items"]]
        if (found, measured.result["total"]) != (self._ids(number, ascending), len(self.ids)):
            raise Wrong(f"page {number} of {query}")
        return measured

    def _ids(self, number: int, ascending: bool) -> list[str]:  # noqa: FBT001 - it is private
        positions = range((number - 1) * PAGE, min(number * PAGE, len(self.ids)))
        return [self.ids[at if ascending else -1 - at] for at in positions]


@dataclass
class Report:
    """The table, to which rows are added."""

    table: Table

    def page(
        self,
        name: str,
        expected: ExpectedList,
        number: int,
        bound: Bound | None,
        *,
        ascending: bool = False,
    ) -> None:
        """Measures one page several times."""
        label = f"{name}, page {number:,}{' ascending' if ascending else ''}"
        measured = [expected.page(number, ascending=ascending) for _ in range(ROUNDS)]
        self.add(label, measured, bound, len(expected.ids))

    def ends(self, name: str, expected: ExpectedList, bound: Bound | None) -> None:
        """Measures the first page, one in the middle, and the last."""
        for number in sorted({1, expected.pages // 2 or 1, expected.pages}):
            self.page(name, expected, number, bound)

    def whole(
        self, name: str, expected: ExpectedList, first: Bound | None, other: Bound | None
    ) -> list[Measured[Any]]:
        """Measures pages by number, in both orders; returns the random pages."""
        self.page(name, expected, 1, first)
        deep = [number for number in (2, 100, 4_000, 20_000, 40_000) if number < expected.pages]
        for number in (*deep, expected.pages, expected.pages + 1):
            self.page(name, expected, number, other)
        self.page(name, expected, 1, first, ascending=True)
        self.page(name, expected, max(2, expected.pages // 3), other, ascending=True)
        return self.drawn(name, [expected], other)

    def drawn(
        self, name: str, lists: Sequence[ExpectedList], bound: Bound | None
    ) -> list[Measured[Any]]:
        """Reads random pages of these lists, and reports the most expensive; returns all."""
        random = Random(4)
        measured = [
            expected.page(random.randint(1, expected.pages), ascending=random.choice((False, True)))
            for expected in (lists[number % len(lists)] for number in range(DRAWN))
        ]
        self.add(f"{name}, drawn", measured, bound)
        return measured

    def add(
        self,
        name: str,
        measured: Sequence[Measured[Any]],
        bound: Bound | None = None,
        rows: int | None = None,
    ) -> None:
        """Adds the units of the most expensive page, the most calls and the median time."""
        dearest = max(measured, key=lambda each: each.reads)
        calls = max(len(each.work) for each in measured)
        shares = [dearest.reads / bound.units] if bound else []
        shares += [calls / bound.calls] if bound and bound.calls else []
        by_call = [f"{call.units:g}" for call in dearest.work]
        more = ["…"] if len(by_call) > _DIGITS else []
        self.table.add(
            name,
            rows,
            calls,
            dearest.reads,
            bound.units if bound else None,
            max(shares, default=None),
            "+".join([*by_call[: _DIGITS - len(more)], *more]),
            1000 * median(each.seconds for each in measured),
            1000 * min(each.cpu_seconds for each in measured),
        )
