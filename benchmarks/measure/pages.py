"""Pages of a list through the API, each compared with all that the list must hold."""

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
    """A page isn't what it should be."""


@dataclass(frozen=True)
class ExpectedList:
    """A list as it is asked for, and the ids of all that it must hold, in order."""

    api: Api
    path: str
    query: Mapping[str, object]
    sort: str
    """The parameter's value for the order of the ids; a `-` before it turns that round."""
    ids: Sequence[str]

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return -(-len(self.ids) // PAGE)

    def page(self, number: int, *, ascending: bool = False) -> Measured[Any]:
        """A page, and what it took. Raises Wrong."""
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
    """The table as it grows."""

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
        """One page, some times over."""
        label = f"{name}, page {number:,}{' ascending' if ascending else ''}"
        measured = [expected.page(number, ascending=ascending) for _ in range(ROUNDS)]
        self.add(label, measured, bound, len(expected.ids))

    def ends(self, name: str, expected: ExpectedList, bound: Bound | None) -> None:
        """The first page, one in the middle, and the last."""
        for number in sorted({1, expected.pages // 2 or 1, expected.pages}):
            self.page(name, expected, number, bound)

    def whole(
        self, name: str, expected: ExpectedList, first: Bound | None, other: Bound | None
    ) -> list[Measured[Any]]:
        """A list by number, from either end; given back are the pages that were drawn."""
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
        """The dearest of pages anywhere in these lists, which are given back all."""
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
        """What these took: the units of the dearest, the most calls, the median time."""
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
