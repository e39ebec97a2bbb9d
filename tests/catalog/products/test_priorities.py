"""Field priority of a store and its changes, an operation a class."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.catalog.priorities import running
from storepost.catalog.priorities import service as priority_service
from storepost.catalog.priorities.comparing import MAX_BYTES
from storepost.catalog.priorities.model import ChangedProduct, FieldChange
from storepost.catalog.priorities.repository import ChangedProductItem
from storepost.catalog.priorities.schemas import PriorityChangeProduct
from storepost.catalog.products.feeds import delete_source, note_import, rename_feed
from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.writing import ProductSource
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.messaging.tries import RECEIVES, TRIES, NeverEnded
from storepost.platform.persistence.changes import commit_anew
from storepost.values import pagination
from storepost.values.ids import derived_id
from tests.catalog.products.bringing import bring, feed, says
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.state import check, store_of, stored
from tests.harness.crash_points import crashes
from tests.harness.runs import run_worker
from tests.harness.world import Answer, Someone, World


class Place:
    """A store with a feed, and its owner."""

    def __init__(self, world: World, owner: Someone, store: str) -> None:
        self.world, self.owner, self.id = world, owner, store
        self.value = store_of(world, store)
        self.own = str(product_source_id(UUID(store), UUID(store)))
        self.path = f"/stores/{store}/product-priority"

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        return self.world.call(method, path, token=self.owner.token, json_body=body, **more)

    def put(self, external_id: str, **change: object) -> dict[str, Any]:
        answer = put(self.world, self.owner, self.id, external_id, product(**change))
        assert answer.status in {200, 201}, answer.body
        body: dict[str, Any] = answer.json
        return body

    def get(self, path: str, **query: object) -> Any:
        answer = self.call("GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def propose(self, *order: str, **fields: list[str]) -> dict[str, Any]:
        named = {name.replace("__", "."): ids for name, ids in fields.items()}
        answer = self.call("POST", f"{self.path}/changes", {"order": order, "fields": named})
        assert answer.status == 202, answer.body
        body: dict[str, Any] = answer.json
        return body

    def ready(self, *order: str, **fields: list[str]) -> dict[str, Any]:
        """A change whose preview is done."""
        change = self.propose(*order, **fields)
        self.world.deliver()
        shown: dict[str, Any] = self.change(change)
        assert shown["status"] == "ready", shown
        return shown

    def change(self, change: dict[str, Any]) -> Any:
        return self.get(f"/product-priority-changes/{change['id']}")

    def act(self, change: dict[str, Any], what: str) -> Answer:
        return self.call("POST", f"/product-priority-changes/{change['id']}/{what}")


@pytest.fixture
def place(world: World, owner: Someone, store: str) -> Place:
    """A store with three products."""
    return Place(world, owner, store)


@pytest.fixture
def product_source(place: Place) -> ProductSource:
    """A feed that says other things of two of the store's products, and has one of its own."""
    place.put("p-1")
    place.put("p-2", link=None)
    place.put("p-3")
    found = feed(place.value, "Prices")
    bring(
        found,
        says("p-1", None, {"v-1": {"price": eur(1)}}, title="Feed tea"),
        says("p-2", "en", link="https://feed.example.com", custom={"grade": "B"}),
        says("f-1", title="Only here"),
    )
    return found


def answered(row: dict[str, Any]) -> int:
    """How many bytes an answer has of a row."""
    return len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())


def other_paths(place: Place) -> list[tuple[str, str]]:
    """Every operation on a change."""
    one = f"/product-priority-changes/{uuid4()}"
    return [
        ("GET", place.path),
        ("POST", f"{place.path}/changes"),
        ("GET", one),
        ("GET", f"{one}/products"),
        ("POST", f"{one}/apply"),
        ("POST", f"{one}/refresh"),
        ("DELETE", one),
    ]


class TestWhoMay:
    """All of them."""

    def test_another_workspaces(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))
        stranger = world.person()
        world.workspace(stranger)
        for method, path in other_paths(place):
            body = {"order": [place.own], "fields": {}} if path.endswith("/changes") else None
            head, separator, tail = path.partition("/product-priority-changes/")
            real = f"{head}{separator}{change['id']}{tail[36:]}" if separator else path
            answer = world.call(method, real, token=stranger.token, json_body=body)
            assert answer.problem() == (404, "not_found")
        assert place.change(change) == change


