"""Events of products: each type by the operation that causes it."""

from typing import Any
from uuid import UUID

import pytest

from tests.catalog.products.sample import product, variant
from tests.webhooks.events.shop import Shop, of

LATER = "2026-03-02T00:00:00Z"


def put(shop: Shop, **change: object) -> dict[str, Any]:
    """The answered product once the store has put it."""
    body: dict[str, Any] = shop.call(
        "PUT", f"/stores/{shop.store}/products/p-1", product(**change)
    ).json
    return body


def remove(shop: Shop) -> None:
    """The store deletes the product."""
    shop.call("DELETE", f"/stores/{shop.store}/products/p-1")


def listed(shop: Shop) -> dict[str, Any]:
    """What the list shows of the only product."""
    [found] = shop.get("/products")["items"]
    assert isinstance(found, dict)
    return found


@pytest.fixture
def known(shop: Shop) -> str:
    """A product whose creation was sent."""
    stored = put(shop)
    shop.delivered()
    return str(stored["id"])


class TestCreated:
    def test_payload_is_the_summary(self, shop: Shop) -> None:
        stored = put(shop)
        [event] = shop.events()
        assert (event.type, of(event)) == ("product.created", ("product", UUID(stored["id"])))
        assert shop.data(event) == listed(shop)

    def test_by_restoring_a_removed_product(self, shop: Shop, known: str) -> None:
        remove(shop)
        shop.delivered()
        put(shop, updatedAt="2027-01-01T00:00:00Z")
        event = shop.only("product.created")
        assert (of(event), event.also) == (("product", UUID(known)), ("product.updated",))


class TestUpdated:
    @pytest.mark.parametrize(
        "change",
        [
            {"vendor": "Other"},
            {"tags": ["black"]},
            {"customFields": {"origin": "Kyoto"}},
            {"variants": [variant(1)]},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_by_each_changed_field(self, shop: Shop, known: str, change: dict[str, Any]) -> None:
        put(shop, **change, updatedAt=LATER)
        event = shop.only("product.updated")
        assert of(event) == ("product", UUID(known))
        assert shop.data(event) == listed(shop)

    @pytest.mark.parametrize("change", [{}, {"updatedAt": LATER}], ids=["same", "later"])
    def test_unchanged_product_causes_no_event(
        self, shop: Shop, known: str, change: dict[str, Any]
    ) -> None:
        before = listed(shop)
        put(shop, **change)
        assert (before["id"], listed(shop)) == (known, before)
        assert shop.types() == []


class TestRemoved:
    def test_payload_is_the_last_summary(self, shop: Shop, known: str) -> None:
        remove(shop)
        event = shop.only("product.removed")
        assert (of(event), event.also) == (("product", UUID(known)), ("product.updated",))
        data = shop.data(event)
        own = shop.get(f"/products/{known}")
        assert data == {name: own[name] for name in data}
        assert data["removedAt"] is not None

    def test_unknown_product_causes_no_event(self, shop: Shop) -> None:
        assert shop.owner.call("DELETE", f"/stores/{shop.store}/products/p-9").status in {204, 404}
        assert shop.types() == []
