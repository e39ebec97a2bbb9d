"""Orders in answers."""

from uuid import UUID

from storepost.orders import model
from storepost.orders.details import OrderDetails
from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import (
    MoneyShape,
    Shape,
    Timestamp,
    Uri,
)


class OrderSummary(Shape):
    """An order in a list."""

    id: UUID
    store_id: UUID
    number: str
    placed_at: Timestamp
    financial_status: FinancialStatus
    fulfillment_status: FulfillmentStatus
    cancelled: bool
    total: MoneyShape
    locale: str | None

    @classmethod
    def of(cls, order: model.OrderSummary) -> "OrderSummary":
        """The row in this shape."""
        return cls(
            id=order.id,
            store_id=order.store_id,
            number=order.number,
            placed_at=order.placed_at,
            financial_status=order.financial_status,
            fulfillment_status=order.fulfillment_status,
            cancelled=order.cancelled,
            total=MoneyShape.of(order.total),
            locale=order.locale,
        )


class OrderBuyer(Shape):
    """Who ordered, as the profile says now."""

    profile_id: UUID
    name: str | None
    email: str | None


class OrderLineItem(Shape):
    """One line of an order."""

    id: UUID
    title: str
    variant_title: str | None
    sku: str | None
    quantity: int
    unit_price: MoneyShape
    total_discount: MoneyShape
    is_gift_card: bool


class Order(OrderSummary):
    """An order whole."""

    store: StoreReference
    admin_url: Uri
    customer_admin_url: Uri | None
    buyer: OrderBuyer | None
    subtotal: MoneyShape
    total_discounts: MoneyShape
    total_shipping: MoneyShape
    total_tax: MoneyShape
    total_refunded: MoneyShape
    source_name: str | None
    is_test: bool
    cancelled_at: Timestamp | None
    line_items: list[OrderLineItem]

    @classmethod
    def of(cls, details: OrderDetails) -> "Order":  # type: ignore[override]
        """The order in this shape."""
        order, buyer = details.order, details.buyer

        def money(amount: int) -> MoneyShape:
            return MoneyShape.of(order.money(amount))

        return cls(
            id=order.id,
            store_id=order.store_id,
            number=order.number,
            placed_at=order.placed_at,
            financial_status=order.financial_status,
            fulfillment_status=order.fulfillment_status,
            cancelled=order.cancelled,
            total=money(order.amounts.total),
            locale=order.locale,
            store=StoreReference.of(details.store),
            admin_url=order.admin_url,
            customer_admin_url=details.customer_admin_url,
            buyer=OrderBuyer(profile_id=buyer.id, name=buyer.name, email=buyer.email)
            if buyer
            else None,
            subtotal=money(order.amounts.subtotal),
            total_discounts=money(order.amounts.total_discounts),
            total_shipping=money(order.amounts.total_shipping),
            total_tax=money(order.amounts.total_tax),
            total_refunded=money(order.amounts.total_refunded),
            source_name=order.source_name,
            is_test=order.is_test,
            cancelled_at=order.cancelled_at,
            line_items=[
                OrderLineItem(
                    id=order.line_id(number),
                    title=line.title,
                    variant_title=line.variant_title,
                    sku=line.sku,
                    quantity=line.quantity,
                    unit_price=money(line.unit_price),
                    total_discount=money(line.total_discount),
                    is_gift_card=line.is_gift_card,
                )
                for number, line in enumerate(order.line_items)
            ],
        )
