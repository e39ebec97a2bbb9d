"""Orders in answers."""

from uuid import UUID

from pydantic import Field

from storepost.orders import model
from storepost.orders.details import OrderDetails
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
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import MoneyShape, Shape, Timestamp, Uri


class OrderSummary(Shape):
    """An order as lists show it, without its lines and its buyer."""

    id: UUID = Field(
        description="Storepost's id of the order. It follows from the store and the store's own "
        "id of the order, so it stays the same when the order is written again."
    )
    store_id: UUID = Field(description="The store where the buyer placed the order.")
    number: str = Field(
        description="The number that the store shows to the buyer, such as `#1001`. Two stores "
        "may have orders of the same number."
    )
    placed_at: PlacedAt
    financial_status: PaymentState
    fulfillment_status: FulfillmentState
    cancelled: bool = Field(
        description="True once the store has cancelled the order. It then counts neither as "
        "spent nor as sold."
    )
    total: Total
    locale: str | None = Field(
        description="The language in which the buyer ordered, as a BCP 47 tag such as `de-AT`; "
        "null where the store didn't say it."
    )

    @classmethod
    def of(cls, order: model.OrderSummary) -> "OrderSummary":
        """Returns the row in this shape."""
        return cls.from_model(order, total=MoneyShape.of(order.total))


class OrderBuyer(Shape):
    """Who ordered, as the profile says now."""

    profile_id: UUID = Field(
        description="The buyer's profile. After a merge it is the profile that remains."
    )
    name: str | None = Field(
        description="The profile's name today, not the one at the time of the order; null where "
        "none is known."
    )
    email: str | None = Field(
        description="The email address that the profile shows today; null where it has none."
    )


class OrderLineItem(Shape):
    """One line of an order: some pieces of one variant, as they were bought."""

    id: UUID = Field(
        description="Storepost's id of the line. It follows from the order and the line's place "
        "in it."
    )
    title: str = Field(description="The product's title when it was bought.")
    variant_title: str | None = Field(
        description="The variant's title when it was bought, such as `M / Red`; null where the "
        "product has no variants."
    )
    sku: str | None = Field(
        description="The stock keeping unit when it was bought; null where there is none."
    )
    quantity: Quantity
    unit_price: UnitPrice
    total_discount: LineDiscount
    is_gift_card: bool = Field(description="True where the line sells a gift card.")


class Order(OrderSummary):
    """An order with its buyer, its amounts and its lines."""

    store: StoreReference = Field(description="The store where the buyer placed the order.")
    admin_url: Uri = Field(
        description="Where the shop's staff see the order. It is the store's `adminUrl` where "
        "the store gave no address for this order."
    )
    customer_admin_url: Uri | None = Field(
        description="Where the shop's staff see the customer who ordered; null for a guest "
        "order, and where the customer or their address isn't known."
    )
    buyer: OrderBuyer | None = Field(
        description="The person who ordered; null where the order names nobody, or where the "
        "person was erased."
    )
    subtotal: Subtotal
    total_discounts: TotalDiscounts
    total_shipping: TotalShipping
    total_tax: TotalTax
    total_refunded: TotalRefunded
    source_name: str | None = Field(
        description="The channel that the order came through, in the store's words, such as "
        "`web` or `pos`; null where the store didn't say it."
    )
    is_test: bool = Field(
        description="True for a test order. It counts neither as spent nor as sold."
    )
    cancelled_at: Timestamp | None = Field(
        description="When the store cancelled the order; null where it isn't cancelled."
    )
    line_items: list[OrderLineItem] = Field(
        description="What was ordered, in the store's order; at most 250 lines."
    )

    @classmethod
    def of(cls, details: OrderDetails) -> "Order":  # type: ignore[override]
        """Returns the order in this shape."""
        order, buyer = details.order, details.buyer

        def money(amount: int) -> MoneyShape:
            return MoneyShape.of(order.money(amount))

        return cls.from_model(
            order,
            total=money(order.amounts.total),
            store=StoreReference.from_model(details.store),
            customer_admin_url=details.customer_admin_url,
            buyer=OrderBuyer(profile_id=buyer.id, name=buyer.name, email=buyer.email)
            if buyer
            else None,
            subtotal=money(order.amounts.subtotal),
            total_discounts=money(order.amounts.total_discounts),
            total_shipping=money(order.amounts.total_shipping),
            total_tax=money(order.amounts.total_tax),
            total_refunded=money(order.amounts.total_refunded),
            line_items=[
                OrderLineItem.from_model(
                    line,
                    id=order.line_id(number),
                    unit_price=money(line.unit_price),
                    total_discount=money(line.total_discount),
                )
                for number, line in enumerate(order.line_items)
            ],
        )
