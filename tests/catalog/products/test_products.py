"""Products of a custom store, an operation a class."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.platform.persistence.counted_tree import scanning
from storepost.values.ids import derived_id
from storepost.values.pagination import FilterTooBroad
from tests.catalog.products.bringing import bring, feed, says
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.state import check, products, store_of, stored
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Answer, Someone, World

type Get = Callable[..., Answer]


@pytest.fixture
def get(world: World, owner: Someone) -> Get:
    """Reads as the owner."""

    def ask(path: str, **query: object) -> Answer:
        return world.call("GET", path, token=owner.token, query=query)

    return ask


def whole(store: str, external_id: str = "p-1", **change: object) -> dict[str, Any]:
    """The sample as it is answered, but for the moments of the service's own clock."""
    return {
        "id": str(derived_id(UUID(store), "product", external_id)),
        "storeId": store,
        "externalId": external_id,
        "locale": "de-AT",
        "title": "Grüner Tee",
        "missing": [],
        "published": True,
        "handle": "green-tea",
        "status": "active",
        "removedAt": None,
        "vendor": "Olive's",
        "productType": "Tea",
        "image": {"url": "https://shop.example.com/green-tea.jpg", "alt": "A cup"},
        "price": {"min": eur(500), "max": eur(1000)},
        "compareAtPrice": eur(700),
        "variantCount": 2,
        "stock": "in_stock",
        "inventory": 30,
        "store": {"id": store, "name": "Olive's Shop", "platform": "custom"},
        "locales": ["de-AT", "en"],
        "description": "Lose.",
        "link": "https://shop.example.com/green-tea",
        "adminUrl": "https://admin.example.com/",
        "tags": ["green", "loose"],
        "customFields": {"origin": "Uji"},
        "publishedAt": "2026-02-01T00:00:00.000Z",
        "createdAt": "2025-12-31T23:00:00.000Z",
        **change,
    }


def without_moments(body: dict[str, Any]) -> dict[str, Any]:
    """The answer without what the service's clock says, once that is seen to be a moment."""
    left = dict(body)
    moments = [left.pop(name) for name in ("changedAt", "addedAt", "syncedAt")]
    assert moments == sorted(moments, reverse=True) or len(set(moments)) > 1
    return left


