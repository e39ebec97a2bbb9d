"""A shop's webhooks of products."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rows import DeletedProductItem
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.writing import ProductSource, SourceProduct, replace_layer
from storepost.platform.persistence.changes import commit_anew
from storepost.sync.records.products import product_of
from storepost.sync.records.reading import NoRecord
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.records import product_changed, product_deleted
from storepost.values import clock
from storepost.values.ids import derived_id
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Someone
from tests.shopify.hooks import CREATED, LATER, UPDATED, Hooks
from tests.shopify.shops import SHOP

PRODUCT = 632910392


def product_body(**change: object) -> dict[str, Any]:
    """A product as Shopify's webhooks have it."""
    variant = {
        "id": 808950810,
        "title": "Pink / S",
        "price": "19.00",
        "compare_at_price": "24.50",
        "sku": "SCARF-P",
        "barcode": "1234",
        "position": 1,
        "inventory_policy": "continue",
        "inventory_management": "shopify",
        "inventory_quantity": 0,
        "option1": "Pink",
        "option2": "S",
        "image_id": 2,
        "created_at": CREATED,
        "updated_at": UPDATED,
    }
    return {
        "id": PRODUCT,
        "title": "Scarf",
        "body_html": "<p>Warm</p>",
        "vendor": "Loom",
        "product_type": "Scarves",
        "handle": "scarf",
        "status": "active",
        "tags": "wool, warm, ",
        "created_at": CREATED,
        "updated_at": UPDATED,
        "published_at": CREATED,
        "options": [{"name": "Color"}, {"name": "Size"}],
        "images": [
            {"id": 1, "src": "https://cdn.example.com/1.jpg", "alt": "Scarf"},
            {"id": 2, "src": "https://cdn.example.com/2.jpg", "alt": None},
        ],
        "variants": [variant, {"id": 2, "price": "20", "inventory_quantity": 5}],
        **change,
    }


