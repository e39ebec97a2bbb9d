"""Custom stores, an operation a class."""

from typing import Any
from uuid import UUID

import pytest

from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.model import ImportScope, ImportStage
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.service import queue_import, start_import
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World

NEW = {
    "platform": "custom",
    "name": "Olive's Shop",
    "externalId": "olive-1",
    "currency": "EUR",
    "primaryLocale": "de-AT",
    "adminUrl": "https://admin.olive.example.com/",
}
HOOK = "https://hooks.olive.example.com/consent"


def make_import(workspace: WorkspaceScope, store: str, *, is_running: bool) -> None:
    """Gives the store one more import of orders, which waits unless it runs."""
    changes, turns = Changes(), TurnsRepository(workspace).get(UUID(store))
    scope = ImportScope.CUSTOMERS_ORDERS
    queued = queue_import(changes, workspace, turns, scope, None, "content")
    changes.commit()
    if is_running:
        changes, turns = Changes(), TurnsRepository(workspace).get(UUID(store))
        start_import(changes, workspace, turns, queued, ImportStage.ORDERS)
        changes.commit()


def expected(body: dict[str, Any], **overrides: object) -> dict[str, Any]:
    """The whole store, as answered before a record was put into it."""
    return {
        "id": body["id"],
        "platform": "custom",
        "name": "Olive's Shop",
        "externalId": "olive-1",
        "currency": "EUR",
        "primaryLocale": "de-AT",
        "status": "active",
        "connectionStatus": "connected",
        "importStatus": "none",
        "permissions": {"coupons": True, "consent": False},
        "connectedAt": body["connectedAt"],
        "storefrontUrl": None,
        "contactEmail": None,
        "localeCount": 1,
        "customerCount": 0,
        "orderCount": 0,
        "productCount": 0,
        "lastOrderAt": None,
        "lastProductSyncAt": None,
        "imports": {"customersOrders": None, "products": None},
        "latestCustomer": None,
        "adminUrl": "https://admin.olive.example.com/",
        **overrides,
    }


def store_count(world: World, someone: Someone) -> int:
    """How many active stores the workspace counts."""
    [workspace] = [row for row in world.rows("workspace#") if row.sk == "workspace"]
    return int(workspace.attribute_values["store_count"])


class TestList:
    """GET /stores."""

    def test_stores_of_other_workspaces_are_not_listed(self, world: World, owner: Someone) -> None:
        world.store(owner)
        stranger = world.owner()
        assert stranger.call("GET", "/stores").json["items"] == []

    def test_filters_and_sorts(self, world: World, owner: Someone) -> None:
        ids = {}
        for name in ("Zoë's", "anna", "Bo & Co"):
            ids[name] = world.store(owner, name=name, externalId=name)
            world.advance(seconds=1)
        owner.call("POST", f"/stores/{ids['anna']}/disconnect")

        def names(**query: object) -> list[str]:
            answer = owner.call("GET", "/stores", query=query)
            assert answer.json["total"] == len(answer.json["items"])
            return [row["name"] for row in answer.json["items"]]

        assert names() == ["Bo & Co", "anna", "Zoë's"]
        assert names(sort="connectedAt") == ["Zoë's", "anna", "Bo & Co"]
        assert names(sort="name") == ["anna", "Bo & Co", "Zoë's"]
        assert names(sort="-name") == ["Zoë's", "Bo & Co", "anna"]
        assert names(status="disconnected") == ["anna"]
        assert names(connectionStatus="connected,needs_reauth") == ["Bo & Co", "Zoë's"]
        assert names(q="zoe") == ["Zoë's"]
        assert names(platform="shopify") == []
        assert names(importStatus="none", sort="name", status="active") == ["Bo & Co", "Zoë's"]

    def test_complete_summary(self, owner: Someone) -> None:
        body = owner.call("POST", "/stores", NEW).json
        [row] = owner.call("GET", "/stores").json["items"]
        summary = {name: body[name] for name in row}
        assert row == summary
        assert len(row) == 11