class TestPut:
    """PUT /stores/{id}/products/{externalId}."""

    def test_another_workspaces_store(self, world: World, store: str) -> None:
        stranger = world.person()
        world.workspace(stranger)
        assert put(world, stranger, store, "p-1", product()).problem() == (404, "not_found")

    def test_a_disconnected_store(self, world: World, owner: Someone, store: str) -> None:
        put(world, owner, store, "p-1", product())
        world.call("POST", f"/stores/{store}/disconnect", token=owner.token)
        answer = put(world, owner, store, "p-1", product(status="draft"))
        assert answer.problem() == (409, "store_disconnected")
        listed = world.call("GET", "/products", token=owner.token).json
        assert [row["status"] for row in listed["items"]] == ["active"]

    @pytest.mark.parametrize(
        ("change", "paths"),
        [
            ({"status": "removed"}, ["/status"]),
            ({"status": None}, ["/status"]),
            ({"updatedAt": "yesterday"}, ["/updatedAt"]),
            ({"published": "yes"}, ["/published"]),
            ({"tags": ["x"] * 251}, ["/tags"]),
            ({"tags": [""]}, ["/tags/0"]),
            ({"link": "ftp://example.com"}, ["/link"]),
            ({"customFields": {"": "x"}}, ["/customFields//[key]"]),
            ({"locales": []}, ["/locales"]),
            ({"locales": [{"locale": "xx-yy", "title": "x"}]}, ["/locales/0/locale"]),
            ({"locales": [{"locale": "en"}]}, ["/locales/0/title"]),
            (
                {"locales": [{"locale": "en", "title": "a", "description": "é" * 32769}]},
                ["/locales/0/description"],
            ),
            ({"locales": [{"locale": "en", "title": t} for t in "ab"]}, ["/locales/1/locale"]),
            ({"variants": [variant(), variant()]}, ["/variants/1/externalId"]),
            ({"variants": [variant(price=eur(1), inventory="3")]}, ["/variants/0/inventory"]),
            ({"variants": [variant(price=None)]}, ["/variants/0/price"]),
            ({"variants": [variant(price=eur(-1))]}, ["/variants/0/price"]),
            ({"variants": [variant(compareAtPrice=eur(-1))]}, ["/variants/0/compareAtPrice"]),
            ({"variants": [variant(position=-1)]}, ["/variants/0/position"]),
            ({"id": str(uuid4())}, ["/id"]),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, store: str, change: dict[str, Any], paths: list[str]
    ) -> None:
        answer = put(world, owner, store, "p-1", product(**change))
        assert answer.error_paths() == paths
        assert products(world) == []

    def test_another_currency(self, world: World, owner: Someone, store: str) -> None:
        usd = {"amount": 1, "currency": "USD"}
        variants = [variant(1, compareAtPrice=usd), variant(2, price=usd)]
        answer = put(world, owner, store, "p-1", product(variants=variants))
        assert answer.problem() == (422, "currency_mismatch")
        assert [error["path"] for error in answer.json["errors"]] == [
            "/variants/0/compareAtPrice/currency",
            "/variants/1/price/currency",
        ]
        assert products(world) == []

    def test_a_new_product(self, world: World, owner: Someone, store: str, get: Get) -> None:
        answer = put(world, owner, store, "p-1", product())
        assert answer.status == 201
        assert without_moments(answer.json) == whole(store)
        assert answer.json["addedAt"] == answer.json["changedAt"] == answer.json["syncedAt"]
        read = get(f"/products/{answer.json['id']}")
        assert (read.status, read.json) == (200, answer.json)
        marked = check(world, store_of(world, store))
        assert (marked.products, dict(marked.locales)) == ({0: 1}, {0: ["de-AT", "en"]})

    def test_a_known_product_is_replaced(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        first = put(world, owner, store, "p-1", product()).json
        world.advance(minutes=1)
        change = {
            "updatedAt": "2026-03-02T00:00:00Z",
            "status": "draft",
            "tags": [],
            "link": None,
            "customFields": {"grade": "A"},
            "locales": [{"locale": "de-AT", "title": "Tee"}],
            "variants": [variant(2, inventory=0), variant(3, inventory=None)],
        }
        answer = put(world, owner, store, "p-1", product(**change))
        assert answer.status == 200
        assert without_moments(answer.json) == whole(
            store,
            title="Tee",
            description=None,
            status="draft",
            published=False,
            tags=[],
            link=None,
            missing=["link"],
            customFields={"grade": "A"},
            locales=["de-AT"],
            price={"min": eur(1000), "max": eur(1500)},
            compareAtPrice=None,
            stock="not_tracked",
            inventory=0,
        )
        assert answer.json["addedAt"] == first["addedAt"]
        assert answer.json["changedAt"] > first["changedAt"]
        rows = get(f"/products/{first['id']}/variants").json
        assert [row["externalId"] for row in rows["items"]] == ["v-2", "v-3"]
        gone = get(f"/products/{first['id']}/variants", removed="true").json
        assert [(row["externalId"], row["title"]) for row in gone["items"]] == [("v-1", "100 g")]
        assert gone["items"][0]["removedAt"] == answer.json["changedAt"]
        check(world, store_of(world, store))

    def test_equal_times_are_accepted_older_ones_not(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(world, owner, store, "p-1", product())
        assert put(world, owner, store, "p-1", product(vendor="B")).json["vendor"] == "B"
        before = stored(world)
        older = put(world, owner, store, "p-1", product(updatedAt="2026-03-01T10:30:00.249Z"))
        assert older.problem() == (409, "stale_update")
        assert stored(world) == before

    def test_the_same_again_writes_nothing(self, world: World, owner: Someone, store: str) -> None:
        first = put(world, owner, store, "p-1", product())
        before = stored(world)
        world.advance(minutes=1)
        again = put(world, owner, store, "p-1", product())
        assert (again.status, again.json) == (200, first.json)
        assert stored(world) == before

    def test_a_later_time_alone_is_noted_and_no_more(
        self, world: World, owner: Someone, store: str
    ) -> None:
        first = put(world, owner, store, "p-1", product())
        before = stored(world)
        later = put(world, owner, store, "p-1", product(updatedAt="2026-03-01T11:00:00Z"))
        assert (later.status, later.json) == (200, first.json)
        after = stored(world)
        assert after.keys() == before.keys()
        changed = {key[1].split("#")[0] for key, row in after.items() if row != before[key]}
        assert changed == {"product", "layer"}
        between = put(world, owner, store, "p-1", product(updatedAt="2026-03-01T10:45:00Z"))
        assert between.problem() == (409, "stale_update")

    def test_replay(self, world: World, owner: Someone, store: str) -> None:
        first = put(world, owner, store, "p-1", product(), key="k")
        put(world, owner, store, "p-1", product(status="archived"))
        again = put(world, owner, store, "p-1", product(), key="k")
        assert (again.status, again.body) == (201, first.body)
        assert products(world)[0].summary.status == "archived"

    def test_a_store_without_the_primary_locale(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        only = [{"locale": "fr", "title": "Thé"}]
        answer = put(world, owner, store, "p-1", product(locales=only))
        body = answer.json
        assert (body["locale"], body["locales"]) == ("de-AT", ["de-AT", "fr"])
        assert (body["title"], body["missing"], body["vendor"]) == (None, ["title"], "Olive's")
        assert get(f"/products/{body['id']}", locale="fr").json["title"] == "Thé"

    def test_prices_are_not_taken_across_currencies(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        locales = [
            {
                "locale": "de-AT",
                "label": "D",
                "isPrimary": True,
                "country": "AT",
                "currency": "EUR",
            },
            {"locale": "en", "label": "E", "isPrimary": False, "country": "US", "currency": "USD"},
        ]
        world.call("PUT", f"/stores/{store}/locales", token=owner.token, json_body=locales)
        body = put(world, owner, store, "p-1", product()).json
        abroad = get(f"/products/{body['id']}", locale="en").json
        assert (abroad["price"], abroad["missing"]) == (None, ["price"])
        assert body["price"] == {"min": eur(500), "max": eur(1000)}

    def test_two_at_once(self, world: World, owner: Someone, store: str) -> None:
        """Who reads first and writes last reads again: both are newer than nothing."""

        def meanwhile() -> None:
            newer = product(updatedAt="2026-03-05T00:00:00Z", vendor="Newer")
            assert put(world, owner, store, "p-1", newer).status == 201

        with before_the_commit(meanwhile):
            late = put(world, owner, store, "p-1", product())
        assert late.problem() == (409, "stale_update")
        [held] = products(world)
        assert held.summary.vendor == "Newer"
        check(world, store_of(world, store))

    def test_2000_variants(self, world: World, owner: Someone, store: str, get: Get) -> None:
        many = [
            {"externalId": f"v-{n}", "title": f"Size {n}", "sku": f"s-{n}", "price": eur(n)}
            for n in range(1, 2001)
        ]
        answer = put(world, owner, store, "p-1", product(variants=many))
        assert answer.status == 201
        assert answer.json["variantCount"] == 2000
        assert answer.json["price"] == {"min": eur(1), "max": eur(2000)}
        page = get(f"/products/{answer.json['id']}/variants", page=20, pageSize=100).json
        assert [row["externalId"] for row in page["items"]] == [f"v-{n}" for n in range(1901, 2001)]
        assert page["total"] == 2000
        too_many = [*many, {"externalId": "v", "title": "x", "price": eur(1)}]
        refused = put(world, owner, store, "p-2", product(variants=too_many))
        assert refused.error_paths() == ["/variants"]


class TestDelete:
    """DELETE /stores/{id}/products/{externalId}."""

    def delete(self, world: World, by: Someone, store: str, external_id: str = "p-1") -> Answer:
        return world.call("DELETE", f"/stores/{store}/products/{external_id}", token=by.token)

    def test_another_workspaces(self, world: World, owner: Someone, store: str) -> None:
        put(world, owner, store, "p-1", product())
        stranger = world.person()
        world.workspace(stranger)
        assert self.delete(world, stranger, store).problem() == (404, "not_found")
        assert products(world)[0].removed_at is None

    def test_of_a_store_that_is_disconnected(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(world, owner, store, "p-1", product())
        world.call("POST", f"/stores/{store}/disconnect", token=owner.token)
        assert self.delete(world, owner, store).problem() == (409, "store_disconnected")
        assert products(world)[0].removed_at is None

    def test_it_is_removed(self, world: World, owner: Someone, store: str, get: Get) -> None:
        first = put(world, owner, store, "p-1", product()).json
        world.advance(seconds=5)
        assert self.delete(world, owner, store).status == 204
        assert get("/products").json["total"] == 0
        read = get(f"/products/{first['id']}").json
        assert (read["status"], read["published"]) == ("removed", False)
        assert read["removedAt"] == read["changedAt"] > first["changedAt"]
        assert (read["title"], read["variantCount"]) == ("Grüner Tee", 0)
        assert read["missing"] == ["title", "link", "price", "image"]
        [row] = get("/products", status="removed").json["items"]
        assert row == {name: read[name] for name in row}
        assert get(f"/products/{first['id']}/variants").json["total"] == 0
        assert get(f"/products/{first['id']}/variants", removed="true").json["total"] == 2
        marked = check(world, store_of(world, store))
        assert marked.products == {0: 0}

    def test_what_is_not_there(self, world: World, owner: Someone, store: str) -> None:
        assert self.delete(world, owner, store).problem() == (404, "not_found")
        put(world, owner, store, "p-1", product())
        self.delete(world, owner, store)
        before = stored(world)
        assert self.delete(world, owner, store).status == 204
        assert stored(world) == before

    def test_a_return_revives_the_same_id(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        first = put(world, owner, store, "p-1", product()).json
        [one, two] = get(f"/products/{first['id']}/variants").json["items"]
        self.delete(world, owner, store)
        assert put(world, owner, store, "p-1", product()).problem() == (409, "stale_update")
        back = put(world, owner, store, "p-1", product(updatedAt="2026-04-01T00:00:00Z"))
        assert (back.status, without_moments(back.json)) == (200, whole(store))
        assert back.json["addedAt"] == first["addedAt"]
        assert get(f"/products/{first['id']}/variants").json["items"] == [one, two]
        check(world, store_of(world, store))


class TestGet:
    """GET /products/{id}."""

    def test_another_workspaces(self, world: World, owner: Someone, store: str) -> None:
        body = put(world, owner, store, "p-1", product()).json
        stranger = world.person()
        world.workspace(stranger)
        for path in ("", "/variants", "/sources"):
            answer = world.call("GET", f"/products/{body['id']}{path}", token=stranger.token)
            assert answer.problem() == (404, "not_found")

    def test_in_another_locale(self, world: World, owner: Someone, store: str, get: Get) -> None:
        body = put(world, owner, store, "p-1", product()).json
        read = get(f"/products/{body['id']}", locale="en")
        expected = {**body, "locale": "en", "title": "Green tea"}
        # The primary locale's description stands in for the one that isn't there.
        assert (read.status, read.json) == (200, expected)

    def test_a_locale_that_it_has_not(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        body = put(world, owner, store, "p-1", product()).json
        for path in ("", "/variants", "/sources"):
            answer = get(f"/products/{body['id']}{path}", locale="fr")
            assert answer.problem() == (404, "locale_not_found")
        assert get(f"/products/{body['id']}", locale="!").error_paths() == ["query.locale"]


class TestVariants:
    """GET /products/{id}/variants."""

    def test_whole(self, world: World, owner: Someone, store: str, get: Get) -> None:
        image = {"url": "https://shop.example.com/v.jpg", "alt": None}
        variants = [
            variant(2, position=5, inventory=-1, continueSellingWhenOutOfStock=True),
            variant(1, image=image, compareAtPrice=eur(700), position=4),
            {"externalId": "v-3", "title": "Sample", "price": eur(0), "position": 6},
        ]
        body = put(world, owner, store, "p-1", product(variants=variants)).json
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

    def test_the_stores_own_records(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        one = [variant(1, inventory=0)]
        body = put(world, owner, store, "p-1", product(variants=one)).json
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
            given = {"locales": title, **change}
            if external_id == "b":
                given["locales"] = [*title, {"locale": "fr", "title": "Thé vert"}]
            assert put(world, owner, where, external_id, product(**given)).status == 201
            world.advance(seconds=10)
        gone = product(locales=[{"locale": "de-AT", "title": "Gone"}])
        put(world, owner, store, "z", gone)
        world.call("DELETE", f"/stores/{store}/products/z", token=owner.token)

    def test_another_workspaces_are_invisible(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(world, owner, store, "p-1", product())
        stranger = world.person()
        world.workspace(stranger)
        for query in ({}, {"storeId": store}, {"storeId": store, "externalId": "p-1"}):
            listed = world.call("GET", "/products", token=stranger.token, query=query)
            assert (listed.json["items"], listed.json["total"]) == ([], 0)

    def test_filters_and_orders(self, world: World, owner: Someone, store: str, get: Get) -> None:
        other = world.store(owner)
        self.fill(world, owner, store, other)
        feedless = str(uuid4())
        moments = {p.external_id + p.store_id.hex: p.changed_at for p in products(world)}
        second = moments["b" + UUID(store).hex].isoformat()
        world.deliver()
        asked: list[tuple[dict[str, object], str]] = [
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
        for query, expected in asked:
            answer = get("/products", **query)
            found = [row["externalId"] for row in answer.json["items"]]
            assert (query, found) == (query, expected.split())
            assert answer.json["total"] == len(found)
            first = get("/products", page=1, pageSize=10, **query).json
            assert first["items"] == answer.json["items"][:10]
            assert get("/products", page=2, **query).json["items"] == []

    def test_a_locale_is_shown(self, world: World, owner: Someone, store: str, get: Get) -> None:
        body = put(world, owner, store, "p-1", product()).json
        [row] = get("/products", locale="en").json["items"]
        expected = {name: body[name] for name in row} | {"locale": "en", "title": "Green tea"}
        assert row == expected

    def test_stock_in_a_locale(self, world: World, owner: Someone, store: str, get: Get) -> None:
        untracked = [variant(1, inventory=None)]
        put(world, owner, store, "p-1", product(variants=untracked))
        english = feed(store_of(world, store))
        bring(english, says("p-1", "en", {"v-1": {"inventoryQuantity": 0}}, title="Tea"))
        for locale, stock, expected in (
            ("en", "out_of_stock", 1),
            ("en", "not_tracked", 0),
            ("de-AT", "not_tracked", 1),
            ("de-AT", "out_of_stock", 0),
        ):
            listed = get("/products", locale=locale, stock=stock, status="active").json
            assert (locale, stock, listed["total"]) == (locale, stock, expected)

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ({"status": "gone"}, "query.status"),
            ({"stock": "none"}, "query.stock"),
            ({"missing": "sku"}, "query.missing"),
            ({"sort": "vendor"}, "query.sort"),
            ({"storeId": "x"}, "query.storeId"),
            ({"locale": "!"}, "query.locale"),
            ({"changedFrom": "x"}, "query.changedFrom"),
            ({"q": " "}, "query.q"),
        ],
    )
    def test_bad_input(self, get: Get, query: dict[str, str], path: str) -> None:
        [found] = get("/products", **query).error_paths()
        assert found.startswith(path)

    def test_too_broad(
        self, world: World, owner: Someone, store: str, get: Get, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(3):
            put(world, owner, store, f"p-{number}", product())
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        assert get("/products", published="true").json["total"] == 3
        for query, advised in (
            ({"vendor": "A"}, "storeId"),
            ({"vendor": "A", "storeId": store}, "changedFrom"),
        ):
            answer = get("/products", **query)
            assert answer.problem() == (422, FilterTooBroad.code)
            assert [error["path"] for error in answer.json["errors"]] == [f"query.{advised}"]
