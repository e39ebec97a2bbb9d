"""What was sold of one product."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from storepost.catalog.products.service import product_of
from storepost.overview.product_sales.repository import ProductSales, SalesRepository
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.money import Money
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class SoldProduct:
    """What was sold of a product, in its store's currency."""

    sales: ProductSales
    currency: str

    @property
    def revenue(self) -> Money:
        """Returns its revenue."""
        return Money(self.sales.revenue, self.currency)


def sales_of_product(
    workspace: WorkspaceScope, product_id: UUID, since: date | None, until: date | None
) -> SoldProduct:
    """Returns what was sold of a product from a day (inclusive) to another one (exclusive)."""
    product = product_of(workspace, product_id)
    store = found_store(StoreRepository(workspace), product.store_id)
    sales = SalesRepository(workspace).total(store, product.id, since, until)
    return SoldProduct(sales, store.currency)