class TestGetPriority:
    """GET /stores/{id}/product-priority."""

    def test_a_store_by_itself(self, place: Place) -> None:
        store = {
            "id": place.own,
            "kind": "store",
            "sourceId": place.id,
            "name": "Olive's Shop",
            "platform": "custom",
            "locales": [],
            "products": 0,
        }
        whole: dict[str, object] = {
            "storeId": place.id,
            "sources": [store],
            "fields": {},
            "customFields": [],
            "openChange": None,
            "lastChange": None,
        }
        assert place.get(place.path) == whole
        place.put("p-1")
        place.put("p-2", locales=[{"locale": "fr", "title": "x"}], customFields={"b": "x"})
        sources = [{**store, "locales": ["de-AT", "en", "fr"], "products": 2}]
        assert place.get(place.path) == {
            **whole,
            "sources": sources,
            "customFields": ["b", "origin"],
        }

    def test_with_a_feed(self, place: Place, product_source: ProductSource) -> None:
        shown = place.get(place.path)
        assert [each["products"] for each in shown["sources"]] == [3, 3]
        assert shown["sources"][1] == {
            "id": str(product_source.source),
            "kind": "feed",
            "sourceId": str(product_source.source_id),
            "name": "Prices",
            "platform": "feed",
            "locales": ["en"],
            "products": 3,
        }
        assert shown["customFields"] == ["grade", "origin"]
        commit_anew(lambda c: rename_feed(c, place.value, product_source.source_id, "Other"))
        assert place.get(place.path)["sources"][1]["name"] == "Other"

    def test_a_feed_that_left(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(
            str(product_source.source), product__title=[str(product_source.source)]
        )
        assert place.act(change, "apply").status == 202
        place.world.deliver()
        commit_anew(lambda c: delete_source(c, place.value, product_source.source_id))
        shown = place.get(place.path)
        assert [each["kind"] for each in shown["sources"]] == ["store"]
        assert shown["fields"] == {}
        [found] = place.get("/products", externalId="p-1")["items"]
        assert place.get(f"/products/{found['id']}")["title"] == "Grüner Tee"


class TestPropose:
    """POST /stores/{id}/product-priority/changes."""

    def test_a_new_change(self, place: Place, product_source: ProductSource) -> None:
        first = place.propose(str(product_source.source), product__title=[place.own])
        assert first == {
            "id": first["id"],
            "storeId": place.id,
            "status": "previewing",
            "rules": {
                "order": [str(product_source.source)],
                "fields": {"product.title": [place.own]},
            },
            "stale": False,
            "counts": {"products": 0, "previewed": 0, "changed": 0, "applied": 0},
            "error": None,
            "createdAt": first["createdAt"],
            "readyAt": None,
            "appliedAt": None,
            "completedAt": None,
        }
        assert place.change(first) == first
        assert place.get(place.path)["openChange"] == first
        again = place.call("POST", f"{place.path}/changes", {"order": [place.own], "fields": {}})
        assert again.problem() == (409, "change_open")
        path = f"/product-priority-changes/{first['id']}/products"
        assert place.call("GET", path).problem() == (409, "change_previewing")
        assert place.act(first, "apply").problem() == (409, "change_not_ready")
        assert place.act(first, "refresh").problem() == (409, "change_not_ready")
        place.world.deliver()
        shown = place.change(first)
        assert shown["counts"] == {"products": 4, "previewed": 4, "changed": 1, "applied": 0}
        assert shown["status"] == "ready"
        assert shown["readyAt"] >= shown["createdAt"]

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"order": [], "fields": {}}, ["/order"]),
            ({"order": ["x"], "fields": {}}, ["/order/0"]),
            ({"order": [str(UUID(int=1))]}, ["/fields"]),
            ({"order": [str(UUID(int=1))] * 2, "fields": {}}, ["/order"]),
            ({"order": [str(UUID(int=1))], "fields": {"product.title": []}}, None),
        ],
    )
    def test_bad_input(self, place: Place, body: object, paths: list[str] | None) -> None:
        answer = place.call("POST", f"{place.path}/changes", body)
        assert answer.error_paths() == (paths or ["/fields/product.title"])
        assert place.get(place.path)["openChange"] is None

    def test_unknown_ones(self, place: Place) -> None:
        stranger = str(uuid4())
        body = {"order": [place.own, stranger], "fields": {"custom.x": [stranger]}}
        answer = place.call("POST", f"{place.path}/changes", body)
        assert answer.problem() == (422, "validation")
        paths = [error["path"] for error in answer.json["errors"]]
        assert paths == ["/order/1", "/fields/custom.x/0"]
        # A store's own id is none of its sources' ids.
        by_store = place.call("POST", f"{place.path}/changes", {"order": [place.id], "fields": {}})
        assert by_store.problem() == (422, "validation")
        for name in (
            "title",
            "product.adminUrl",
            "variant.position",
            "custom.",
            "custom." + "x" * 201,
        ):
            body = {"order": [place.own], "fields": {name: [place.own]}}
            answer = place.call("POST", f"{place.path}/changes", body)
            assert answer.problem() == (422, "unknown_field")
            assert [error["path"] for error in answer.json["errors"]] == [f"/fields/{name}"]
        assert place.get(place.path)["openChange"] is None

    def test_replay(self, place: Place) -> None:
        body = {"order": [place.own], "fields": {}}
        first = place.call("POST", f"{place.path}/changes", body, key="k")
        again = place.call("POST", f"{place.path}/changes", body, key="k")
        assert (again.status, again.body) == (202, first.body)


