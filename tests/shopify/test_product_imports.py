"""Pulls of a shop's products: complete, with every variant and language; missing ones removed."""

from collections.abc import Callable
from typing import Any

import pytest

from local.shopify.products import number_of, picture, product_node, variant_node
from local.shopify.shops import Locale
from storepost.catalog.products.model import product_id
from storepost.catalog.products.trees import ProductLists
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.sync.batches import chunks
from storepost.sync.pulls import reconciling
from tests.harness.crash_points import crashes
from tests.harness.world import Someone
from tests.shopify.hooks import CREATED, LATER, UPDATED, Hooks
from tests.shopify.pulls import ask, imports_of, state
from tests.shopify.shops import SHOP, Shopify, choose_existing
from tests.shopify.test_hooks_of_products import product_body
from tests.shopify.test_reconciling import moment, removed
from tests.sync.batches.batch_store import Shop

PRODUCTS = {"scope": "products"}


def fill(shopify: Shopify, *numbers: int, **overrides: Any) -> None:
    """Products of these numbers with two variants each, ten days old."""
    dated = {"createdAt": moment(10), "updatedAt": moment(10), "publishedAt": moment(10)}
    for number in numbers:
        variants = [variant_node(number * 10 + n, f"{n}.50", position=n) for n in (1, 2)]
        node = product_node(number, f"Scarf {number}", variants, **{**dated, **overrides})
        shopify.shop(SHOP).products.append(node)


def lose(shopify: Shopify, *numbers: int) -> None:
    """The shop deletes them without sending that."""
    shop = shopify.shop(SHOP)
    shop.products = [each for each in shop.products if number_of(each) not in numbers]


def pulled(hooks: Hooks, owner: Someone) -> dict[str, Any]:
    """An import of products, once the worker handled it."""
    answer = ask(hooks, owner, PRODUCTS)
    assert answer.status == 202, answer.body
    hooks.world.deliver()
    return state(hooks, owner, answer.json["id"])


def shown(hooks: Hooks, owner: Someone, number: int, path: str = "", **query: str) -> Any:
    """A product, or what is behind it."""
    product = product_id(hooks.store.id, str(number))
    path = f"/products/{product}{path}"
    answer = owner.call("GET", path, query=query)
    assert answer.status == 200, answer.body
    return answer.json


def there(hooks: Hooks, owner: Someone) -> list[str]:
    """The shop's names of the store's products that aren't removed."""
    query = {"storeId": str(hooks.store.id), "pageSize": "100"}
    answer = owner.call("GET", "/products", query=query)
    return sorted(each["externalId"] for each in answer.json["items"])


@pytest.fixture
def german(hooks: Hooks, owner: Someone, shopify: Shopify) -> Hooks:
    """The shop is published in German, too."""
    shopify.shop(SHOP).locales = (Locale("en", "English", primary=True), Locale("de", "German"))
    hooks.remove_app()
    link = shopify.link(owner, SHOP)
    assert shopify.choose(owner, link, choose_existing(hooks.workspace)).status == 200
    hooks.world.deliver()
    return Hooks(hooks.world, hooks.workspace, shopify.store(hooks.workspace), shopify)


