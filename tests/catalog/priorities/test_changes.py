"""Priorities: reading, proposing, applying and deleting a change."""

from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.catalog.priorities import service as priority_service
from storepost.catalog.priorities.repository import ChangedProductItem
from storepost.catalog.products.feeds import delete_source, rename_feed
from storepost.catalog.products.writing import ProductSource, remove_layer
from storepost.platform.persistence.changes import commit_anew
from storepost.values import pagination
from tests.catalog.priorities.place import Place, answered
from tests.catalog.products.sample import eur
from tests.catalog.products.state import check


class TestGetPriority:
    """GET /stores/{id}/product-priority."""

    def test_store_without_feeds(self, place: Place) -> None:
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

    def test_store_with_feed(self, place: Place, product_source: ProductSource) -> None:
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

    def test_deleted_feed_leaves_the_rules(
        self, place: Place, product_source: ProductSource
    ) -> None:
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


class TestList:
    """GET /stores/{id}/product-priority/changes."""

    def test_page_too_large_is_refused(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = place.ready(str(product_source.source), product__title=[place.own])
        path = f"{place.path}/changes"
        assert place.get(path)["items"] == [change]
        monkeypatch.setattr(pagination, "MAX_ANSWERED", answered(change["rules"]) - 1)
        assert place.call("GET", path).problem() == (422, "page_too_large")


class TestPropose:
    """POST /stores/{id}/product-priority/changes."""

    def test_new_change_is_previewed(self, place: Place, product_source: ProductSource) -> None:
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

    def test_unknown_sources_and_fields_are_refused(self, place: Place) -> None:
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


class TestApply:
    """POST /product-priority-changes/{id}/apply."""

    def test_change_is_applied(self, place: Place, product_source: ProductSource) -> None:
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
        # The rules are in force at once: the product's own read follows them before its list does.
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

    def test_concurrent_write_follows_new_rules(
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

    def test_removed_products_show_last_values_of_first_source(
        self, place: Place, product_source: ProductSource
    ) -> None:
        """The list of removed products, as the product itself, follows the order of the sources."""
        own = ProductSource(place.value, place.value.id)
        for source in (product_source, own):
            commit_anew(partial(remove_layer, product_source=source, external_id="p-1"))

        def titles() -> list[str]:
            place.world.deliver()
            [row] = place.get("/products", status="removed")["items"]
            return [row["title"], place.get(f"/products/{row['id']}")["title"]]

        assert titles() == ["Grüner Tee", "Grüner Tee"]
        change = place.ready(str(product_source.source))
        assert place.act(change, "apply").status == 202
        assert titles() == ["Feed tea", "Feed tea"]
        check(place.world, place.value)
        commit_anew(lambda c: delete_source(c, place.value, product_source.source_id))
        assert titles() == ["Grüner Tee", "Grüner Tee"]


class TestDelete:
    """DELETE /product-priority-changes/{id}."""

    def test_change_is_discarded(self, place: Place, product_source: ProductSource) -> None:
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}"
        assert place.call("DELETE", path).status == 204
        assert place.call("GET", path).problem() == (404, "not_found")
        assert place.get(place.path)["openChange"] is None
        place.world.deliver()
        assert not [row for row in place.world.rows() if isinstance(row, ChangedProductItem)]
        place.propose(place.own)

    def test_last_change_falls_back_to_previous_one(
        self, place: Place, product_source: ProductSource
    ) -> None:
        firsts = (str(product_source.source), place.own, str(product_source.source))
        changes = [self.applied(place, first) for first in firsts]
        for deleted, rest in ((1, 2), (2, 0), (0, None)):
            path = f"/product-priority-changes/{changes[deleted]['id']}"
            assert place.call("DELETE", path).status == 204
            place.world.deliver()
            last = place.get(place.path)["lastChange"]
            assert (last and last["id"]) == (None if rest is None else changes[rest]["id"])

    @pytest.mark.parametrize(("deleted", "other"), [(2, 1), (1, 2)])
    def test_concurrent_deletions_leave_previous_change(
        self, place: Place, product_source: ProductSource, deleted: int, other: int
    ) -> None:
        firsts = (str(product_source.source), place.own, str(product_source.source))
        changes = [self.applied(place, first) for first in firsts]

        def meanwhile(writes: Any) -> None:
            change_id = UUID(changes[other]["id"])
            priority_service.discard_change(place.value.workspace, change_id, writes)

        with place.world.meanwhile(meanwhile):
            path = f"/product-priority-changes/{changes[deleted]['id']}"
            assert place.call("DELETE", path).status == 204
        place.world.deliver()
        assert place.get(place.path)["lastChange"] == place.change(changes[0])

    def applied(self, place: Place, first: str) -> dict[str, Any]:
        change = place.ready(first)
        place.act(change, "apply")
        place.world.deliver()
        place.world.advance(seconds=1)
        return change

    def test_deleted_during_preview(self, place: Place, product_source: ProductSource) -> None:
        change = place.propose(str(product_source.source))
        assert place.call("DELETE", f"/product-priority-changes/{change['id']}").status == 204
        place.world.deliver()
        assert not [row for row in place.world.rows() if isinstance(row, ChangedProductItem)]
        assert place.get(place.path)["lastChange"] is None
