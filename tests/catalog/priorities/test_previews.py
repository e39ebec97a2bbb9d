"""Priorities: the products that a change would change, and changes that are stale."""

from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.catalog.priorities import service as priority_service
from storepost.catalog.priorities.comparing import MAX_BYTES
from storepost.catalog.priorities.model import ChangedProduct, FieldChange
from storepost.catalog.priorities.schemas import PriorityChangeProduct
from storepost.catalog.products.feeds import delete_source, note_import, rename_feed
from storepost.catalog.products.writing import ProductSource
from storepost.platform.persistence.changes import commit_anew
from storepost.values import pagination
from storepost.values.ids import derived_id
from tests.catalog.priorities.place import Place, answered
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import store_of
from tests.harness.world import World


class TestProducts:
    """GET /product-priority-changes/{id}/products."""

    def test_changed_fields_with_old_and_new_values(
        self, place: Place, product_source: ProductSource
    ) -> None:
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
        write_layers(product_source, says("p-3", vendor="Feed", custom={"origin": "Kyoto"}))
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        queries: list[tuple[dict[str, object], set[str]]] = [
            ({}, {"p-1", "p-3"}),
            ({"field": "product.vendor"}, {"p-3"}),
            ({"field": "custom.origin"}, {"p-3"}),
            ({"field": "variant.price"}, {"p-1"}),
            ({"field": "variant.sku"}, set()),
            ({"q": "p-1"}, {"p-1"}),
            ({"q": "GRUNER", "field": "product.title"}, {"p-1"}),
            ({"q": "nothing"}, set()),
        ]
        for query, expected in queries:
            listed = place.get(path, **query)
            assert ({row["externalId"] for row in listed["items"]}, listed["total"]) == (
                expected,
                len(expected),
            )
        assert place.get(path, page=2)["items"] == []

    def test_filter_too_broad(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = place.ready(str(product_source.source))
        monkeypatch.setattr(priority_service, "MAX_ROWS", 0)
        path = f"/product-priority-changes/{change['id']}/products"
        assert place.call("GET", path, query={"q": "tea"}).problem() == (422, "filter_too_broad")
        assert place.get(path)["total"] == 1

    def test_page_too_large_is_refused(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        [row] = place.get(path)["items"]
        monkeypatch.setattr(pagination, "MAX_ANSWERED", answered(row) - 1)
        for query in ({}, {"q": "p-1"}):
            assert place.call("GET", path, query=query).problem() == (422, "page_too_large")

    def test_ten_largest_rows_fit_one_page(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """A row lists only so many changes that ten of the largest rows fit into an answer."""
        many = [variant(n, title="茶" * 255, sku=None, barcode=None) for n in range(500)]
        place.put("茶" * 255, variants=many, locales=[{"locale": "de-AT", "title": "茶" * 255}])
        prices = {f"v-{n}": {"price": eur(1)} for n in range(500)}
        write_layers(product_source, says("茶" * 255, None, prices))
        change = place.ready(str(product_source.source), place.own)
        path = f"/product-priority-changes/{change['id']}/products"
        [row] = place.get(path, field="variant.price", q="茶")["items"]
        assert len(row["changes"]) < 500
        assert answered(row) > 0.9 * MAX_BYTES
        assert 10 * answered(row) <= pagination.MAX_ANSWERED

    def test_row_without_changes_is_small(self) -> None:
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
    def test_estimated_size_is_at_least_response_size(
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
            "a feed's product": lambda: write_layers(product_source, says("p-1", title="New")),
            "a new feed": lambda: feed(place.value),
            "a feed that left": lambda: commit_anew(
                lambda c: delete_source(c, place.value, product_source.source_id)
            ),
        }

    def test_stale_after_any_product_or_source_change(
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

    def test_not_stale_after_writes_without_change(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))
        place.put("p-1")
        place.put("p-1", updatedAt="2026-03-09T00:00:00Z")
        write_layers(
            product_source, says("p-1", None, {"v-1": {"price": eur(1)}}, title="Feed tea")
        )
        commit_anew(lambda c: rename_feed(c, place.value, product_source.source_id, "Other"))
        now = place.value.connected_at
        commit_anew(lambda c: note_import(c, place.value, product_source.source_id, now))
        other = place.world.store(place.owner)
        put(place.owner, other, "p-1", product())
        assert place.change(change) == change

    def test_stale_after_locale_or_currency_change(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        """A change is stale after another primary locale or currency, not after another label."""

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
    def test_stale_if_reconnected_with_other_locale_or_currency(
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

    def test_write_with_outdated_store_follows_current_locales(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """A worker that read the store earlier follows the locales that the store has by then."""
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
        write_layers(
            product_source,
            says("p-1", None, {"v-1": {"price": eur(1)}}, vendor="Feed", title="Feed tea"),
        )
        after = store_of(place.world, place.id)
        assert (place.value.primary_locale, after.primary_locale) == ("de-AT", "en")
        [listed] = place.get("/products", externalId="p-1")["items"]
        assert listed["title"] == "Green tea"

    def test_product_changed_during_apply_makes_change_stale(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """The product changes between the check of the marks and the commit."""
        change = place.ready(str(product_source.source))

        def meanwhile(_: object) -> None:
            write_layers(product_source, says("p-1", title="Newest"))

        with place.world.meanwhile(meanwhile):
            assert place.act(change, "apply").problem() == (409, "change_stale")
        assert place.get(place.path)["openChange"]["status"] == "ready"

    def test_refresh_repeats_preview(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source))
        write_layers(
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
