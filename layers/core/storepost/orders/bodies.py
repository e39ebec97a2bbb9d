"""Orders as a store puts them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, StringConstraints

from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import Amounts, FinancialStatus, FulfillmentStatus, LineItem
from storepost.people.customers.lenient_fields import (
    GivenEmail,
    GivenExternalId,
    GivenLocale,
    GivenName,
    GivenPhone,
    phone_in,
)
from storepost.stores.stores.model import Store
from storepost.values.wire import (
    TEXT_LENGTH,
    MoneyShape,
    NonNegativeMoney,
    RequestBody,
    Text,
    Timestamp,
    Url,
)

ExternalId = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_LENGTH)]
"""A store's own id of an order, as it is: nothing is trimmed."""

MAX_LINE_ITEMS = 250
MAX_DISCOUNT_CODES = 5


class OrderLineItemBody(RequestBody):
    """One line of an order that is put into a store."""

    title: Text
    variant_title: Text | None = None
    sku: Text | None = None
    quantity: Annotated[StrictInt, Field(ge=0, le=1_000_000_000)]
    unit_price: NonNegativeMoney
    total_discount: NonNegativeMoney
    is_gift_card: StrictBool = False
    product_external_id: Text | None = None
    variant_external_id: Text | None = None

    def value(self) -> LineItem:
        """Returns the value that the service works with."""
        return LineItem(
            title=self.title,
            variant_title=self.variant_title,
            sku=self.sku,
            quantity=self.quantity,
            unit_price=self.unit_price.amount,
            total_discount=self.total_discount.amount,
            is_gift_card=self.is_gift_card,
            product_external_id=self.product_external_id,
            variant_external_id=self.variant_external_id,
        )


class OrderCustomerBody(RequestBody):
    """Who ordered, as far as the store knows."""

    external_id: GivenExternalId = None
    email: GivenEmail = None
    phone: GivenPhone = None
    first_name: GivenName = None
    last_name: GivenName = None

    def value(self, store: Store) -> IncomingBuyer:
        """Returns the value that the service works with. Raises ValidationFailed."""
        phone = phone_in(store, self.phone, "/customer/phone")
        return IncomingBuyer(self.external_id, self.email, phone, self.first_name, self.last_name)


class OrderBody(RequestBody):
    """An order as its store has it; every amount in the store's currency.

    One that is held in another currency already, as the store had before, may stay in that.
    """

    number: Text
    placed_at: Timestamp
    updated_at: Timestamp
    financial_status: FinancialStatus
    fulfillment_status: FulfillmentStatus
    cancelled_at: Timestamp | None = None
    is_test: StrictBool = False
    locale: GivenLocale = None
    source_name: Text | None = None
    admin_url: Url | None = None
    customer: OrderCustomerBody | None = None
    total: NonNegativeMoney
    subtotal: NonNegativeMoney
    total_discounts: NonNegativeMoney
    total_shipping: NonNegativeMoney
    total_tax: NonNegativeMoney
    total_refunded: NonNegativeMoney
    line_items: Annotated[list[OrderLineItemBody], Field(max_length=MAX_LINE_ITEMS)]
    discount_codes: Annotated[list[Text], Field(max_length=MAX_DISCOUNT_CODES)] = Field(
        default_factory=list
    )

    def value(self, store: Store, external_id: str) -> IncomingOrder:
        """Returns the value that the service works with. Raises ValidationFailed."""
        return IncomingOrder(
            external_id=external_id,
            number=self.number,
            placed_at=self.placed_at,
            updated_at=self.updated_at,
            financial_status=self.financial_status,
            fulfillment_status=self.fulfillment_status,
            cancelled_at=self.cancelled_at,
            is_test=self.is_test,
            locale=self.locale,
            source_name=self.source_name,
            admin_url=self.admin_url,
            buyer=self.customer.value(store) if self.customer else None,
            amounts=Amounts(
                total=self.total.amount,
                subtotal=self.subtotal.amount,
                total_discounts=self.total_discounts.amount,
                total_shipping=self.total_shipping.amount,
                total_tax=self.total_tax.amount,
                total_refunded=self.total_refunded.amount,
            ),
            line_items=tuple(line.value() for line in self.line_items),
            discount_codes=tuple(self.discount_codes),
            currencies={pointer: money.currency for pointer, money in self._amounts()},
        )

    def _amounts(self) -> Iterator[tuple[str, MoneyShape]]:
        yield "/total", self.total
        yield "/subtotal", self.subtotal
        yield "/totalDiscounts", self.total_discounts
        yield "/totalShipping", self.total_shipping
        yield "/totalTax", self.total_tax
        yield "/totalRefunded", self.total_refunded
        for number, line in enumerate(self.line_items):
            yield f"/lineItems/{number}/unitPrice", line.unit_price
            yield f"/lineItems/{number}/totalDiscount", line.total_discount
