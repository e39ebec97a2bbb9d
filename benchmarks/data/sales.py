"""Three years of a workspace's orders: the writes, their order, and the orders left in the end.

All of it is determined by the number of orders, so that the process that loads them and the one
that checks a page derive the same orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from random import Random
from uuid import UUID

from benchmarks.data.large_shop import OTHER_STORES
from storepost.orders.keys import order_id
from storepost.orders.model import Amounts, FinancialStatus, FulfillmentStatus, Order

BEGINNING = datetime(2023, 1, 1, tzinfo=UTC)
SECONDS = 3 * 365 * 24 * 60 * 60
_LATE = 10
"""One order in so many arrives long after orders that were placed later."""
_CHANGED = 30
_DELETED = 100
_FINANCIAL = dict(
    zip(
        FinancialStatus,
        # pending, authorized, partially paid, paid, partially refunded, refunded, voided
        (5, 3, 1, 80, 4, 6, 1),
        strict=True,
    )
)
_FULFILLMENT = dict(zip(FulfillmentStatus, (10, 4, 85, 1), strict=True))


@dataclass(frozen=True, slots=True)
class Sale:
    """An order with the fields that lists use; `placed` is in seconds from the beginning."""

    number: int
    store: int
    placed: int
    financial: FinancialStatus
    fulfillment: FulfillmentStatus
    cancelled: bool
    is_test: bool

    @property
    def placed_at(self) -> datetime:
        """The time of the order; shop systems send whole seconds."""
        return BEGINNING + timedelta(seconds=self.placed)

    def id(self, stores: Sequence[UUID]) -> UUID:
        """The order's id."""
        return order_id(stores[self.store], str(self.number))

    def order(self, stores: Sequence[UUID]) -> Order:
        """Returns the order, of one of the stores."""
        total = 1000 + self.number * 7919 % 60_000
        return Order(
            id=self.id(stores),
            store_id=stores[self.store],
            external_id=str(self.number),
            number=f"#{1000 + self.number}",
            placed_at=self.placed_at,
            updated_at=self.placed_at,
            financial_status=self.financial,
            fulfillment_status=self.fulfillment,
            cancelled_at=self.placed_at if self.cancelled else None,
            is_test=self.is_test,
            locale="en-GB",
            source_name="web",
            admin_url="https://admin.example.com/",
            currency="EUR",
            amounts=Amounts(total, total, 0, 0, 0, 0),
            line_items=(),
            discount_codes=(),
            customer_external_id=None,
            profile_id=None,
        )


type Step = tuple[Sale | None, Sale | None]
"""An order before and after a write; None if it doesn't exist."""


class Sales:
    """A workspace's orders, of which its first store has exactly `orders` in the end.

    Each other store has a hundredth of that.
    """

    def __init__(self, orders: int) -> None:
        """The same number gives the same orders."""
        self._orders = orders

    def in_order(self) -> Iterator[Step]:
        """Returns most orders, in the order of their times."""
        return ((None, sale) for sale in self._first() if sale.number % _LATE)

    def scattered(self) -> Iterator[Step]:
        """Returns late orders, then changed states and times, then deletions; each is scattered."""
        sales, random = self._first(), Random(2)
        late = [sale for sale in sales if not sale.number % _LATE]
        random.shuffle(late)
        changed = random.sample(sales, len(sales) // _CHANGED)
        deleted = self._deleted(sales)
        return chain(
            ((None, sale) for sale in late),
            ((sale, self._changed(sale, random)) for sale in changed if sale not in deleted),
            ((sale, None) for sale in deleted),
        )

    def final(self) -> list[Sale]:
        """Returns the orders in the end, in no order."""
        by_number = {sale.number: sale for sale in self._first()}
        for before, after in self.scattered():
            if after:
                by_number[after.number] = after
            elif before:
                del by_number[before.number]
        return list(by_number.values())

    def _first(self) -> list[Sale]:
        """Returns all orders in their first state, by time."""
        random, main = Random(1), self._orders + self._orders // _DELETED
        stores = [0] * main
        for other in range(1, OTHER_STORES + 1):
            stores += [other] * (self._orders // 100)
        random.shuffle(stores)
        count = len(stores)
        placed = sorted(random.choices(range(SECONDS), k=count))
        columns = zip(
            stores,
            placed,
            random.choices(list(_FINANCIAL), list(_FINANCIAL.values()), k=count),
            random.choices(list(_FULFILLMENT), list(_FULFILLMENT.values()), k=count),
            random.choices((False, True), (99, 1), k=count),
            random.choices((False, True), (99, 1), k=count),
            strict=True,
        )
        return [Sale(number, *values) for number, values in enumerate(columns)]

    def _deleted(self, sales: Sequence[Sale]) -> dict[Sale, None]:
        """Returns the orders that are deleted in the end, all of the first store."""
        main = [sale for sale in sales if not sale.store]
        return dict.fromkeys(Random(3).sample(main, self._orders // _DELETED))

    def _changed(self, sale: Sale, random: Random) -> Sale:
        """Returns the order with another state, or with a corrected time for one in ten."""
        if not random.randrange(10):
            return replace(sale, placed=random.randrange(SECONDS))
        return replace(sale, financial=random.choice(list(FinancialStatus)))
