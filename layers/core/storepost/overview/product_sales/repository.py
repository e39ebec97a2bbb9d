"""Rows of sales: one a product, day and currency, and one an order: what of it is counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from pynamodb.attributes import NumberAttribute
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.orders.keys import counted_key
from storepost.orders.sales import Sales, SalesKey, Sold
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, VersionedItem
from storepost.platform.persistence.reads import Reads, UnitRepository
from storepost.platform.persistence.records import Records
from storepost.stores.stores.model import Store
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

SHARDS = 16
_KIND = Path("kind").set("product_sales")
_LAST_DAY = "~"
_IN = "#"


class SalesItem(Item, discriminator="product_sales"):
    """What was sold of a product on a day in a currency."""

    orders = NumberAttribute(default=0)
    units = NumberAttribute(default=0)
    revenue = NumberAttribute(default=0)


class CountedOrderItem(VersionedItem, discriminator="counted_order"):
    """What an order has already been counted for."""

    sold = Records(
        *("product", "day", "currency", "units", "revenue"),
        named_by=["product", "day", "currency"],
    )


@dataclass(frozen=True)
class ProductSales:
    """What was sold of a product."""

    orders: int = 0
    units: int = 0
    revenue: int = 0
    """Minor units of the requested currency."""

    def __add__(self, more: "ProductSales") -> "ProductSales":
        """Returns the sum of both."""
        return ProductSales(
            self.orders + more.orders, self.units + more.units, self.revenue + more.revenue
        )


def sales_partitions(workspace: WorkspaceScope, store_id: UUID) -> Iterator[str]:
    """Yields the partitions of a store's sales."""
    for shard in range(SHARDS):
        yield workspace.partition("product_sales", short(store_id), str(shard))


class SalesRepository(UnitRepository):
    """A workspace's sales."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, CountedOrderItem] = {}

    def of(self, order: UUID) -> Sales:
        """Returns what is counted of the order."""
        item = self._reads.find(CountedOrderItem, counted_key(self._scope, order))
        if item is None:
            return {}
        self._read[order] = item
        return {
            (from_short(product), date.fromisoformat(day), currency): Sold(units, revenue)
            for product, day, currency, units, revenue in item.sold
        }

    def save(self, changes: Changes, order: UUID, sales: Sales) -> None:
        """Writes what is counted of the order, if nobody counted it meanwhile."""
        item = self._read.get(order) or CountedOrderItem(*counted_key(self._scope, order))
        item.sold = [
            [short(product), day.isoformat(), currency, sold.units, sold.revenue]
            for (product, day, currency), sold in sorted(sales.items())
        ]
        changes.save(item)

    def delete(self, changes: Changes, order: UUID) -> None:
        """Deletes the row that was read here, if nobody counted the order since."""
        if order in self._read:
            changes.delete(self._read[order])

    def add(
        self, changes: Changes, differences: Mapping[tuple[UUID, SalesKey], ProductSales]
    ) -> None:
        """Adds differences to what the stores sold."""
        for (store_id, (product, day, currency)), more in differences.items():
            place = f"{day.isoformat()}{_IN}{currency}"
            item = SalesItem(*self._key(store_id, product, place))
            actions: list[Action] = [
                _KIND,
                SalesItem.orders.add(more.orders),
                SalesItem.units.add(more.units),
                SalesItem.revenue.add(more.revenue),
            ]
            changes.update(item, actions)

    def total(
        self, store: Store, product: UUID, since: date | None, until: date | None
    ) -> ProductSales:
        """Returns what was sold of a product from a day (inclusive) to another one (exclusive).

        It counts sales in the store's current currency alone.
        """
        pk, first = self._key(store.id, product, since.isoformat() if since else "")
        _, end = self._key(store.id, product, until.isoformat() if until else _LAST_DAY)
        if first >= end:
            return ProductSales()
        # A range of keys includes its bounds: the day that ends it is excluded here.
        rows = [
            row
            for row in SalesItem.query(pk, SalesItem.sk.between(first, end), consistent_read=True)
            if row.sk < end and row.sk.endswith(f"{_IN}{store.currency}")
        ]
        return ProductSales(
            sum(int(row.orders) for row in rows),
            sum(int(row.units) for row in rows),
            sum(int(row.revenue) for row in rows),
        )

    def _key(self, store_id: UUID, product: UUID, place: str) -> Key:
        shard = str(product.int % SHARDS)
        partition = self._scope.partition("product_sales", short(store_id), shard)
        return (partition, f"{short(product)}#{place}")
