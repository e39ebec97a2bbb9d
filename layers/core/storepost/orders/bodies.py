"""Orders as a store puts them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, Strict, StrictBool

from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import Amounts, LineItem
from storepost.orders.wire import (
    FulfillmentState,
    LineDiscount,
    PaymentState,
    PlacedAt,
    Quantity,
    Subtotal,
    Total,
    TotalDiscounts,
    TotalRefunded,
    TotalShipping,
    TotalTax,
    UnitPrice,
)
from storepost.people.customers.lenient_fields import (
    LenientEmail,
    LenientLocale,
    LenientName,
    LenientPhone,
    phone_in,
)
from storepost.stores.stores.model import Store
from storepost.values.external_ids import LenientExternalId
from storepost.values.wire import NOT_NEGATIVE, MoneyShape, Name, RequestBody, Text, Timestamp, Url

MAX_LINE_ITEMS = 250
MAX_DISCOUNT_CODES = 5


class OrderLineItemBody(RequestBody):
    """One line of an order that is put into a store."""

    title: Name = Field(description="The product's title when it was bought.")
    variant_title: Name | None = Field(
        default=None,
        description="The variant's title when it was bought, such as `M / Red`. Leave it out "
        "where the product has no variants.",
    )
    sku: Text | None = Field(
        default=None, description="The stock keeping unit when it was bought, if there is one."
    )
    quantity: Annotated[Quantity, Strict(), Field(ge=0, le=1_000_000_000)]
    unit_price: Annotated[UnitPrice, NOT_NEGATIVE]
    total_discount: Annotated[LineDiscount, NOT_NEGATIVE]
    is_gift_card: StrictBool = Field(
        default=False, description="True where the line sells a gift card."
    )
    product_external_id: LenientExternalId = Field(
        default=None,
        description="The store's own id of the product. It is what a product's sales are counted "
        "by: without it the line counts for no product.",
    )
    variant_external_id: LenientExternalId = Field(
        default=None, description="The store's own id of the variant, if the line has one."
    )

    def value(self) -> LineItem:
        """Returns the value that the service works with."""
        return self.to_model(
            LineItem, unit_price=self.unit_price.amount, total_discount=self.total_discount.amount
        )


class OrderCustomerBody(RequestBody):
    """Who ordered, as far as the store knows.

    Id, email and phone say whose the order is; the names only fill a profile that has none.
    """

    external_id: LenientExternalId = Field(
        default=None,
        description="The store's own id of the customer. Leave it out for a guest order; null, "
        "an empty text and placeholders such as `0` count as left out.",
    )
    email: LenientEmail = Field(
        default=None,
        description="The buyer's email address. It gives no consent to marketing. Null and an "
        "empty text count as left out.",
    )
    phone: LenientPhone = Field(
        default=None,
        description="The buyer's phone number with its country code, or as people write it "
        "in the store's country. It gives no consent to marketing. Null and an empty text count "
        "as left out.",
    )
    first_name: LenientName = Field(
        default=None,
        description="The buyer's first name. It is used only where the profile has no name yet.",
    )
    last_name: LenientName = Field(
        default=None,
        description="The buyer's last name. It is used only where the profile has no name yet.",
    )

    def value(self, store: Store) -> IncomingBuyer:
        """Returns the value that the service works with. Raises ValidationFailed."""
        phone = phone_in(store, self.phone, "/customer/phone")
        return IncomingBuyer(self.external_id, self.email, phone, self.first_name, self.last_name)


class OrderBody(RequestBody):
    """An order whole, as its store has it now; what is left out, the order doesn't have.

    Every amount is in the store's currency. An order that is stored in another currency already,
    as the store had before, may stay in that.
    """

    number: Text = Field(description="The number that the store shows to the buyer.")
    placed_at: PlacedAt
    updated_at: Timestamp = Field(
        description="When the order last changed in the store. A request that is older than "
        "what is stored is refused with `stale_update`; one of the same time is taken."
    )
    financial_status: PaymentState
    fulfillment_status: FulfillmentState
    cancelled_at: Timestamp | None = Field(
        default=None,
        description="When the store cancelled the order. Leave it out, or send null, where it "
        "isn't cancelled.",
    )
    is_test: StrictBool = Field(
        default=False,
        description="True for a test order. It counts neither as spent nor as sold.",
    )
    locale: LenientLocale = Field(
        default=None,
        description="The language in which the buyer ordered, as a BCP 47 tag such as `de-AT`. "
        "It becomes the buyer's language, unless one was set by hand or a later order or "
        "customer states another. Where it is left out, the store's primary locale is taken "
        "for a buyer whose language nobody states.",
    )
    source_name: Text | None = Field(
        default=None,
        description="The channel that the order came through, in the store's words, such as "
        "`web` or `pos`.",
    )
    admin_url: Url | None = Field(
        default=None,
        description="Where the shop's staff see the order. Where it is left out, the store's "
        "`adminUrl` is shown.",
    )
    customer: OrderCustomerBody | None = Field(
        default=None,
        description="Who ordered. Where it is left out, or names nobody, the order has no buyer.",
    )
    total: Annotated[Total, NOT_NEGATIVE]
    subtotal: Annotated[Subtotal, NOT_NEGATIVE]
    total_discounts: Annotated[TotalDiscounts, NOT_NEGATIVE]
    total_shipping: Annotated[TotalShipping, NOT_NEGATIVE]
    total_tax: Annotated[TotalTax, NOT_NEGATIVE]
    total_refunded: Annotated[TotalRefunded, NOT_NEGATIVE]
    line_items: list[OrderLineItemBody] = Field(
        max_length=MAX_LINE_ITEMS, description="What was ordered, in the store's order."
    )
    discount_codes: list[Text] = Field(
        default_factory=list,
        max_length=MAX_DISCOUNT_CODES,
        description="The discount codes that the buyer used. Those that are codes of a coupon "
        "become `used`; their case doesn't count.",
    )

    def value(self, store: Store, external_id: str) -> IncomingOrder:
        """Returns the value that the service works with. Raises ValidationFailed."""
        return self.to_model(
            IncomingOrder,
            external_id=external_id,
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