class TestProducts:
    """GET /product-priority-changes/{id}/products."""

    def test_from_and_to(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source))
        listed = place.get(f"/product-priority-changes/{change['id']}/products")
        by_id = {row["externalId"]: row for row in listed["items"]}
        assert (set(by_id), listed["total"]) == ({"p-1"}, 1)
        [found] = place.get("/products", externalId="p-1")["items"]
        variant_id = str(derived_id(UUID(found["id"]), "variant", "v-1"))
        own, new = place.own, str(product_source.source)

        def side(source: str, value: object) -> dict[str, object]:
            return {"sourceId": source, "value": value}

        assert by_id["p-1"] == {
            "id": found["id"],
            "externalId": "p-1",
            "title": "Grüner Tee",
            "image": {"url": "https://shop.example.com/green-tea.jpg", "alt": "A cup"},
            "changes": [
                {
                    "locale": "de-AT",
                    "variant": None,
                    "field": "product.title",
                    "from": side(own, "Grüner Tee"),
                    "to": side(new, "Feed tea"),
                },
                {
                    "locale": "en",
                    "variant": None,
                    "field": "product.title",
                    "from": side(own, "Green tea"),
                    "to": side(new, "Feed tea"),
                },
                {
                    "locale": None,
                    "variant": {"id": variant_id, "title": "100 g"},
                    "field": "variant.price",
                    "from": side(own, eur(500)),
                    "to": side(new, eur(1)),
                },
            ],
        }

    def test_filters(self, place: Place, product_source: ProductSource) -> None:
        bring(product_source, says("p-3", vendor="Feed", custom={"origin": "Kyoto"}))
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        asked: list[tuple[dict[str, object], set[str]]] = [
            ({}, {"p-1", "p-3"}),
            ({"field": "product.vendor"}, {"p-3"}),
            ({"field": "custom.origin"}, {"p-3"}),
            ({"field": "variant.price"}, {"p-1"}),
            ({"field": "variant.sku"}, set()),
            ({"q": "p-1"}, {"p-1"}),
            ({"q": "GRUNER", "field": "product.title"}, {"p-1"}),
            ({"q": "nothing"}, set()),
        ]
        for query, expected in asked:
            listed = place.get(path, **query)
            assert ({row["externalId"] for row in listed["items"]}, listed["total"]) == (
                expected,
                len(expected),
            )
        assert place.get(path, page=2)["items"] == []

    def test_too_broad(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = place.ready(str(product_source.source))
        monkeypatch.setattr(priority_service, "MAX_ROWS", 0)
        path = f"/product-priority-changes/{change['id']}/products"
        answer = place.call("GET", path, query={"q": "tea"})
        assert answer.problem() == (422, "filter_too_broad")
        assert place.get(path)["total"] == 1

    def test_a_page_that_is_too_large(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        [row] = place.get(path)["items"]
        monkeypatch.setattr(pagination, "MAX_ANSWERED", answered(row) - 1)
        for query in ({}, {"q": "p-1"}):
            answer = place.call("GET", path, query=query)
            assert answer.problem() == (422, "page_too_large")

    def test_ten_of_the_largest_fit_a_page(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """Of what a product may have, no more is listed than lets ten of them be answered."""
        many = [variant(n, title="茶" * 255, sku=None, barcode=None) for n in range(500)]
        place.put("茶" * 255, variants=many, locales=[{"locale": "de-AT", "title": "茶" * 255}])
        prices = {f"v-{n}": {"price": eur(1)} for n in range(500)}
        bring(product_source, says("茶" * 255, None, prices))
        change = place.ready(str(product_source.source), place.own)
        path = f"/product-priority-changes/{change['id']}/products"
        [row] = place.get(path, field="variant.price", q="茶")["items"]
        assert len(row["changes"]) < 500
        assert answered(row) > 0.9 * MAX_BYTES
        assert 10 * answered(row) <= pagination.MAX_ANSWERED

    def test_nothing_around_the_changes_is_large(self) -> None:
        texts = "\x01" * 255
        image = {"url": "\u0301" * 2048, "alt": texts}
        bare = ChangedProduct(UUID(int=1), texts, texts, image, ())
        assert 10 * (MAX_BYTES + bare.size) <= pagination.MAX_ANSWERED

    @given(
        texts=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=4, max_size=4),
        locale=st.sampled_from([None, "zh-Hant-TW"]),
        of_variant=st.booleans(),
        value=st.sampled_from([None, True, eur(10**15), [{"name": "Größe", "value": "茶"}]]),
    )
    def test_a_size_is_no_less_than_what_is_answered(
        self, texts: list[str], locale: str | None, of_variant: bool, value: object
    ) -> None:
        one, two, three, four = texts
        which = (UUID(int=2), one) if of_variant else None
        sides = (UUID(int=3), two), (None if of_variant else UUID(int=4), value)
        changes = (FieldChange(locale, which, f"custom.{three}", *sides),) * 3
        image = {"url": four, "alt": one} if of_variant else None
        found = ChangedProduct(UUID(int=1), two, three, image, changes)
        shown = PriorityChangeProduct.of(found).model_dump_json(by_alias=True).encode()
        assert len(shown) <= found.size <= len(shown) + 600


class TestStale:
    """A ready change is stale once a source, a product or the rules in force changed."""

    def other(self, place: Place, product_source: ProductSource) -> dict[str, Callable[[], object]]:
        removed = f"/stores/{place.id}/products/p-3"
        return {
            "a product": lambda: place.put("p-2", vendor="Other"),
            "a new product": lambda: place.put("p-9"),
            "a removed product": lambda: place.call("DELETE", removed),
            "a feed's product": lambda: bring(product_source, says("p-1", title="New")),
            "a new feed": lambda: feed(place.value),
            "a feed that left": lambda: commit_anew(
                lambda c: delete_source(c, place.value, product_source.source_id)
            ),
        }

    def test_whatever_changes(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source), place.own)
        begin_anew = world.checkpoint()
        for what, do in self.other(place, product_source).items():
            do()
            assert (what, place.change(change)["stale"]) == (what, True)
            answer = place.act(change, "apply")
            assert answer.problem() == (409, "change_stale")
            assert (
                answer.json["detail"]
                == "Refresh the change, look at its products again, then apply it."
            )
            assert place.change(change) == {**change, "stale": True}
            begin_anew()

    def test_what_says_nothing_new_is_nothing(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))
        place.put("p-1")
        place.put("p-1", updatedAt="2026-03-09T00:00:00Z")
        bring(product_source, says("p-1", None, {"v-1": {"price": eur(1)}}, title="Feed tea"))
        commit_anew(lambda c: rename_feed(c, place.value, product_source.source_id, "Other"))
        now = place.value.connected_at
        commit_anew(lambda c: note_import(c, place.value, product_source.source_id, now))
        other = place.world.store(place.owner)
        put(place.world, place.owner, other, "p-1", product())
        assert place.change(change) == change

    def test_the_stores_locales(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        """Another primary one, or another currency in one; no more than a label is nothing."""

        def put_locales(primary: str, currency: str, label: str = "L") -> None:
            rows = [
                {
                    "locale": locale,
                    "label": label,
                    "isPrimary": locale == primary,
                    "country": "AT",
                    "currency": currency if locale == "en" else "EUR",
                }
                for locale in ("de-AT", "en")
            ]
            assert place.call("PUT", f"/stores/{place.id}/locales", rows).status == 200

        change = place.ready(str(product_source.source))
        begin_anew = world.checkpoint()
        put_locales("de-AT", "EUR")
        put_locales("de-AT", "EUR", "Other")
        assert place.change(change) == change
        for primary, currency in (("en", "EUR"), ("de-AT", "USD")):
            begin_anew()
            put_locales(primary, currency)
            assert place.change(change) == {**change, "stale": True}
            assert place.act(change, "apply").problem() == (409, "change_stale")

    @pytest.mark.parametrize(
        ("change_of", "is_stale"),
        [({"primaryLocale": "en"}, True), ({"currency": "USD"}, True), ({"name": "New"}, False)],
    )
    def test_the_store_connected_again(
        self, place: Place, product_source: ProductSource, change_of: dict[str, str], is_stale: bool
    ) -> None:
        change = place.ready(str(product_source.source))
        assert place.call("POST", f"/stores/{place.id}/disconnect").status == 200
        store = {
            "platform": "custom",
            "name": "Olive's Shop",
            "externalId": place.value.external_id,
            "currency": "EUR",
            "primaryLocale": "de-AT",
            "adminUrl": "https://admin.example.com",
            **change_of,
        }
        answer = place.call("POST", "/stores", store)
        assert (answer.status, answer.json["id"]) == (200, place.id)
        assert place.change(change) == {**change, "stale": is_stale}
        applied = place.act(change, "apply")
        assert (applied.status, applied.json.get("code")) == (
            (409, "change_stale") if is_stale else (202, None)
        )

    def test_what_is_written_for_a_store_that_was_read_before(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """A worker that holds the store follows the locales that it has by then."""
        rows = [
            {
                "locale": "de-AT",
                "label": "L",
                "isPrimary": False,
                "country": "AT",
                "currency": "EUR",
            },
            {"locale": "en", "label": "L", "isPrimary": True, "country": "AT", "currency": "EUR"},
        ]
        assert place.call("PUT", f"/stores/{place.id}/locales", rows).status == 200
        bring(
            product_source,
            says("p-1", None, {"v-1": {"price": eur(1)}}, vendor="Feed", title="Feed tea"),
        )
        after = store_of(place.world, place.id)
        assert (place.value.primary_locale, after.primary_locale) == ("de-AT", "en")
        [listed] = place.get("/products", externalId="p-1")["items"]
        assert listed["title"] == "Green tea"

    def test_a_product_that_changes_while_it_is_applied(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """Between the look at the marks and the commit."""
        change = place.ready(str(product_source.source))

        def meanwhile(_: object) -> None:
            bring(product_source, says("p-1", title="Newest"))

        with place.world.meanwhile(meanwhile):
            assert place.act(change, "apply").problem() == (409, "change_stale")
        assert place.get(place.path)["openChange"]["status"] == "ready"

    def test_refreshed(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source))
        bring(
            product_source,
            says("p-1", None, {"v-1": {"price": eur(1)}}, title="Grüner Tee"),
            says("p-3", vendor="Feed"),
        )
        answer = place.act(change, "refresh")
        assert answer.status == 202
        assert (answer.json["status"], answer.json["readyAt"]) == ("previewing", None)
        place.world.deliver()
        shown = place.change(change)
        assert (shown["status"], shown["stale"], shown["counts"]["changed"]) == ("ready", False, 2)
        listed = place.get(f"/product-priority-changes/{change['id']}/products")
        fields = {r["externalId"]: [c["field"] for c in r["changes"]] for r in listed["items"]}
        assert fields == {
            "p-1": ["product.title", "variant.price"],
            "p-3": ["product.vendor"],
        }


class TestApply:
    """POST /product-priority-changes/{id}/apply."""

    def test_applied(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source), custom__x=[place.own])
        answer = place.act(change, "apply")
        assert answer.status == 202
        assert answer.json == {
            **change,
            "status": "applying",
            "appliedAt": answer.json["appliedAt"],
        }
        assert place.act(change, "refresh").problem() == (409, "change_not_ready")
        applying = place.call("DELETE", f"/product-priority-changes/{change['id']}")
        assert applying.problem() == (409, "change_applying")
        # The rules are in force at once: what is read whole follows them before its list does.
        [listed] = place.get("/products", externalId="p-1")["items"]
        assert place.get(f"/products/{listed['id']}")["title"] == "Feed tea"
        place.world.deliver()
        shown = place.change(change)
        assert (shown["status"], shown["stale"]) == ("applied", False)
        assert shown["counts"] == {"products": 4, "previewed": 4, "changed": 1, "applied": 1}
        assert shown["completedAt"] >= shown["appliedAt"] >= shown["readyAt"]
        priority = place.get(place.path)
        assert [each["id"] for each in priority["sources"]] == [
            str(product_source.source),
            place.own,
        ]
        assert priority["fields"] == {"custom.x": [place.own]}
        assert (priority["openChange"], priority["lastChange"]) == (None, shown)
        [listed] = place.get("/products", externalId="p-1")["items"]
        assert (listed["title"], listed["price"]["min"]) == ("Feed tea", eur(1))
        assert listed["changedAt"] >= shown["appliedAt"]
        titles = [row["title"] for row in place.get("/products", sort="title")["items"]]
        assert titles == ["Feed tea", "Grüner Tee", "Grüner Tee", "Only here"]
        check(place.world, place.value)
        assert place.act(change, "apply").problem() == (409, "change_not_ready")
        place.propose(place.own)

    def test_a_write_under_the_former_rules_is_done_again(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))

        def meanwhile(changes: Any) -> None:
            priority_service.apply_change(place.value.workspace, UUID(change["id"]), changes)

        with place.world.meanwhile(meanwhile):
            body = place.put("p-1", updatedAt="2026-03-09T00:00:00Z", vendor="V")
        assert (body["title"], body["vendor"]) == ("Feed tea", "V")
        place.world.deliver()
        assert place.change(change)["status"] == "applied"
        check(place.world, place.value)


