"""Sales on the wire."""

from storepost.overview.product_sales.service import SoldProduct
from storepost.values.wire import MoneyShape, Shape


class ProductSales(Shape):
    """How many orders had a product, how many of it, and what that brought before refunds."""

    orders: int
    units: int
    revenue: MoneyShape

    @classmethod
    def of(cls, sold: SoldProduct) -> "ProductSales":
        """The sales in this shape."""
        sales = sold.sales
        return cls(orders=sales.orders, units=sales.units, revenue=MoneyShape.of(sold.revenue))