class TestPull:
    def test_all_products_are_imported_and_counted(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, *range(1, 31))
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["stage"], store_import["error"]) == (
            "completed",
            None,
            None,
        )
        assert store_import["imported"] == {"customers": 0, "orders": 0, "products": 30}
        assert len(there(hooks, owner)) == 30
        assert pulled(hooks, owner)["imported"]["products"] == 30
        assert len(there(hooks, owner)) == 30

    def test_as_many_variants_as_shopify_allows(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        """None of 2,048 is lost, though a request has 2,000 at most; nor with a later webhook."""
        numbers = range(1, 2049)
        variants = [variant_node(n, f"{n}.50", sku=f"SKU-{n}", position=n) for n in numbers]
        dated = {"createdAt": moment(10), "updatedAt": moment(10), "publishedAt": moment(10)}
        node = product_node(7, "Ring", variants, **dated)
        shopify.shop(SHOP).products.append(node)
        done = pulled(hooks, owner)
        assert (done["status"], done["imported"]["products"]) == ("completed", 1)
        path = f"/stores/{hooks.store.id}/imports/{done['id']}/problems"
        assert owner.call("GET", path).json["items"] == []
        assert shown(hooks, owner, 7)["variantCount"] == 2048
        last = shown(hooks, owner, 7, "/variants", page="21", pageSize="100")["items"]
        assert [each["sku"] for each in last] == [f"SKU-{n}" for n in range(2001, 2049)]
        first = [{"id": n, "title": "Ring", "price": "1.00", "position": n} for n in range(1, 101)]
        gids = [{"admin_graphql_api_id": f"gid://shopify/ProductVariant/{n}"} for n in numbers]
        body = product_body(
            id=7, title="Rings", variants=first, variant_gids=gids, updated_at=moment(0)
        )
        hooks.notify("products/update", body)
        later = shown(hooks, owner, 7)
        assert (later["title"], later["variantCount"]) == ("Rings", 2048)
        assert later["price"] == {
            "min": {"amount": 100, "currency": "EUR"},
            "max": {"amount": 204_850, "currency": "EUR"},
        }

    def test_all_fields(self, german: Hooks, owner: Someone, shopify: Shopify) -> None:
        pink = variant_node(
            71,
            "19.00",
            title="Pink / S",
            sku="SCARF-P",
            barcode="1234",
            compareAtPrice="24.50",
            inventoryQuantity=0,
            inventoryPolicy="CONTINUE",
            selectedOptions=[{"name": "Color", "value": "Pink"}, {"name": "Size", "value": "S"}],
            media=[picture(2, "https://cdn.example.com/2.jpg", "Pink")],
            createdAt=CREATED,
            updatedAt=UPDATED,
        )
        blue = variant_node(72, "20", position=2, inventoryItem={"tracked": False})
        fill(shopify, 8)
        shopify.shop(SHOP).products.append(
            product_node(
                7,
                "Scarf",
                [pink, blue],
                descriptionHtml="<p>Warm</p>",
                vendor="Loom",
                productType="Scarves",
                tags=["wool", "warm"],
                status="UNLISTED",
                createdAt=CREATED,
                updatedAt=UPDATED,
                publishedAt=None,
                featuredMedia=picture(1, "https://cdn.example.com/1.jpg", "Scarf"),
                translations={
                    "de": {"title": "Schal", "body_html": "<p>Warm.</p>", "handle": "schal"},
                    "fr": {"title": "Écharpe"},
                },
            )
        )
        pulled(german, owner)
        body = shown(german, owner, 7)
        assert (body["externalId"], body["title"]) == ("7", "Scarf")
        assert body["description"] == "<p>Warm</p>"
        assert (body["vendor"], body["productType"]) == ("Loom", "Scarves")
        assert (body["status"], body["published"]) == ("unlisted", False)
        assert (body["tags"], body["handle"]) == (["wool", "warm"], "scarf")
        assert body["link"] == f"{german.store.storefront_url}/products/scarf"
        assert body["image"] == {"url": "https://cdn.example.com/1.jpg", "alt": "Scarf"}
        assert body["price"] == {
            "min": {"amount": 1900, "currency": "EUR"},
            "max": {"amount": 2000, "currency": "EUR"},
        }
        assert body["adminUrl"] == f"{german.store.admin_url}/products/7"
        german_text = shown(german, owner, 7, locale="de")
        assert (german_text["title"], german_text["description"]) == ("Schal", "<p>Warm.</p>")
        first, other = shown(german, owner, 7, "/variants")["items"]
        assert (first["externalId"], first["sku"], first["barcode"]) == ("71", "SCARF-P", "1234")
        assert (first["stock"], first["availableForSale"]) == ("out_of_stock", True)
        assert first["compareAtPrice"] == {"amount": 2450, "currency": "EUR"}
        assert first["image"] == {"url": "https://cdn.example.com/2.jpg", "alt": "Pink"}
        assert first["options"] == [
            {"name": "Color", "value": "Pink"},
            {"name": "Size", "value": "S"},
        ]
        assert (other["externalId"], other["stock"]) == ("72", "not_tracked")
        assert len(shown(german, owner, 8, "/variants")["items"]) == 2

    def test_webhook_leaves_translations_unchanged(
        self, german: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        """A webhook has the shop's own language only: translations stay stored."""
        text = {"translations": {"de": {"title": "Schal"}}}
        shopify.shop(SHOP).products.append(
            product_node(632910392, "Scarf", [variant_node(1, "1.00")], updatedAt=UPDATED, **text)
        )
        pulled(german, owner)
        german.notify("products/update", product_body(title="Warm scarf", updated_at=LATER))
        assert shown(german, owner, 632910392)["title"] == "Warm scarf"
        assert shown(german, owner, 632910392, locale="de")["title"] == "Schal"
        [row] = shopify.shop(SHOP).products
        row.update(translations={}, updatedAt=LATER)
        pulled(german, owner)
        assert shown(german, owner, 632910392)["locales"] == ["en"]

    def test_newer_webhook_is_not_overwritten(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 5, updatedAt=UPDATED)
        hooks.notify("products/update", product_body(id=5, title="Newer", updated_at=LATER))
        assert pulled(hooks, owner)["status"] == "completed"
        assert shown(hooks, owner, 5)["title"] == "Newer"

    def test_invalid_record_becomes_problem(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 1, 2)
        shopify.shop(SHOP).products[0]["variants"][0]["price"] = "a lot"
        store_import = pulled(hooks, owner)
        assert store_import["imported"]["products"] == 1
        path = f"/stores/{hooks.store.id}/imports/{store_import['id']}/problems"
        [problem] = owner.call("GET", path).json["items"]
        assert (problem["index"], problem["externalId"], problem["code"]) == (0, "1", "validation")
        assert there(hooks, owner) == ["2"]

    def test_connecting_imports_products(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        hooks.remove_app()
        fill(shopify, 1, 2, 3)
        shopify.connect(owner, hooks.workspace)
        hooks.world.deliver()
        newest = next(each for each in imports_of(hooks, owner) if each["scope"] == "products")
        assert (newest["status"], newest["imported"]["products"]) == ("completed", 3)


class TestMissing:
    """Products that the shop has no more."""

    def test_missing_products_are_removed_and_counted(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reconciling, "PAGE", 2)
        fill(shopify, 1, 2, 3, 4, 5)
        pulled(hooks, owner)
        assert removed(hooks) == 0
        lose(shopify, 2, 5)
        store_import = pulled(hooks, owner)
        assert (store_import["status"], store_import["imported"]["products"]) == ("completed", 3)
        assert (there(hooks, owner), removed(hooks)) == (["1", "3", "4"], 2)
        assert shown(hooks, owner, 2)["status"] == "removed"
        pulled(hooks, owner)
        assert (there(hooks, owner), removed(hooks)) == (["1", "3", "4"], 0)

    def test_older_update_does_not_restore_removed_product(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 1, 2)
        pulled(hooks, owner)
        lose(shopify, 2)
        pulled(hooks, owner)
        hooks.notify("products/update", product_body(id=2, updated_at=moment(1)))
        assert there(hooks, owner) == ["1"]
        hooks.notify("products/update", product_body(id=2, updated_at=moment(-1)))
        assert there(hooks, owner) == ["1", "2"]

    def test_product_written_after_export_began_remains(
        self, hooks: Hooks, owner: Someone, shopify: Shopify
    ) -> None:
        fill(shopify, 1)
        pulled(hooks, owner)
        hooks.notify("products/create", product_body(id=9, updated_at=moment(0)))
        pulled(hooks, owner)
        assert (there(hooks, owner), removed(hooks)) == (["1", "9"], 0)


class TestInterrupted:
    """After any kill, a pull ends as one that was not killed."""

    @pytest.fixture
    def run(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[], object]:
        """The worker's run, with some products new, some known, and some that the shop lacks."""
        monkeypatch.setattr(chunks, "_PRODUCTS_READ_AHEAD", 2)
        monkeypatch.setattr(reconciling, "PAGE", 2)
        fill(shopify, 1, 2, 3, 4)
        pulled(hooks, owner)
        lose(shopify, 2, 3)
        fill(shopify, 5, 6, 7)
        ask(hooks, owner, PRODUCTS)
        hooks.world.deliver_outbox()
        shop = Shop(hooks.world, owner, hooks.workspace, str(hooks.store.id))
        return shop.run_worker

    def outcome(self, hooks: Hooks, owner: Someone) -> tuple[object, ...]:
        newest = imports_of(hooks, owner)[0]
        for store in (None, hooks.store.id):
            for tree in ProductLists(hooks.workspace, store).trees:
                assert faults(tree) == []
        result = (newest["status"], newest["imported"]["products"], removed(hooks))
        return (*result, there(hooks, owner))

    def test_killed_at_any_call(
        self, hooks: Hooks, owner: Someone, shopify: Shopify, run: Callable[[], object]
    ) -> None:
        outside = [shopify.server.pretend.shops]
        found = crashes(hooks.world, run, outside=outside, deliver=False)
        expected = ("completed", 5, 2, ["1", "4", "5", "6", "7"])
        assert self.outcome(hooks, owner) == expected
        for positions in found:
            run()
            hooks.world.deliver()
            assert self.outcome(hooks, owner) == expected, positions
