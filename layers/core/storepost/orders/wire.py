"""Fields of orders that both requests and answers have, each described once."""

from typing import Annotated

from pydantic import Field

from storepost.orders.model import FinancialStatus, FulfillmentStatus
from storepost.values.wire import MoneyShape, Timestamp

PlacedAt = Annotated[Timestamp, Field(description="When the buyer placed the order.")]
PaymentState = Annotated[
    FinancialStatus, Field(description="How far the order is paid, as its store says.")
]
FulfillmentState = Annotated[
    FulfillmentStatus, Field(description="How far the order is sent, as its store says.")
]

Total = Annotated[
    MoneyShape,
    Field(
        description="What the buyer pays for the whole order: with tax and shipping, after all "
        "discounts, before refunds. Storepost keeps the store's amounts and doesn't add them up."
    ),
]
Subtotal = Annotated[
    MoneyShape,
    Field(
        description="The price of all line items after discounts, without shipping and before "
        "refunds. It includes tax only where the store's prices do."
    ),
]
TotalDiscounts = Annotated[
    MoneyShape,
    Field(
        description="All discounts of the order together, those of single lines too, as a "
        "positive amount. `total` and `subtotal` are already reduced by it."
    ),
]
TotalShipping = Annotated[
    MoneyShape,
    Field(description="What shipping costs, as the store states it. It is part of `total`."),
]
TotalTax = Annotated[
    MoneyShape,
    Field(
        description="All tax of the order. It is part of `total`, whether the store's prices "
        "include tax or not."
    ),
]
TotalRefunded = Annotated[
    MoneyShape,
    Field(
        description="What was paid back to the buyer so far, as a positive amount; 0 where "
        "nothing was. `total` isn't reduced by it."
    ),
]

Quantity = Annotated[int, Field(description="How many pieces were ordered, before returns.")]
UnitPrice = Annotated[
    MoneyShape,
    Field(
        description="The price of one piece before discounts. It includes tax only where the "
        "store's prices do."
    ),
]
LineDiscount = Annotated[
    MoneyShape,
    Field(
        description="All discounts on this line together, for all of its pieces, as a positive "
        "amount."
    ),
]