class TestDelete:
    """DELETE /product-priority-changes/{id}."""

    def test_discarded(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}"
        assert place.call("DELETE", path).status == 204
        assert place.call("GET", path).problem() == (404, "not_found")
        assert place.get(place.path)["openChange"] is None
        place.world.deliver()
        assert not [row for row in place.world.rows() if isinstance(row, ChangedProductItem)]
        place.propose(place.own)

    def test_the_one_before_is_the_last_again(
        self, place: Place, product_source: ProductSource
    ) -> None:
        firsts = (str(product_source.source), place.own, str(product_source.source))
        changes = [self.applied(place, first) for first in firsts]
        for deleted, left in ((1, 2), (2, 0), (0, None)):
            path = f"/product-priority-changes/{changes[deleted]['id']}"
            assert place.call("DELETE", path).status == 204
            place.world.deliver()
            last = place.get(place.path)["lastChange"]
            assert (last and last["id"]) == (None if left is None else changes[left]["id"])

    @pytest.mark.parametrize(("asked", "other"), [(2, 1), (1, 2)])
    def test_two_at_once_leave_the_one_before_them(
        self, place: Place, product_source: ProductSource, asked: int, other: int
    ) -> None:
        firsts = (str(product_source.source), place.own, str(product_source.source))
        changes = [self.applied(place, first) for first in firsts]

        def meanwhile(writes: Any) -> None:
            wanted = UUID(changes[other]["id"])
            priority_service.discard_change(place.value.workspace, wanted, writes)

        with place.world.meanwhile(meanwhile):
            path = f"/product-priority-changes/{changes[asked]['id']}"
            assert place.call("DELETE", path).status == 204
        place.world.deliver()
        assert place.get(place.path)["lastChange"] == place.change(changes[0])

    def applied(self, place: Place, first: str) -> dict[str, Any]:
        change = place.ready(first)
        place.act(change, "apply")
        place.world.deliver()
        place.world.advance(seconds=1)
        return change

    def test_while_it_is_previewed(self, place: Place, product_source: ProductSource) -> None:
        change = place.propose(str(product_source.source))
        assert place.call("DELETE", f"/product-priority-changes/{change['id']}").status == 204
        place.world.deliver()
        assert not [row for row in place.world.rows() if isinstance(row, ChangedProductItem)]
        assert place.get(place.path)["lastChange"] is None


