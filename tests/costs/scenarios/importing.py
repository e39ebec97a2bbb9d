"""Batches of a custom store, and what became of them: with one record and with as many as may be.

The worker runs alone, so a batch is imported to its end, and all of that counts.
"""

from collections.abc import Iterable
from typing import Any

from tests.costs.scenario import (
    CUSTOMERS,
    Request,
    Shop,
    customer,
    customer_id,
    order_id,
    order_of,
    orders_in,
)
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
MOST = 500
NEW = 1000
"""The number of the first customer and of the first order that nobody knows yet."""

type Body = dict[str, Any]


def _customers(numbers: Iterable[int]) -> list[Body]:
    return [{"externalId": customer_id(number), **customer(number)} for number in numbers]


def _orders(numbers: Iterable[int]) -> list[Body]:
    """Orders of customers whom the first store has."""
    known = range(0, CUSTOMERS, 3)
    return [{"externalId": order_id(n), **order_of(n, known[n % len(known)])} for n in numbers]


def _batch(shop: Shop, **records: list[Body]) -> Request:
    return Request(shop.key, records, path={"id": shop.store})


def _of(case: str, **records: list[Body]) -> None:
    SCENARIOS.plain("stores.createBatch", lambda shop: _batch(shop, **records), case)


_of("1 customer, new", customers=_customers([NEW]))
_of("1 order of a known buyer", orders=_orders([NEW]))
_of("500 customers, new", customers=_customers(range(NEW, NEW + MOST)))
_of("500 orders of 50 known buyers", orders=_orders(range(NEW, NEW + MOST)))
SCENARIOS.plain(
    "stores.createBatch",
    lambda shop: _batch(shop, orders=orders_in(shop, shop.store)),
    "334 orders, nothing new",
)


def _imported(shop: Shop, count: int = 1) -> str:
    """So many orders in a currency that isn't the store's: the import, each of them a problem."""
    wrong = _orders(range(NEW, NEW + count))
    for body in wrong:
        body["total"] = {**body["total"], "currency": "USD"}
    queued = shop.send("stores.createBatch", _batch(shop, orders=wrong)).json["id"]
    shop.world.deliver()
    return str(queued)


SCENARIOS.plain(
    "stores.listImports", lambda shop: Request(shop.key, path={"id": shop.store}), "1 import"
)


@SCENARIOS.of("stores.getImport")
def get_import(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "importId": _imported(shop)})


@SCENARIOS.of("stores.listImportProblems", "page 1 of 50 problems")
def list_problems(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.store, "importId": _imported(shop, 50)})
