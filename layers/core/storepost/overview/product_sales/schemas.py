"""Sales on the wire."""

from pydantic import Field

from storepost.overview.product_sales.service import SoldProduct
from storepost.values.wire import MoneyShape, Shape


class ProductSales(Shape):
    """How a product sold in the requested days. Test orders and cancelled orders don't count."""

    orders: int = Field(description="How many orders have at least one line item of the product.")
    units: int = Field(
        description="How many pieces these line items have together, refunded ones too."
    )
    revenue: MoneyShape = Field(
        description="What these line items cost together after their discounts, before "
        "refunds, in the store's currency."
    )

    @classmethod
    def of(cls, sold: SoldProduct) -> "ProductSales":
        """Returns the sales in this shape."""
        sales = sold.sales
        return cls(orders=sales.orders, units=sales.units, revenue=MoneyShape.of(sold.revenue))