class TestWorker:
    """Messages twice, kills, changes meanwhile, failures."""

    @pytest.fixture(autouse=True)
    def _small_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(running, "PREVIEWED_AT_ONCE", 2)
        monkeypatch.setattr(running, "APPLIED_AT_ONCE", 2)

    def run(self, place: Place, change: dict[str, Any], tries: int = 1, ms: int = 60_000) -> None:
        workspace, store = place.value.workspace.id, UUID(place.id)
        job = Job(JobKind.PRIORITY_CHANGE, workspace, store, UUID(change["id"]))
        run_worker(running.run_job, job, tries, ms)

    def outcome(self, place: Place, change: dict[str, Any]) -> dict[str, Any]:
        """What became of the change, but for moments and places of keys by moments."""
        shown = place.change(change)
        told = {name: shown[name] for name in ("status", "stale", "counts", "error")}
        path = f"/product-priority-changes/{change['id']}/products"
        listed = place.get(path)["items"] if shown["status"] != "previewing" else None
        check(place.world, place.value)
        rows = [
            {name: value for name, value in row.items() if name != "changedAt"}
            for row in place.get("/products", sort="title")["items"]
        ]
        return {**told, "changed": listed, "products": rows}

    def test_killed_anywhere_in_a_preview(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.killed_anywhere(world, place, change)

    def test_killed_anywhere_while_applying(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))
        assert place.act(change, "apply").status == 202
        self.killed_anywhere(world, place, change)

    def killed_anywhere(self, world: World, place: Place, change: dict[str, Any]) -> None:
        def work() -> None:
            self.run(place, change)

        found = crashes(world, work, deliver=False)
        assert len(found.places) > 20
        expected = self.outcome(place, change)
        for places in found:
            work()
            work()
            assert self.outcome(place, change) == expected, places

    def test_a_step_of_a_preview_ends_with_what_a_transaction_takes(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two of the four products change: no step that keeps one looks at any after it."""
        assert running.MAX_STORED_AT_ONCE + 400 * 1024 < 3.5 * 1024**2
        monkeypatch.setattr(running, "PREVIEWED_AT_ONCE", 4)
        ahead = [row["externalId"] for row in place.get("/products", sort="changedAt")["items"]]
        change = place.propose(str(product_source.source))
        expected = self.undisturbed(place, change)
        kept = {row["externalId"] for row in expected["changed"]}
        steps = [n + 1 for n, name in enumerate(ahead) if name in kept]
        steps += [4] * (steps[-1] < 4)
        monkeypatch.setattr(running, "MAX_STORED_AT_ONCE", 1)
        self.run(place, change, ms=1)
        for previewed in steps:
            self.run(place, change, ms=1)
            assert place.change(change)["counts"]["previewed"] == previewed
        self.run(place, change)
        assert self.outcome(place, change) == expected

    def undisturbed(self, place: Place, change: dict[str, Any]) -> dict[str, Any]:
        """What becomes of the change; afterwards all is as it was."""
        back = place.world.checkpoint(deliver=False)
        self.run(place, change)
        expected = self.outcome(place, change)
        back()
        return expected

    def test_goes_on_with_the_next_message(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        for row in place.world.rows(PARTITION):
            row.delete()
        place.world.lose_stream()
        self.run(place, change, ms=1)
        assert place.change(change)["counts"]["previewed"] < 4
        assert len(place.world.rows(PARTITION)) == 1
        place.world.deliver()
        assert place.change(change)["status"] == "ready"

    def test_applied_counts_what_the_preview_listed(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two of four: the walk passes p-1, p-2, p-3 and f-1 in some order, one a run."""
        bring(product_source, says("p-3", vendor="Feed"))
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        changed = {row["externalId"] for row in place.get(path)["items"]}
        assert changed == {"p-1", "p-3"}
        ahead = [row["externalId"] for row in place.get("/products", sort="changedAt")["items"]]
        monkeypatch.setattr(running, "APPLIED_AT_ONCE", 1)
        assert place.act(change, "apply").status == 202
        counted = []
        for _ in ahead:
            self.run(place, change, ms=1)
            counted.append(place.change(change)["counts"]["applied"])
        assert counted == [len(changed.intersection(ahead[: n + 1])) for n in range(len(ahead))]
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["counts"]["applied"]) == ("applied", 2)

    def test_what_changes_meanwhile_is_looked_at_again(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.run(place, change, ms=1)
        self.run(place, change, ms=1)
        bring(
            product_source,
            says("p-1", None, {"v-1": {"price": eur(1)}}, title="Grüner Tee"),
            says("p-3", vendor="Feed"),
        )
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"]) == ("ready", False)
        assert shown["counts"] == {"products": 4, "previewed": 4, "changed": 2, "applied": 0}

    def test_rules_that_change_meanwhile_begin_it_anew(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.run(place, change, ms=1)
        self.run(place, change, ms=1)
        other = feed(place.value)
        bring(other, says("p-2", link="https://other.example.com"))
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"], shown["counts"]["changed"]) == ("ready", False, 1)

    def test_a_source_that_leaves_meanwhile_makes_it_stale(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(place.own, product__title=[str(product_source.source)])
        self.run(place, change, ms=1)
        commit_anew(lambda c: delete_source(c, place.value, product_source.source_id))
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"]) == ("ready", True)
        assert place.get(place.path)["openChange"] == shown
        assert place.act(change, "apply").problem() == (409, "change_stale")
        assert place.act(change, "refresh").problem() == (422, "unknown_source")
        path = f"/product-priority-changes/{change['id']}"
        assert place.call("DELETE", path).status == 204

    @pytest.mark.parametrize("tries", [TRIES, RECEIVES])
    def test_fails_in_the_end(
        self,
        place: Place,
        product_source: ProductSource,
        monkeypatch: pytest.MonkeyPatch,
        tries: int,
    ) -> None:
        """Once more than it is tried it comes only where the last try was killed."""
        change = place.propose(str(product_source.source))

        def broken(*_: object) -> None:
            raise RuntimeError("broken")

        monkeypatch.setattr(running, "compare", broken)
        with pytest.raises(RuntimeError):
            self.run(place, change, tries=TRIES - 1)
        assert place.change(change)["status"] == "previewing"
        if tries > TRIES:
            monkeypatch.undo()
        self.run(place, change, tries=tries)
        shown = place.change(change)
        assert (shown["status"], bool(shown["error"])) == ("failed", True)
        assert shown["completedAt"] >= shown["createdAt"]
        priority = place.get(place.path)
        assert (priority["openChange"], priority["lastChange"]) == (None, shown)
        monkeypatch.undo()
        before = stored(place.world)
        self.run(place, change)
        assert stored(place.world) == before

    @pytest.mark.parametrize("tries", [TRIES, RECEIVES])
    def test_what_a_discarded_change_leaves_is_not_given_up_quietly(
        self,
        place: Place,
        product_source: ProductSource,
        monkeypatch: pytest.MonkeyPatch,
        tries: int,
    ) -> None:
        """Nothing would show that it failed: so it goes to the dead-letter queue."""
        change = place.ready(str(product_source.source))
        assert place.call("DELETE", f"/product-priority-changes/{change['id']}").status == 204

        def left() -> list[Any]:
            return [r.key for r in place.world.rows() if isinstance(r, ChangedProductItem)]

        kept = left()
        assert kept
        with monkeypatch.context() as broken:
            broken.setattr(running, "CLEARED_AT_ONCE", "broken")
            with pytest.raises(TypeError if tries == TRIES else NeverEnded):
                self.run(place, change, tries=tries)
        assert left() == kept
        self.run(place, change)
        assert left() == []
        self.run(place, change, tries=RECEIVES)

    def test_names_of_many_variants(self, place: Place) -> None:
        """Names of many variants are the worker's."""
        many = [variant(n, sku=f"s-{n}", barcode=None) for n in range(1, 60)]
        place.put("p-1", variants=many)
        rows = "workspace#"
        named = [row for row in place.world.rows(rows) if "#product_names#" in row.pk]
        assert named == []
        place.world.deliver()
        named = [row for row in place.world.rows(rows) if "#product_names#" in row.pk]
        assert len(named) == 2 * 59
