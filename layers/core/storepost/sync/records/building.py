"""Builds a shop's orders: the parts that both formats share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from storepost.orders.bodies import MAX_DISCOUNT_CODES, MAX_LINE_ITEMS
from storepost.orders.model import (
    Amounts,
    FinancialStatus,
    FulfillmentStatus,
    LineItem,
)
from storepost.sync.records.amounts import shop_money
from storepost.sync.records.reading import Body, NoRecord, parts_of, text_of
from storepost.values.money import Money

_FINANCIAL = {
    **{status.value: status for status in FinancialStatus},
    "expired": FinancialStatus.VOIDED,
}
_FULFILLMENT = {
    "fulfilled": FulfillmentStatus.FULFILLED,
    "partially_fulfilled": FulfillmentStatus.PARTIALLY_FULFILLED,
    "partial": FulfillmentStatus.PARTIALLY_FULFILLED,
    "restocked": FulfillmentStatus.RESTOCKED,
}
_UNTITLED = "-"


def financial_status(value: object) -> FinancialStatus:
    """EXPIRED becomes `voided`, a missing status `pending` (docs/semantics.md, section 3)."""
    return _FINANCIAL.get(str(value).lower(), FinancialStatus.PENDING)


def fulfillment_status(value: object) -> FulfillmentStatus:
    """Returns three of Shopify's ten states by their names, the others as `unfulfilled`."""
    return _FULFILLMENT.get(str(value).lower(), FulfillmentStatus.UNFULFILLED)


@dataclass(frozen=True)
class Totals:
    """An order's amounts as they are sent, in the shop's money; a missing one is zero."""

    total: Money
    subtotal: Money | None
    discounts: Money | None
    shipping: Money | None
    tax: Money | None
    refunded: Money | None

    @property
    def amounts(self) -> Amounts:
        """Returns the amounts in minor units."""
        return Amounts(
            total=self.total.amount,
            subtotal=_units(self.subtotal),
            total_discounts=_units(self.discounts),
            total_shipping=_units(self.shipping),
            total_tax=_units(self.tax),
            total_refunded=_units(self.refunded),
        )

    @property
    def currencies(self) -> Mapping[str, str]:
        """Returns the currency of each amount that was sent, by the amount's JSON Pointer."""
        amounts = {
            "/total": self.total,
            "/subtotal": self.subtotal,
            "/totalDiscounts": self.discounts,
            "/totalShipping": self.shipping,
            "/totalTax": self.tax,
            "/totalRefunded": self.refunded,
        }
        return {pointer: money.currency for pointer, money in amounts.items() if money}


def needed_money(body: Body, name: str) -> Money:
    """Returns an amount in the shop's money. Raises NoRecord without one."""
    money = shop_money(body, name)
    if money is None:
        raise NoRecord(f"no readable {name}")
    return money


def limited_lines(lines: Iterable[LineItem]) -> tuple[LineItem, ...]:
    """Returns the first lines, as many as a stored order may have."""
    return tuple(islice(lines, MAX_LINE_ITEMS))


def limited_codes(codes: Iterable[object]) -> tuple[str, ...]:
    """Returns the first discount codes, as many as a stored order may have, each once."""
    value = (text for code in codes if (text := text_of(code)))
    return tuple(islice(dict.fromkeys(value), MAX_DISCOUNT_CODES))


def title_of(value: object) -> str:
    """Returns a line's title; custom lines may have none."""
    return text_of(value) or _UNTITLED


def allocated(body: Body, allocations: str, amount: str) -> int:
    """Returns the sum of all discounts on a line, in minor units."""
    return sum(_units(each) for each in _each(body, allocations, amount))


def _each(body: Body, allocations: str, amount: str) -> Iterator[Money | None]:
    return (shop_money(each, amount) for each in parts_of(body, allocations))


def _units(money: Money | None) -> int:
    return money.amount if money else 0