class TestCreate:
    """POST /stores."""

    @pytest.mark.parametrize(
        ("change", "paths"),
        [
            ({"platform": "shopify"}, ["/platform"]),
            ({"name": "  "}, ["/name"]),
            ({"currency": "EURO"}, ["/currency"]),
            ({"currency": "ZZZ"}, ["/currency"]),
            ({"primaryLocale": "german"}, ["/primaryLocale"]),
            ({"adminUrl": "javascript:alert(1)"}, ["/adminUrl"]),
            ({"storefrontUrl": "ftp://x.example.com"}, ["/storefrontUrl"]),
            ({"contactEmail": "nobody"}, ["/contactEmail"]),
            ({"more": 1}, ["/more"]),
        ],
    )
    def test_bad_input(
        self, world: World, owner: Someone, change: dict[str, Any], paths: list[str]
    ) -> None:
        assert owner.call("POST", "/stores", {**NEW, **change}).error_paths() == paths
        assert store_count(world, owner) == 0

    @pytest.mark.parametrize("own", ["o" * 255, "ö" * 255, "🍵" * 255, "🍵" * 250 + "ö"])
    def test_the_longest_id_of_any_script_is_a_store(self, owner: Someone, own: str) -> None:
        body = {**NEW, "externalId": own}
        answer = owner.call("POST", "/stores", body)
        assert answer.status == 201, answer.body
        assert answer.json == expected(answer.json, externalId=own)
        again = owner.call("POST", "/stores", body)
        assert again.problem() == (409, "store_exists")
        other = {**body, "externalId": own[:-1] + "x"}
        answer_of_other = owner.call("POST", "/stores", other)
        assert answer_of_other.status == 201
        assert answer_of_other.json["id"] != answer.json["id"]
        owner.call("POST", f"/stores/{answer.json['id']}/disconnect")
        anew = owner.call("POST", "/stores", body)
        assert (anew.status, anew.json["id"]) == (200, answer.json["id"])

    def test_creates_a_connected_store(self, world: World, owner: Someone) -> None:
        answer = owner.call(
            "POST",
            "/stores",
            {
                **NEW,
                "currency": "eur",
                "storefrontUrl": "https://olive.example.com",
                "contactEmail": "Hi@Olive.example.com",
            },
        )
        assert answer.status == 201
        body = answer.json
        assert body == expected(
            body,
            storefrontUrl="https://olive.example.com",
            contactEmail="hi@olive.example.com",
        )
        assert UUID(body["id"]).version == 4
        assert clock.from_text(body["connectedAt"]) <= clock.now()
        assert store_count(world, owner) == 1
        [locale] = owner.call("GET", "/locales").json["items"]
        assert (locale["code"], locale["origin"], locale["isDefault"]) == ("de-AT", "store", True)

    def test_already_connected_store_is_refused(self, owner: Someone) -> None:
        owner.call("POST", "/stores", NEW)
        assert owner.call("POST", "/stores", NEW).problem() == (409, "store_exists")

    def test_same_store_in_another_workspace(self, world: World, owner: Someone) -> None:
        first = owner.call("POST", "/stores", NEW).json
        stranger = world.owner()
        second = stranger.call("POST", "/stores", NEW)
        assert second.status == 201
        assert second.json["id"] != first["id"]

    def test_reconnects_under_the_same_id(self, world: World, owner: Someone) -> None:
        first = owner.call("POST", "/stores", NEW).json
        owner.call("POST", f"/stores/{first['id']}/disconnect")
        assert store_count(world, owner) == 0
        world.advance(hours=1)
        again = owner.call("POST", "/stores", {**NEW, "name": "New"})
        assert again.status == 200
        assert again.json == expected(again.json, name="New")
        assert again.json["id"] == first["id"]
        assert again.json["connectedAt"] > first["connectedAt"]
        assert store_count(world, owner) == 1

    def test_reconnected_store_keeps_its_locales(self, owner: Someone) -> None:
        store = owner.call("POST", "/stores", NEW).json
        path = f"/stores/{store['id']}"
        austrian = {
            "locale": NEW["primaryLocale"],
            "label": "Shop for Austria",
            "isPrimary": True,
            "country": "LI",
            "currency": "EUR",
            "url": "https://shop.example.com/at",
        }
        english = {**austrian, "locale": "en", "label": "Shop", "isPrimary": False}
        put = owner.call("PUT", f"{path}/locales", [austrian, english])
        assert put.status == 200
        owner.call("POST", f"{path}/disconnect")
        assert owner.call("POST", "/stores", NEW).status == 200
        shown = owner.call("GET", f"{path}/locales")
        assert shown.json["items"] == [austrian, english]

    def test_reconnected_store_with_another_primary_locale(self, owner: Someone) -> None:
        store = owner.call("POST", "/stores", NEW).json
        path = f"/stores/{store['id']}"
        rows = owner.call("GET", f"{path}/locales").json["items"]
        english = {
            **rows[0],
            "locale": "en",
            "label": "Shop",
            "isPrimary": False,
            "currency": "GBP",
        }
        owner.call("PUT", f"{path}/locales", [*rows, english])
        owner.call("POST", f"{path}/disconnect")
        moved = {**NEW, "primaryLocale": "en", "storefrontUrl": "https://new.example.com/"}
        assert owner.call("POST", "/stores", moved).status == 200
        shown = owner.call("GET", f"{path}/locales").json["items"]
        assert shown == [
            {
                **english,
                "isPrimary": True,
                "currency": NEW["currency"],
                "url": "https://new.example.com/",
            },
            {**rows[0], "isPrimary": False},
        ]


