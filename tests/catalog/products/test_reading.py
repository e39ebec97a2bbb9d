"""Products of a custom store: one of them, its variants and sources, and the list."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.api.http.answers import as_json
from storepost.catalog.products import source_schemas
from storepost.platform.persistence.counted_tree import scanning
from storepost.values.ids import derived_id
from storepost.values.pagination import FilterTooBroad
from tests.catalog.products.answers import Get
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import products, store_of
from tests.harness.world import Someone, World


class TestGet:
    """GET /products/{id}."""

    def test_other_locale_falls_back_to_primary(self, owner: Someone, store: str, get: Get) -> None:
        body = put(owner, store, "p-1", product()).json
        read = get(f"/products/{body['id']}", locale="en")
        expected = {**body, "locale": "en", "title": "Green tea"}
        # The primary locale's description replaces the missing one.
        assert (read.status, read.json) == (200, expected)

    def test_unknown_locale_is_not_found(self, owner: Someone, store: str, get: Get) -> None:
        body = put(owner, store, "p-1", product()).json
        for path in ("", "/variants", "/sources"):
            answer = get(f"/products/{body['id']}{path}", locale="fr")
            assert answer.problem() == (404, "locale_not_found")
        assert get(f"/products/{body['id']}", locale="!").error_paths() == ["query.locale"]


class TestVariants:
    """GET /products/{id}/variants."""

    def test_all_fields_and_stock_filter(self, owner: Someone, store: str, get: Get) -> None:
        image = {"url": "https://shop.example.com/v.jpg", "alt": None}
        variants = [
            variant(2, position=5, inventory=-1, continueSellingWhenOutOfStock=True),
            variant(1, image=image, compareAtPrice=eur(700), position=4),
            {"externalId": "v-3", "title": "Sample", "price": eur(0), "position": 6},
        ]
        body = put(owner, store, "p-1", product(variants=variants)).json
        listed = get(f"/products/{body['id']}/variants").json
        first = {
            "id": str(derived_id(UUID(body["id"]), "variant", "v-1")),
            "externalId": "v-1",
            "locale": "de-AT",
            "title": "100 g",
            "sku": "TEA-1",
            "barcode": "4000000000001",
            "options": [{"name": "Weight", "value": "100 g"}],
            "image": image,
            "price": eur(500),
            "compareAtPrice": eur(700),
            "stock": "in_stock",
            "inventory": 10,
            "continueSellingWhenOutOfStock": False,
            "availableForSale": True,
            "position": 4,
            "removedAt": None,
            "createdAt": None,
            "updatedAt": None,
        }
        second = {
            **first,
            "id": str(derived_id(UUID(body["id"]), "variant", "v-2")),
            "externalId": "v-2",
            "title": "200 g",
            "sku": "TEA-2",
            "barcode": "4000000000002",
            "options": [{"name": "Weight", "value": "200 g"}],
            "image": None,
            "price": eur(1000),
            "compareAtPrice": None,
            "stock": "out_of_stock",
            "inventory": -1,
            "continueSellingWhenOutOfStock": True,
            "position": 5,
        }
        third = {
            **second,
            "id": str(derived_id(UUID(body["id"]), "variant", "v-3")),
            "externalId": "v-3",
            "title": "Sample",
            "sku": None,
            "barcode": None,
            "options": [],
            "price": eur(0),
            "stock": "not_tracked",
            "inventory": None,
            "continueSellingWhenOutOfStock": False,
            "position": 6,
        }
        assert listed == {"items": [first, second, third], "total": 3, "page": 1, "pageSize": 25}
        filtered = get(f"/products/{body['id']}/variants", stock="out_of_stock,not_tracked").json
        assert filtered["items"] == [second, third]


class TestSources:
    """GET /products/{id}/sources."""

    def test_records_and_winners_of_store(self, owner: Someone, store: str, get: Get) -> None:
        one = [variant(1, inventory=0)]
        body = put(owner, store, "p-1", product(variants=one)).json
        sources = get(f"/products/{body['id']}/sources", locale="en").json
        own, german, english, tea = sources["items"]
        assert sources["locale"] == "en"
        common = {
            "kind": "store",
            "source": {"id": store, "name": "Olive's Shop"},
            "firstSeenAt": body["addedAt"],
            "seenAt": body["addedAt"],
            "removedAt": None,
        }
        assert german == {
            **common,
            "id": german["id"],
            "variantId": None,
            "locale": "de-AT",
            "externalId": "p-1",
            "fields": {"title": "Grüner Tee", "description": "Lose."},
        }
        assert english["fields"] == {"title": "Green tea"}
        assert (own["locale"], own["fields"]["custom.origin"]) == ("de-AT", "Uji")
        variant_id = str(derived_id(UUID(body["id"]), "variant", "v-1"))
        assert (tea["variantId"], tea["externalId"]) == (variant_id, "v-1")
        assert tea["fields"] == {
            "title": "100 g",
            "sku": "TEA-1",
            "barcode": "4000000000001",
            "options": [{"name": "Weight", "value": "100 g"}],
            "price": eur(500),
            "inventoryQuantity": 0,
            "availableForSale": False,
            "continueSellingWhenOutOfStock": False,
            "position": 1,
        }
        expected = dict.fromkeys(
            ["handle", "link", "image", "vendor", "productType", "tags", "status", "publishedAt"],
            own["id"],
        )
        assert sources["winners"] == {
            "custom.origin": own["id"],
            "product.title": english["id"],
            "product.description": german["id"],
            **{f"product.{name}": record for name, record in expected.items()},
        }
        named = ["title", "sku", "barcode", "options", "price", "inventoryQuantity"]
        assert sources["variantWinners"] == {
            variant_id: {f"variant.{n}": tea["id"] for n in [*named, "availableForSale"]}
        }
        assert len({row["id"] for row in sources["items"]}) == 4

    def test_filter_by_variant(self, owner: Someone, store: str, get: Get) -> None:
        body = put(owner, store, "p-1", product()).json
        path = f"/products/{body['id']}/sources"
        whole = get(path).json
        for external_id in ("v-1", "v-2"):
            only = str(derived_id(UUID(body["id"]), "variant", external_id))
            items = [row for row in whole["items"] if row["variantId"] in {None, only}]
            assert len(items) < len(whole["items"])
            expected = {"items": items, "variantWinners": {only: whole["variantWinners"][only]}}
            assert get(path, variantId=only).json == {**whole, **expected}
        own = [row for row in whole["items"] if row["variantId"] is None]
        expected = {**whole, "items": own, "variantWinners": {}}
        assert get(path, variantId=str(uuid4())).json == expected
        assert get(path, variantId="v-1").error_paths() == ["query.variantId"]

    def test_too_large_response_is_refused(
        self, owner: Someone, store: str, get: Get, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = put(owner, store, "p-1", product()).json
        path = f"/products/{body['id']}/sources"
        rows = get(path).json["items"]
        size = sum(len(json.dumps(as_json(row), ensure_ascii=False).encode()) for row in rows)
        for size_of_all in (size - 1, size):  # the winners don't fit beside the records
            monkeypatch.setattr(source_schemas, "MAX_BYTES", size_of_all)
            answer = get(path)
            assert answer.problem() == (422, "sources_too_large")
            assert [each["path"] for each in answer.json["errors"]] == ["query.variantId"]
        only = str(derived_id(UUID(body["id"]), "variant", "v-1"))
        assert list(get(path, variantId=only).json["variantWinners"]) == [only]

    def test_2000_variants_of_seven_feeds_are_too_large(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        """Lambda hands over 6 MB, in which the answer is a string."""
        names = {f"v-{n}": {"title": f"Size {n}", "sku": f"TEA-{n}"} for n in range(2000)}
        for number in range(7):
            write_layers(
                feed(store_of(world, store), f"Feed {number}"),
                says("p-1", None, names, title="Tea"),
            )
        [found] = products(world)
        path = f"/products/{found.id}/sources"
        assert get(path).problem() == (422, "sources_too_large")
        only = str(derived_id(found.id, "variant", "v-7"))
        of_one = get(path, variantId=only).json
        assert [row["variantId"] for row in of_one["items"]] == [None, only] * 7


class TestList:
    """GET /products."""

    def fill(self, world: World, owner: Someone, store: str, other: str) -> None:
        """Six products, of two stores."""
        rows: list[tuple[str, str, dict[str, Any]]] = [
            (store, "a", {}),
            (store, "b", {"status": "draft", "vendor": "B", "tags": ["hot"]}),
            (other, "c", {"productType": "Mug", "variants": [variant(1, inventory=0)]}),
            (store, "d", {"locales": [{"locale": "de-AT", "title": "Ahorn"}], "image": None}),
            (other, "a", {"published": False, "variants": [variant(1, inventory=None)]}),
            (store, "e", {"link": None, "variants": []}),
        ]
        for number, (where, external_id, change) in enumerate(rows):
            title = [{"locale": "de-AT", "title": f"Tee {9 - number}"}]
            overrides = {"locales": title, **change}
            if external_id == "b":
                overrides["locales"] = [*title, {"locale": "fr", "title": "Thé vert"}]
            assert put(owner, where, external_id, product(**overrides)).status == 201
            world.advance(seconds=10)
        gone = product(locales=[{"locale": "de-AT", "title": "Gone"}])
        put(owner, store, "z", gone)
        owner.call("DELETE", f"/stores/{store}/products/z")

    def test_other_workspaces_products_are_not_listed(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(owner, store, "p-1", product())
        stranger = world.owner()
        for query in ({}, {"storeId": store}, {"storeId": store, "externalId": "p-1"}):
            listed = stranger.call("GET", "/products", query=query)
            assert (listed.json["items"], listed.json["total"]) == ([], 0)

    def test_filters_and_sort_orders(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        other = world.store(owner)
        self.fill(world, owner, store, other)
        feedless = str(uuid4())
        moments = {p.external_id + p.store_id.hex: p.changed_at for p in products(world)}
        second = moments["b" + UUID(store).hex].isoformat()
        world.deliver()
        queries: list[tuple[dict[str, object], str]] = [
            ({}, "e a d c b a"),
            ({"sort": "addedAt"}, "a b c d a e"),
            ({"sort": "changedAt"}, "a b c d a e"),
            ({"sort": "title"}, "d e a c b a"),
            ({"sort": "-title"}, "a b c a e d"),
            ({"storeId": store}, "e d b a"),
            ({"storeId": store, "sort": "title"}, "d e b a"),
            ({"storeId": other, "sort": "-changedAt"}, "a c"),
            ({"storeId": feedless}, ""),
            ({"externalId": "a"}, "a a"),
            ({"externalId": "a", "storeId": other}, "a"),
            ({"externalId": "z"}, ""),
            ({"externalId": "z", "status": "removed"}, "z"),
            ({"status": "removed"}, "z"),
            ({"status": "removed", "sort": "title"}, "z"),
            ({"status": "removed", "published": "true"}, ""),
            ({"status": "removed,draft", "sort": "addedAt"}, "b z"),
            ({"status": "draft"}, "b"),
            ({"status": "active,draft", "published": "true"}, "e d c a"),
            ({"published": "false"}, "a b"),
            ({"published": "false", "sort": "title"}, "a b"),
            ({"stock": "out_of_stock"}, "c"),
            ({"stock": "out_of_stock,not_tracked", "sort": "-changedAt"}, "e a c"),
            ({"stock": "in_stock", "storeId": store, "sort": "title"}, "d b a"),
            ({"vendor": "B"}, "b"),
            ({"productType": "Mug", "published": "true"}, "c"),
            ({"tag": "hot"}, "b"),
            ({"missing": "image"}, "d"),
            ({"missing": "price,image"}, "e d"),
            ({"locale": "fr"}, "b"),
            ({"q": "the ver", "locale": "fr"}, "b"),
            ({"q": "THE"}, "b"),
            ({"q": "tee"}, "e a c b a"),
            ({"q": "ahorn"}, "d"),
            ({"q": "tee", "storeId": store, "sort": "title"}, "e b a"),
            ({"q": "tee", "storeId": other, "sort": "addedAt"}, "c a"),
            ({"q": "tee ver", "sort": "changedAt"}, "b"),
            ({"q": "mug"}, "c"),
            ({"q": "gone"}, ""),
            ({"q": "z"}, ""),
            ({"q": "gone", "status": "removed"}, "z"),
            ({"q": "-", "status": "removed"}, ""),
            ({"q": "tee", "status": "removed,draft"}, "b"),
            ({"sourceId": store, "sort": "addedAt"}, "a b d e"),
            ({"sourceId": feedless}, ""),
            ({"changedFrom": second, "sort": "changedAt"}, "b c d a e"),
            ({"changedTo": second}, "a"),
            ({"changedFrom": second, "status": "draft", "sort": "title"}, "b"),
        ]
        for query, expected in queries:
            answer = get("/products", **query)
            found = [row["externalId"] for row in answer.json["items"]]
            assert (query, found) == (query, expected.split())
            assert answer.json["total"] == len(found)
            first = get("/products", page=1, pageSize=10, **query).json
            assert first["items"] == answer.json["items"][:10]
            assert get("/products", page=2, **query).json["items"] == []

    def test_products_are_shown_in_requested_locale(
        self, owner: Someone, store: str, get: Get
    ) -> None:
        body = put(owner, store, "p-1", product()).json
        [row] = get("/products", locale="en").json["items"]
        expected = {name: body[name] for name in row} | {"locale": "en", "title": "Green tea"}
        assert row == expected

    def test_stock_filter_follows_locale(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        untracked = [variant(1, inventory=None)]
        put(owner, store, "p-1", product(variants=untracked))
        english = feed(store_of(world, store))
        write_layers(english, says("p-1", "en", {"v-1": {"inventoryQuantity": 0}}, title="Tea"))
        for locale, stock, expected in (
            ("en", "out_of_stock", 1),
            ("en", "not_tracked", 0),
            ("de-AT", "not_tracked", 1),
            ("de-AT", "out_of_stock", 0),
        ):
            listed = get("/products", locale=locale, stock=stock, status="active").json
            assert (locale, stock, listed["total"]) == (locale, stock, expected)

    def test_filter_too_broad(
        self, owner: Someone, store: str, get: Get, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(3):
            put(owner, store, f"p-{number}", product())
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        assert get("/products", published="true").json["total"] == 3
        for query, advised in (
            ({"vendor": "A"}, "storeId"),
            ({"vendor": "A", "storeId": store}, "changedFrom"),
        ):
            answer = get("/products", **query)
            assert answer.problem() == (422, FilterTooBroad.code)
            assert [error["path"] for error in answer.json["errors"]] == [f"query.{advised}"]