class TestProducts:
    """products/create, products/update, products/delete."""

    def id_of(self, hooks: Hooks) -> UUID:
        return derived_id(hooks.store.id, "product", str(PRODUCT))

    def shown(self, hooks: Hooks, owner: Someone, path: str = "") -> Any:
        path = f"/products/{self.id_of(hooks)}{path}"
        answer = owner.call("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def test_all_fields(self, hooks: Hooks, owner: Someone) -> None:
        hooks.notify("products/create", product_body())
        body = self.shown(hooks, owner)
        assert (body["title"], body["description"]) == ("Scarf", "<p>Warm</p>")
        assert (body["vendor"], body["productType"]) == ("Loom", "Scarves")
        assert (body["status"], body["published"]) == ("active", True)
        assert (body["tags"], body["handle"]) == (["wool", "warm"], "scarf")
        assert body["image"] == {"url": "https://cdn.example.com/1.jpg", "alt": "Scarf"}
        assert body["price"]["min"] == {"amount": 1900, "currency": "EUR"}
        assert body["compareAtPrice"] == {"amount": 2450, "currency": "EUR"}
        assert body["adminUrl"] == f"{hooks.store.admin_url}/products/{PRODUCT}"
        other, first = self.shown(hooks, owner, "/variants")["items"]
        assert (other["stock"], other["inventory"], other["title"]) == (
            "not_tracked",
            None,
            "Scarf",
        )
        assert (first["stock"], first["availableForSale"]) == ("out_of_stock", True)
        assert first["image"] == {"url": "https://cdn.example.com/2.jpg", "alt": None}
        assert first["options"] == [
            {"name": "Color", "value": "Pink"},
            {"name": "Size", "value": "S"},
        ]

    def test_variants_that_the_body_leaves_out_stay(self, hooks: Hooks, owner: Someone) -> None:
        """A body has the first hundred variants, and the ids of all: the others stay."""
        variants = [{"id": number, "title": str(number), "price": "1.00"} for number in (1, 2, 3)]
        hooks.notify("products/create", product_body(variants=variants))
        named = [{"admin_graphql_api_id": f"gid://shopify/ProductVariant/{n}"} for n in (1, 3, 4)]
        first = {"id": 1, "title": "1", "price": "2.00"}
        change = {"status": "archived", "variants": [first], "variant_gids": named}
        hooks.notify("products/update", product_body(updated_at=LATER, **change))
        assert self.shown(hooks, owner)["status"] == "archived"
        found = self.shown(hooks, owner, "/variants")["items"]
        prices = {each["externalId"]: each["price"]["amount"] for each in found}
        assert prices == {"1": 200, "3": 100}

    def test_older_and_duplicate_updates_are_ignored(self, hooks: Hooks, owner: Someone) -> None:
        for body in (
            product_body(updated_at=LATER, published_at=None, status="draft"),
            product_body(title="Old"),
            product_body(updated_at=LATER, published_at=None, status="draft"),
        ):
            hooks.notify("products/update", body)
        shown = self.shown(hooks, owner)
        assert (shown["title"], shown["status"], shown["published"]) == ("Scarf", "draft", False)

    def test_older_update_does_not_restore_deleted_product(
        self, hooks: Hooks, owner: Someone
    ) -> None:
        hooks.notify("products/create", product_body())
        hooks.notify("products/delete", {"id": PRODUCT})
        hooks.notify("products/delete", {"id": PRODUCT})
        hooks.notify("products/update", product_body(updated_at=LATER))
        assert self.shown(hooks, owner)["status"] == "removed"

    def test_deletion_of_unknown_product_blocks_older_updates(
        self, hooks: Hooks, owner: Someone
    ) -> None:
        """Webhooks older than the deletion create no product; newer ones do."""
        deleted_at = datetime.fromisoformat(UPDATED).astimezone(UTC) + timedelta(days=1)
        for at in (deleted_at, datetime.fromisoformat(CREATED)):
            hooks.notify("products/delete", {"id": PRODUCT}, at=at)
        for updated_at in (deleted_at.isoformat(), UPDATED):
            hooks.notify("products/update", product_body(updated_at=updated_at))
        [deletion] = [row for row in hooks.world.rows("workspace#") if "#product" in row.pk]
        assert isinstance(deletion, DeletedProductItem)
        assert deletion.at == deleted_at
        assert timedelta(days=29) < deletion.expiration - clock.now() <= timedelta(days=30)
        hooks.notify("products/update", product_body(updated_at=LATER))
        assert self.shown(hooks, owner)["status"] == "active"
        assert not [row for row in hooks.world.rows() if isinstance(row, DeletedProductItem)]

    @pytest.mark.parametrize("is_first", [True, False])
    def test_deletion_leaves_product_of_feed(
        self, hooks: Hooks, owner: Someone, *, is_first: bool
    ) -> None:
        """In either order of the feed's and the deletion, only the shop's own values stay away."""
        feed = ProductSource(hooks.store, uuid4())
        values = SourceValues({"title": "Of a feed"}, locale=hooks.store.primary_locale)
        feed_product = SourceProduct(str(PRODUCT), (values,))

        def feeds() -> None:
            commit_anew(lambda changes: replace_layer(changes, feed, feed_product))

        def deletes() -> None:
            at = datetime.fromisoformat(UPDATED) + timedelta(days=1)
            hooks.notify("products/delete", {"id": PRODUCT}, at=at)

        for step in (deletes, feeds) if is_first else (feeds, deletes):
            step()
        hooks.notify("products/update", product_body())
        product = ProductRepository(hooks.workspace).get(self.id_of(hooks))
        assert product is not None
        own = product.layers[product_source_id(hooks.store.id, hooks.store.id)]
        assert (own.is_live, product.layers[feed.source].is_live) == (False, True)
        assert product.summary.title == "Of a feed"
        hooks.notify("products/update", product_body(updated_at=LATER))
        product = ProductRepository(hooks.workspace).get(self.id_of(hooks))
        assert product is not None
        assert product.layers[own.source].is_live

    def test_deletion_during_creation_prevents_product(self, hooks: Hooks) -> None:
        def deletes() -> None:
            raw = json.dumps({"id": PRODUCT}).encode()
            product_deleted(hooks.store, Webhook(SHOP, "products/delete", clock.now(), raw))

        raw = json.dumps(product_body()).encode()
        with before_the_commit(deletes):
            product_changed(hooks.store, Webhook(SHOP, "products/create", clock.now(), raw))
        assert ProductRepository(hooks.workspace).get(self.id_of(hooks)) is None

    @pytest.mark.parametrize(
        "change",
        [
            {"id": None},
            {"updated_at": "x"},
            {"variants": [{"id": 1, "price": "free"}]},
            {"variants": [{"price": "1"}]},
            {"variants": [{"id": 1, "price": "-0.01"}]},
            {"variants": [{"id": 1, "price": "1", "compare_at_price": "-0.01"}]},
        ],
    )
    def test_invalid_product_is_refused(self, hooks: Hooks, change: dict[str, Any]) -> None:
        with pytest.raises(NoRecord):
            product_of(hooks.store, product_body(**change))
