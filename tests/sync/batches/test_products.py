"""Batches of products: each as its own PUT would be."""

from typing import Any

import pytest

from tests.catalog.products.sample import product, variant
from tests.catalog.products.state import check, products, store_of
from tests.harness.world import World
from tests.sync.batches.batch_store import Shop, open_shop


@pytest.fixture
def shop(world: World) -> Shop:
    """A store."""
    return open_shop(world)


def record(number: int, **change: object) -> dict[str, Any]:
    """A product of a batch, with a variant of its own."""
    variants = [variant(1, externalId=f"v-{number}", sku=f"S-{number}", barcode=None)]
    return {"externalId": f"p-{number}", **product(variants=variants, **change)}


class TestProducts:
    """POST /stores/{id}/batches with products."""

    def test_products_are_imported(self, shop: Shop) -> None:
        answer = shop.send(products=[record(n) for n in range(30)])
        assert (answer.status, answer.json["scope"]) == (202, "products")
        shop.world.deliver()
        shown = shop.get(f"{shop.path}/imports/{answer.json['id']}")
        assert (shown["status"], shown["stage"]) == ("completed", None)
        assert shown["imported"] == {"customers": 0, "orders": 0, "products": 30}
        store = shop.get(shop.path)
        assert store["productCount"] == 30
        assert store["lastProductSyncAt"] == shown["completedAt"]
        check(shop.world, store_of(shop.world, store["id"]))

    def test_unchanged_product_counts_as_synced(self, shop: Shop) -> None:
        """That stays so while the next import is open, or if it failed."""
        shop.send(products=[record(1)])
        shop.world.deliver()
        shop.world.advance(hours=1)
        again = shop.send(products=[record(1)])
        shop.world.deliver()
        shown = shop.get(f"{shop.path}/imports/{again.json['id']}")
        [row] = shop.get("/products")["items"]
        assert row["changedAt"] < shown["completedAt"]
        assert shop.get(shop.path)["lastProductSyncAt"] == shown["completedAt"]
        shop.world.advance(hours=1)
        shop.send(products=[record(1)])
        assert shop.get(shop.path)["lastProductSyncAt"] == shown["completedAt"]
        shop.world.delete_objects()
        shop.world.deliver()
        assert shop.get(shop.path)["imports"]["products"]["status"] == "failed"
        assert shop.get(shop.path)["lastProductSyncAt"] == shown["completedAt"]

    def test_invalid_older_and_duplicate_records(self, shop: Shop) -> None:
        usd = {"amount": 1, "currency": "USD"}
        wrong = record(1, updatedAt="2026-05-01T00:00:00Z")
        wrong["variants"][0]["price"] = usd
        records = [
            record(0),
            wrong,
            record(0, vendor="Older", updatedAt="2026-01-01T00:00:00Z"),
            record(0, vendor="Newer", updatedAt="2026-06-01T00:00:00Z"),
            record(2),
        ]
        answer = shop.send(products=records)
        shop.world.deliver()
        shown = shop.get(f"{shop.path}/imports/{answer.json['id']}")
        assert shown["imported"]["products"] == 4
        [problem] = shop.problems(answer.json["id"])
        assert (problem["index"], problem["externalId"]) == (1, "p-1")
        assert problem["code"] == "currency_mismatch"
        assert problem["detail"].startswith("/products/1/variants/0/price/currency")
        vendors = {each.external_id: each.summary.vendor for each in products(shop.world)}
        assert vendors == {"p-0": "Newer", "p-2": "Olive's"}

    def test_products_with_customers_are_refused(self, shop: Shop) -> None:
        customer = {
            "externalId": "c",
            "externalCreatedAt": "2026-01-01T00:00:00Z",
            "externalUpdatedAt": "2026-01-01T00:00:00Z",
        }
        assert shop.send(products=[record(0)], customers=[customer]).error_paths() == [""]
