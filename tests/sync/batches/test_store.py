"""A store's summary of its imports."""

from dataclasses import replace
from typing import Any

from storepost.stores.imports.model import ImportScope, ImportStatus
from storepost.stores.imports.repository import ImportRepository
from tests.sync.batches.batch_store import Shop, orders
from tests.sync.batches.making import make


class TestStore:
    """A store's summary of its imports."""

    def statuses(self, shop: Shop) -> tuple[str, dict[str, Any] | None]:
        """Its status in the list and whole, and its import of customers and orders."""
        whole = shop.get(shop.path)
        [row] = [row for row in shop.get("/stores")["items"] if row["id"] == shop.store]
        assert row["importStatus"] == whole["importStatus"]
        assert whole["imports"]["products"] is None
        return whole["importStatus"], whole["imports"]["customersOrders"]

    def test_no_import_yet(self, shop: Shop) -> None:
        assert self.statuses(shop) == ("none", None)

    def test_open_import_else_the_latest(self, shop: Shop) -> None:
        first = shop.queue(orders=orders(1))
        second = shop.queue(orders=orders(2))
        assert self.statuses(shop) == ("queued", shop.read(first))
        shop.world.deliver()
        assert self.statuses(shop) == ("completed", shop.read(second))
        third = shop.queue(orders=orders(3))
        assert self.statuses(shop) == ("queued", shop.read(third))
        shop.disconnect()
        assert self.statuses(shop) == ("failed", shop.read(third))
        assert shop.read(third)["error"] == "store_disconnected"

    def test_stores_are_filtered_by_import_status(self, shop: Shop) -> None:
        other = replace(shop, store=shop.world.store(shop.owner))
        shop.import_batch(orders=orders(1))
        for status, ids in (
            ("none", {other.store}),
            ("completed", {shop.store}),
            ("completed,none", {other.store, shop.store}),
            ("running,queued,failed", set()),
        ):
            found = shop.get("/stores", importStatus=status)
            assert {row["id"] for row in found["items"]} == ids

    def test_each_scope_has_its_own_import(self, shop: Shop) -> None:
        products = make(shop, ImportScope.PRODUCTS, ImportStatus.COMPLETED)
        mine = make(shop, ImportScope.CUSTOMERS_ORDERS, ImportStatus.FAILED)
        next_products = make(shop, ImportScope.PRODUCTS, ImportStatus.QUEUED)
        imports = shop.get(shop.path)["imports"]
        assert imports["customersOrders"]["id"] == str(mine.id)
        assert imports["products"]["id"] == str(next_products.id)
        assert imports["products"]["requestedBy"] is None
        assert products.id != next_products.id
        assert shop.get(shop.path)["importStatus"] == "queued"


def test_stored_import_is_read_unchanged(shop: Shop) -> None:
    """The whole of an import, from its row."""
    made = make(shop, ImportScope.PRODUCTS, ImportStatus.QUEUED)
    assert ImportRepository(shop.workspace, shop.store_id).get(made.id) == made
