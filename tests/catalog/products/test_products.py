"""Products of a custom store: putting and deleting them."""

from typing import Any
from uuid import uuid4

import pytest

from tests.catalog.products.answers import Get, whole, without_moments
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.state import check, products, store_of, stored
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Answer, Someone, World


class TestPut:
    """PUT /stores/{id}/products/{externalId}."""

    def test_disconnected_store_is_refused(self, owner: Someone, store: str) -> None:
        put(owner, store, "p-1", product())
        owner.call("POST", f"/stores/{store}/disconnect")
        answer = put(owner, store, "p-1", product(status="draft"))
        assert answer.problem() == (409, "store_disconnected")
        listed = owner.call("GET", "/products").json
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
            ({"customFields": {"": "x"}}, ["/customFields/"]),
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
        assert put(owner, store, "p-1", product(**change)).error_paths() == paths
        assert products(world) == []

    def test_other_currency_is_refused(self, world: World, owner: Someone, store: str) -> None:
        usd = {"amount": 1, "currency": "USD"}
        variants = [variant(1, compareAtPrice=usd), variant(2, price=usd)]
        answer = put(owner, store, "p-1", product(variants=variants))
        assert answer.problem() == (422, "currency_mismatch")
        assert [error["path"] for error in answer.json["errors"]] == [
            "/variants/0/compareAtPrice/currency",
            "/variants/1/price/currency",
        ]
        assert products(world) == []

    def test_new_product_is_created(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        answer = put(owner, store, "p-1", product())
        assert answer.status == 201
        assert without_moments(answer.json) == whole(store)
        assert answer.json["addedAt"] == answer.json["changedAt"] == answer.json["syncedAt"]
        read = get(f"/products/{answer.json['id']}")
        assert (read.status, read.json) == (200, answer.json)
        marked = check(world, store_of(world, store))
        assert (marked.products, dict(marked.locales)) == ({0: 1}, {0: ["de-AT", "en"]})

    def test_existing_product_is_replaced(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        first = put(owner, store, "p-1", product()).json
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
        answer = put(owner, store, "p-1", product(**change))
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

    def test_equal_time_is_accepted_and_older_refused(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(owner, store, "p-1", product())
        assert put(owner, store, "p-1", product(vendor="B")).json["vendor"] == "B"
        before = stored(world)
        older = put(owner, store, "p-1", product(updatedAt="2026-03-01T10:30:00.249Z"))
        assert older.problem() == (409, "stale_update")
        assert stored(world) == before

    def test_identical_product_writes_nothing(
        self, world: World, owner: Someone, store: str
    ) -> None:
        first = put(owner, store, "p-1", product())
        before = stored(world)
        world.advance(minutes=1)
        again = put(owner, store, "p-1", product())
        assert (again.status, again.json) == (200, first.json)
        assert stored(world) == before

    def test_newer_time_without_change_updates_only_the_times(
        self, world: World, owner: Someone, store: str
    ) -> None:
        first = put(owner, store, "p-1", product())
        before = stored(world)
        world.advance(minutes=1)
        later = put(owner, store, "p-1", product(updatedAt="2026-03-01T11:00:00Z"))
        synced_at = later.json["syncedAt"]
        assert (later.status, later.json) == (200, {**first.json, "syncedAt": synced_at})
        assert synced_at > first.json["syncedAt"]
        after = stored(world)
        assert after.keys() == before.keys()
        changed = {key[1].split("#")[0] for key, row in after.items() if row != before[key]}
        assert changed == {"product", "layer"}
        between = put(owner, store, "p-1", product(updatedAt="2026-03-01T10:45:00Z"))
        assert between.problem() == (409, "stale_update")

    def test_product_whose_variant_was_removed_is_synced_and_seen_now(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        put(owner, store, "p-1", product())
        world.advance(minutes=1)
        newer = {"updatedAt": "2026-03-01T11:00:00Z", "variants": [variant(1)]}
        body = put(owner, store, "p-1", product(**newer)).json
        assert body["syncedAt"] == body["changedAt"]
        records = get(f"/products/{body['id']}/sources").json["items"]
        seen = [each["seenAt"] == body["syncedAt"] for each in records]
        assert seen == [each["removedAt"] is None for each in records]
        assert False in seen

    def test_product_without_primary_locale_lacks_title(
        self, owner: Someone, store: str, get: Get
    ) -> None:
        only = [{"locale": "fr", "title": "Thé"}]
        answer = put(owner, store, "p-1", product(locales=only))
        body = answer.json
        assert (body["locale"], body["locales"]) == ("de-AT", ["de-AT", "fr"])
        assert (body["title"], body["missing"], body["vendor"]) == (None, ["title"], "Olive's")
        assert get(f"/products/{body['id']}", locale="fr").json["title"] == "Thé"

    def test_prices_are_not_taken_across_currencies(
        self, owner: Someone, store: str, get: Get
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
        owner.call("PUT", f"/stores/{store}/locales", locales)
        body = put(owner, store, "p-1", product()).json
        abroad = get(f"/products/{body['id']}", locale="en").json
        assert (abroad["price"], abroad["missing"]) == (None, ["price"])
        assert body["price"] == {"min": eur(500), "max": eur(1000)}

    def test_concurrent_older_put_is_refused(
        self, world: World, owner: Someone, store: str
    ) -> None:
        """The request that reads first and writes last reads again: both are newer than nothing."""

        def meanwhile() -> None:
            newer = product(updatedAt="2026-03-05T00:00:00Z", vendor="Newer")
            assert put(owner, store, "p-1", newer).status == 201

        with before_the_commit(meanwhile):
            late = put(owner, store, "p-1", product())
        assert late.problem() == (409, "stale_update")
        [stored] = products(world)
        assert stored.summary.vendor == "Newer"
        check(world, store_of(world, store))

    def test_2000_variants(self, owner: Someone, store: str, get: Get) -> None:
        many = [
            {"externalId": f"v-{n}", "title": f"Size {n}", "sku": f"s-{n}", "price": eur(n)}
            for n in range(1, 2001)
        ]
        answer = put(owner, store, "p-1", product(variants=many))
        assert answer.status == 201
        assert answer.json["variantCount"] == 2000
        assert answer.json["price"] == {"min": eur(1), "max": eur(2000)}
        page = get(f"/products/{answer.json['id']}/variants", page=20, pageSize=100).json
        assert [row["externalId"] for row in page["items"]] == [f"v-{n}" for n in range(1901, 2001)]
        assert page["total"] == 2000
        too_many = [*many, {"externalId": "v", "title": "x", "price": eur(1)}]
        refused = put(owner, store, "p-2", product(variants=too_many))
        assert refused.error_paths() == ["/variants"]


class TestDelete:
    """DELETE /stores/{id}/products/{externalId}."""

    def delete(self, by: Someone, store: str, external_id: str = "p-1") -> Answer:
        return by.call("DELETE", f"/stores/{store}/products/{external_id}")

    def test_disconnected_store_is_refused(self, world: World, owner: Someone, store: str) -> None:
        put(owner, store, "p-1", product())
        owner.call("POST", f"/stores/{store}/disconnect")
        assert self.delete(owner, store).problem() == (409, "store_disconnected")
        assert products(world)[0].removed_at is None

    def test_product_is_removed(self, world: World, owner: Someone, store: str, get: Get) -> None:
        first = put(owner, store, "p-1", product()).json
        world.advance(seconds=5)
        assert self.delete(owner, store).status == 204
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

    def test_unknown_product_is_not_found_and_removed_one_unchanged(
        self, world: World, owner: Someone, store: str
    ) -> None:
        assert self.delete(owner, store).problem() == (404, "not_found")
        put(owner, store, "p-1", product())
        self.delete(owner, store)
        before = stored(world)
        assert self.delete(owner, store).status == 204
        assert stored(world) == before

    def test_newer_put_restores_same_id(
        self, world: World, owner: Someone, store: str, get: Get
    ) -> None:
        first = put(owner, store, "p-1", product()).json
        [one, two] = get(f"/products/{first['id']}/variants").json["items"]
        self.delete(owner, store)
        assert put(owner, store, "p-1", product()).problem() == (409, "stale_update")
        back = put(owner, store, "p-1", product(updatedAt="2026-04-01T00:00:00Z"))
        assert (back.status, without_moments(back.json)) == (200, whole(store))
        assert back.json["addedAt"] == first["addedAt"]
        assert get(f"/products/{first['id']}/variants").json["items"] == [one, two]
        check(world, store_of(world, store))
