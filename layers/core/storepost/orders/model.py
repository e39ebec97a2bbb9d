"""Orders as values.

Amounts are minor units of the order's one currency: the store's, or the one that the store had when
the order first arrived.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.values.ids import derived_id
from storepost.values.money import Money
from storepost.values.stored_enum import StoredEnum


class FinancialStatus(StoredEnum):
    """How far an order is paid.

    `pending`: no payment yet. `authorized`: the money is reserved, not taken. `partially_paid` and
    `paid`: a part or all of it was taken. `partially_refunded` and `refunded`: a part or all of it
    was paid back. `voided`: the payment was cancelled before it was taken, or it expired.
    """

    PENDING = "pending"
    AUTHORIZED = "authorized"
    PARTIALLY_PAID = "partially_paid"
    PAID = "paid"
    PARTIALLY_REFUNDED = "partially_refunded"
    REFUNDED = "refunded"
    VOIDED = "voided"


class FulfillmentStatus(StoredEnum):
    """How far an order is sent.

    `unfulfilled`: nothing was sent. `partially_fulfilled` and `fulfilled`: a part or all of it was
    sent. `restocked`: the goods are back in stock.
    """

    UNFULFILLED = "unfulfilled"
    PARTIALLY_FULFILLED = "partially_fulfilled"
    FULFILLED = "fulfilled"
    RESTOCKED = "restocked"


@dataclass(frozen=True)
class LineItem:
    """One line of an order; amounts are minor units of the order's currency."""

    title: str
    variant_title: str | None
    sku: str | None
    quantity: int
    unit_price: int
    total_discount: int
    is_gift_card: bool
    product_external_id: str | None
    variant_external_id: str | None


@dataclass(frozen=True)
class Amounts:
    """The amounts of an order."""

    total: int
    subtotal: int
    total_discounts: int
    total_shipping: int
    total_tax: int
    total_refunded: int


@dataclass(frozen=True)
class RecordedEvents:
    """Which events of an order are recorded: each at most once, however the order changes."""

    placed: bool = False
    cancelled: bool = False
    refunded: int = 0
    """The minor units that are recorded as refunded."""


@dataclass(frozen=True)
class Order:
    """An order of a store."""

    id: UUID
    store_id: UUID
    external_id: str
    number: str
    placed_at: datetime
    updated_at: datetime
    """The store's own time of its latest change."""
    financial_status: FinancialStatus
    fulfillment_status: FulfillmentStatus
    cancelled_at: datetime | None
    is_test: bool
    locale: str | None
    source_name: str | None
    admin_url: str
    currency: str
    amounts: Amounts
    line_items: tuple[LineItem, ...]
    discount_codes: tuple[str, ...]
    customer_external_id: str | None
    profile_id: UUID | None
    """The buyer's; None where the order has no buyer."""
    recorded: RecordedEvents = RecordedEvents()
    buyer_erased: bool = False
    """Whether its buyer was erased: the order then never gets a buyer again."""

    @property
    def cancelled(self) -> bool:
        """Returns whether the order was cancelled."""
        return self.cancelled_at is not None

    @property
    def counts_as_spent(self) -> int:
        """Returns the minor units that the buyer spent: 0 for a test or a cancelled order."""
        if self.is_test or self.cancelled:
            return 0
        return self.amounts.total - self.amounts.total_refunded

    @property
    def summary(self) -> "OrderSummary":
        """Returns what a list shows of the order."""
        return OrderSummary(
            id=self.id,
            store_id=self.store_id,
            number=self.number,
            placed_at=self.placed_at,
            financial_status=self.financial_status,
            fulfillment_status=self.fulfillment_status,
            cancelled=self.cancelled,
            is_test=self.is_test,
            total=self.money(self.amounts.total),
            locale=self.locale,
        )

    def line_id(self, number: int) -> UUID:
        """Returns the id of the line with that number, from 0."""
        return derived_id(self.id, "line", str(number))

    def money(self, amount: int) -> Money:
        """Returns an amount in the order's currency."""
        return Money(amount, self.currency)


@dataclass(frozen=True)
class OrderSummary:
    """What a list shows of an order."""

    id: UUID
    store_id: UUID
    number: str
    placed_at: datetime
    financial_status: FinancialStatus
    fulfillment_status: FulfillmentStatus
    cancelled: bool
    is_test: bool
    total: Money
    locale: str | None
