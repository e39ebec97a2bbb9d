"""Pages of the loaded orders through the API, each compared with the orders counted one by one."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any

from benchmarks.calling import Api
from benchmarks.large_shop import Shop
from benchmarks.metering import Measured
from benchmarks.sales import BEGINNING, SECONDS, Sale, Sales
from storepost import clock
from storepost.ids import short

PAGE = 25


class Wrong(Exception):  # noqa: N818 - it is what the page is
    """A page isn't what the orders say."""


@dataclass(frozen=True)
class Asked:
    """A list as a request asks for it, and as it is looked for among the sales."""

    store: int | None = None
    query: dict[str, object] = field(default_factory=dict)
    keeps: Callable[[Sale], bool] | None = None
    since: int = 0
    until: int = SECONDS
    """From `since` (inclusive) to `until` (exclusive), in seconds from the beginning."""


@dataclass(frozen=True)
class Lists:
    """The lists of the shop's orders."""

    shop: Shop
    api: Api
    orders: int

    @cached_property
    def sales(self) -> list[Sale]:
        """All orders as the list has them, oldest first."""
        ids = self.shop.stores
        left = Sales(self.orders).left()
        return sorted(left, key=lambda sale: (sale.placed, short(sale.id(ids))))

    def wanted(self, asked: Asked) -> "Wanted":
        """The list, with what it must hold."""
        since, until = (bisect_left(self._placed, at) for at in (asked.since, asked.until))
        found = [
            sale
            for sale in self.sales[since:until]
            if asked.store in {None, sale.store} and (asked.keeps is None or asked.keeps(sale))
        ]
        return Wanted(self, asked, found)

    @cached_property
    def _placed(self) -> list[int]:
        return [sale.placed for sale in self.sales]


@dataclass(frozen=True)
class Wanted:
    """One list, and what it must hold, oldest first."""

    lists: Lists
    asked: Asked
    sales: Sequence[Sale]

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return -(-len(self.sales) // PAGE)

    def page(self, number: int, *, ascending: bool = False) -> Measured[Any]:
        """A page through the API, and what it took. Raises Wrong."""
        query = self._query() | {"page": number, "pageSize": PAGE}
        if ascending:
            query["sort"] = "placedAt"
        taken = self.lists.api.call("GET", "/orders", query=query)
        ids = [item["id"] for item in taken.result["items"]]
        if (ids, taken.result["total"]) != (self._ids(number, ascending), len(self.sales)):
            raise Wrong(f"page {number} of {query}")
        return taken

    def _query(self) -> dict[str, object]:
        asked = self.asked
        query = dict(asked.query)
        if asked.store is not None:
            query["storeId"] = self.lists.shop.stores[asked.store]
        if asked.since > 0:
            query["placedFrom"] = _text(asked.since)
        if asked.until < SECONDS:
            query["placedTo"] = _text(asked.until)
        return query

    def _ids(self, number: int, ascending: bool) -> list[str]:  # noqa: FBT001 - it is private
        places = range((number - 1) * PAGE, min(number * PAGE, len(self.sales)))
        sales = (self.sales[at if ascending else -1 - at] for at in places)
        return [str(sale.id(self.lists.shop.stores)) for sale in sales]


def _text(second: int) -> str:
    return clock.to_text(BEGINNING + timedelta(seconds=second))
