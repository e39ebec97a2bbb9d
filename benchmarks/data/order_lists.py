"""The loaded shop's lists of orders: their requests, and their expected content by its sales."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from benchmarks.data.large_shop import Shop
from benchmarks.data.sales import BEGINNING, SECONDS, Sale, Sales
from benchmarks.measure.calling import Api
from benchmarks.measure.pages import ExpectedList
from storepost.values import clock
from storepost.values.ids import short


@dataclass(frozen=True)
class OrderQuery:
    """A query of a list of orders, for a request and for a search among the sales."""

    store: int | None = None
    query: dict[str, object] = field(default_factory=dict)
    keeps: Callable[[Sale], bool] | None = None
    since: int = 0
    until: int = SECONDS
    """From `since` (inclusive) to `until` (exclusive), in seconds from the beginning."""


@dataclass(frozen=True)
class OrderLists:
    """The lists of the shop's orders."""

    shop: Shop
    api: Api
    orders: int

    def expected(self, query: OrderQuery) -> ExpectedList:
        """Returns the list with its expected ids, found by looking at every sale."""
        since, until = (bisect_left(self._placed, at) for at in (query.since, query.until))
        ids = [
            identifier
            for sale, identifier in self._sales[since:until]
            if query.store in {None, sale.store} and (query.keeps is None or query.keeps(sale))
        ]
        return ExpectedList(self.api, "/orders", self._query(query), "placedAt", ids)

    @cached_property
    def _sales(self) -> list[tuple[Sale, str]]:
        """Returns all orders with their ids, oldest first."""
        final_sales = ((sale, sale.id(self.shop.stores)) for sale in Sales(self.orders).final())
        in_order = sorted(final_sales, key=lambda each: (each[0].placed, short(each[1])))
        return [(sale, str(identifier)) for sale, identifier in in_order]

    @cached_property
    def _placed(self) -> list[int]:
        return [sale.placed for sale, _ in self._sales]

    def _query(self, order_query: OrderQuery) -> dict[str, object]:
        query = dict(order_query.query)
        if order_query.store is not None:
            query["storeId"] = self.shop.stores[order_query.store]
        if order_query.since > 0:
            query["placedFrom"] = _text(order_query.since)
        if order_query.until < SECONDS:
            query["placedTo"] = _text(order_query.until)
        return query


def _text(second: int) -> str:
    return clock.to_text(BEGINNING + timedelta(seconds=second))