class TestGet:
    """GET /stores/{id}."""

    def test_complete_response(self, owner: Someone) -> None:
        made = owner.call("POST", "/stores", NEW).json
        answer = owner.call("GET", f"/stores/{made['id']}")
        assert (answer.status, answer.json) == (200, made)


class TestUpdate:
    """PATCH /stores/{id}."""

    def test_bad_input(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        body = {"name": None, "currency": "USD", "storefrontUrl": "x"}
        answer = owner.call("PATCH", f"/stores/{store}", body)
        assert sorted(answer.error_paths()) == ["/currency", "/name", "/storefrontUrl"]

    def test_null_clears_and_missing_field_is_unchanged(self, owner: Someone) -> None:
        body = {**NEW, "storefrontUrl": "https://o.example.com", "contactEmail": "a@example.com"}
        made = owner.call("POST", "/stores", body).json
        answer = owner.call(
            "PATCH", f"/stores/{made['id']}", {"name": "Renamed", "contactEmail": None}
        )
        assert answer.status == 200
        assert answer.json == {**made, "name": "Renamed", "contactEmail": None}
        stored = owner.call("GET", f"/stores/{made['id']}")
        assert stored.json == answer.json


class TestDisconnect:
    """POST /stores/{id}/disconnect."""

    def test_disconnected_store_no_longer_counts(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/disconnect"
        assert owner.call("POST", path).status == 200
        body = owner.call("GET", f"/stores/{store}").json
        assert (body["status"], body["connectionStatus"]) == ("disconnected", "disconnected")
        [locale] = owner.call("GET", "/locales").json["items"]
        assert locale["origin"] == "manual"
        assert owner.call("POST", path).problem() == (409, "store_disconnected")
        assert store_count(world, owner) == 0

    @pytest.mark.parametrize("imports", ["none", "two that wait", "one that runs"])
    def test_response_equals_the_next_get(self, world: World, imports: str) -> None:
        """Its open imports have failed."""
        owner = world.person()
        workspace, store = world.workspace(owner), world.store(owner)
        for _ in range(["none", "one that runs", "two that wait"].index(imports)):
            make_import(workspace, store, is_running=imports == "one that runs")
        answer = owner.call("POST", f"/stores/{store}/disconnect")
        assert answer.status == 200
        assert answer.json == owner.call("GET", f"/stores/{store}").json
        assert answer.json["connectionStatus"] == "disconnected"
        if imports != "none":
            assert answer.json["importStatus"] == "failed"
            assert answer.json["imports"]["customersOrders"]["error"] == "store_disconnected"
