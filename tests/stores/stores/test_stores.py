"""Custom stores, an operation a class."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.platform.fetching import guard
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.idempotency import RecordItem, unpacked
from storepost.stores.imports.model import ImportScope, ImportStage
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.service import queue_import, start_import
from storepost.stores.locales import service as locales
from storepost.stores.stores.write_back import WriteBackRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import before_the_commit
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


@pytest.fixture(autouse=True)
def _public_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name resolves to a public address, so that no test uses a resolver."""
    monkeypatch.setattr(guard, "resolve", lambda _host, _port: ["93.184.216.34"])


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
        stranger = world.person()
        world.workspace(stranger)
        assert world.call("GET", "/stores", token=stranger.token).json["items"] == []

    def test_bad_input(self, world: World, owner: Someone) -> None:
        query = {"platform": "amazon", "status": "x", "sort": "id", "connectionStatus": "y"}
        answer = world.call("GET", "/stores", token=owner.token, query=query)
        assert sorted(answer.error_paths()) == [
            "query.connectionStatus",
            "query.platform",
            "query.sort",
            "query.status",
        ]

    def test_filters_and_sorts(self, world: World, owner: Someone) -> None:
        ids = {}
        for name in ("Zoë's", "anna", "Bo & Co"):
            ids[name] = world.store(owner, name=name, externalId=name)
            world.advance(seconds=1)
        world.call("POST", f"/stores/{ids['anna']}/disconnect", token=owner.token)

        def names(**query: object) -> list[str]:
            answer = world.call("GET", "/stores", token=owner.token, query=query)
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

    def test_complete_summary(self, world: World, owner: Someone) -> None:
        body = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
        [row] = world.call("GET", "/stores", token=owner.token).json["items"]
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
        answer = world.call("POST", "/stores", token=owner.token, json_body={**NEW, **change})
        assert answer.error_paths() == paths
        assert store_count(world, owner) == 0

    def test_creates_a_connected_store(self, world: World, owner: Someone) -> None:
        answer = world.call(
            "POST",
            "/stores",
            token=owner.token,
            json_body={
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
        [locale] = world.call("GET", "/locales", token=owner.token).json["items"]
        assert (locale["code"], locale["origin"], locale["isDefault"]) == ("de-AT", "store", True)

    def test_already_connected_store_is_refused(self, world: World, owner: Someone) -> None:
        world.call("POST", "/stores", token=owner.token, json_body=NEW)
        answer = world.call("POST", "/stores", token=owner.token, json_body=NEW)
        assert answer.problem() == (409, "store_exists")

    def test_same_store_in_another_workspace(self, world: World, owner: Someone) -> None:
        first = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
        stranger = world.person()
        world.workspace(stranger)
        second = world.call("POST", "/stores", token=stranger.token, json_body=NEW)
        assert second.status == 201
        assert second.json["id"] != first["id"]

    def test_reconnects_under_the_same_id(self, world: World, owner: Someone) -> None:
        first = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
        world.call("POST", f"/stores/{first['id']}/disconnect", token=owner.token)
        assert store_count(world, owner) == 0
        world.advance(hours=1)
        again = world.call("POST", "/stores", token=owner.token, json_body={**NEW, "name": "New"})
        assert again.status == 200
        assert again.json == expected(again.json, name="New")
        assert again.json["id"] == first["id"]
        assert again.json["connectedAt"] > first["connectedAt"]
        assert store_count(world, owner) == 1

    def test_reconnected_store_keeps_its_locales(self, world: World, owner: Someone) -> None:
        store = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
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
        put = world.call("PUT", f"{path}/locales", token=owner.token, json_body=[austrian, english])
        assert put.status == 200
        world.call("POST", f"{path}/disconnect", token=owner.token)
        assert world.call("POST", "/stores", token=owner.token, json_body=NEW).status == 200
        shown = world.call("GET", f"{path}/locales", token=owner.token)
        assert shown.json["items"] == [austrian, english]

    def test_reconnected_store_with_another_primary_locale(
        self, world: World, owner: Someone
    ) -> None:
        store = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
        path = f"/stores/{store['id']}"
        rows = world.call("GET", f"{path}/locales", token=owner.token).json["items"]
        english = {
            **rows[0],
            "locale": "en",
            "label": "Shop",
            "isPrimary": False,
            "currency": "GBP",
        }
        world.call("PUT", f"{path}/locales", token=owner.token, json_body=[*rows, english])
        world.call("POST", f"{path}/disconnect", token=owner.token)
        moved = {**NEW, "primaryLocale": "en", "storefrontUrl": "https://new.example.com/"}
        assert world.call("POST", "/stores", token=owner.token, json_body=moved).status == 200
        shown = world.call("GET", f"{path}/locales", token=owner.token).json["items"]
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

    def test_complete_response(self, world: World, owner: Someone) -> None:
        made = world.call("POST", "/stores", token=owner.token, json_body=NEW).json
        answer = world.call("GET", f"/stores/{made['id']}", token=owner.token)
        assert (answer.status, answer.json) == (200, made)


class TestUpdate:
    """PATCH /stores/{id}."""

    def test_bad_input(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        body = {"name": None, "currency": "USD", "storefrontUrl": "x"}
        answer = world.call("PATCH", f"/stores/{store}", token=owner.token, json_body=body)
        assert sorted(answer.error_paths()) == ["/currency", "/name", "/storefrontUrl"]

    def test_null_clears_and_missing_field_is_unchanged(self, world: World, owner: Someone) -> None:
        body = {**NEW, "storefrontUrl": "https://o.example.com", "contactEmail": "a@example.com"}
        made = world.call("POST", "/stores", token=owner.token, json_body=body).json
        answer = world.call(
            "PATCH",
            f"/stores/{made['id']}",
            token=owner.token,
            json_body={"name": "Renamed", "contactEmail": None},
        )
        assert answer.status == 200
        assert answer.json == {**made, "name": "Renamed", "contactEmail": None}
        stored = world.call("GET", f"/stores/{made['id']}", token=owner.token)
        assert stored.json == answer.json


class TestDisconnect:
    """POST /stores/{id}/disconnect."""

    def test_disconnected_store_no_longer_counts(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/disconnect"
        assert world.call("POST", path, token=owner.token).status == 200
        body = world.call("GET", f"/stores/{store}", token=owner.token).json
        assert (body["status"], body["connectionStatus"]) == ("disconnected", "disconnected")
        [locale] = world.call("GET", "/locales", token=owner.token).json["items"]
        assert locale["origin"] == "manual"
        answer = world.call("POST", path, token=owner.token)
        assert answer.problem() == (409, "store_disconnected")
        assert store_count(world, owner) == 0

    @pytest.mark.parametrize("imports", ["none", "two that wait", "one that runs"])
    def test_response_equals_the_next_get(self, world: World, imports: str) -> None:
        """Its open imports have failed."""
        owner = world.person()
        workspace, store = world.workspace(owner), world.store(owner)
        for _ in range(["none", "one that runs", "two that wait"].index(imports)):
            make_import(workspace, store, is_running=imports == "one that runs")
        answer = world.call("POST", f"/stores/{store}/disconnect", token=owner.token)
        assert answer.status == 200
        assert answer.json == world.call("GET", f"/stores/{store}", token=owner.token).json
        assert answer.json["connectionStatus"] == "disconnected"
        if imports != "none":
            assert answer.json["importStatus"] == "failed"
            assert answer.json["imports"]["customersOrders"]["error"] == "store_disconnected"


ROWS: list[dict[str, Any]] = [
    {
        "locale": "de-AT",
        "label": "Deutsch",
        "isPrimary": False,
        "country": "AT",
        "currency": "EUR",
        "url": None,
    },
    {
        "locale": "fr",
        "label": "Français",
        "isPrimary": True,
        "country": "FR",
        "currency": "EUR",
        "url": "https://fr.olive.example.com",
    },
]


class TestLocales:
    """GET and PUT /stores/{id}/locales."""

    def test_unknown_store(self, world: World, owner: Someone) -> None:
        path = f"/stores/{uuid4()}/locales"
        assert world.call("GET", path, token=owner.token).problem() == (404, "not_found")

    def test_malformed_id_or_query(self, world: World, owner: Someone) -> None:
        answer = world.call("GET", "/stores/none/locales", token=owner.token, query={"page": 0})
        assert answer.error_paths() == ["path.id", "query.page"]
        answer = world.call("PUT", "/stores/none/locales", token=owner.token, json_body=ROWS)
        assert answer.error_paths() == ["path.id"]

    @pytest.mark.parametrize(
        "body",
        [
            [],
            [{**ROWS[0]}],
            [{**ROWS[1]}, {**ROWS[1]}],
            [{**ROWS[0], "isPrimary": True}, ROWS[1]],
            [ROWS[1]] + [{**ROWS[0], "locale": f"de-{n}"} for n in range(100, 140)],
        ],
    )
    def test_invalid_list_is_refused(self, world: World, owner: Someone, body: object) -> None:
        path = f"/stores/{world.store(owner)}/locales"
        answer = world.call("PUT", path, token=owner.token, json_body=body)
        assert answer.problem() == (422, "validation")
        assert world.call("GET", path, token=owner.token).json["total"] == 1

    @pytest.mark.parametrize("primary", ["es-419", "en-001", "eo", "de", "zh-Hant"])
    def test_locales_of_a_new_store_can_be_written_back(
        self, world: World, owner: Someone, primary: str
    ) -> None:
        """A region such as Latin America is no country."""
        path = f"/stores/{world.store(owner, primaryLocale=primary)}/locales"
        [locale] = world.call("GET", path, token=owner.token).json["items"]
        country = {"de": "DE", "zh-Hant": "TW"}.get(primary, "ZZ")
        assert (locale["locale"], locale["country"]) == (primary, country)
        answer = world.call("PUT", path, token=owner.token, json_body=[locale])
        assert (answer.status, answer.json["items"]) == (200, [locale])

    def test_bad_input(self, world: World, owner: Someone) -> None:
        path = f"/stores/{world.store(owner)}/locales"
        body: list[dict[str, Any]] = [{**ROWS[1], "country": "France", "currency": "F"}]
        answer = world.call("PUT", path, token=owner.token, json_body=body)
        assert sorted(answer.error_paths()) == ["/0/country", "/0/currency"]

    def test_locales_of_the_workspace_are_updated(self, world: World, owner: Someone) -> None:
        store = world.store(owner, primaryLocale="de-AT")
        path = f"/stores/{store}/locales"
        answer = world.call("PUT", path, token=owner.token, json_body=ROWS)
        assert answer.status == 200
        assert answer.json == {"items": ROWS, "total": 2, "page": 1, "pageSize": 100}
        assert world.call("GET", path, token=owner.token).json["items"] == ROWS
        body = world.call("GET", f"/stores/{store}", token=owner.token).json
        assert (body["primaryLocale"], body["localeCount"]) == ("fr", 2)
        world.call("PUT", path, token=owner.token, json_body=ROWS[1:])
        rows = world.call("GET", "/locales", token=owner.token).json["items"]
        assert {row["code"]: row["origin"] for row in rows} == {"fr": "store", "de-AT": "manual"}

    @pytest.mark.parametrize(
        ("remaining", "origins"),
        [
            (["de-AT"], {"de-AT": "store", "it": "manual"}),
            (["de-AT", "it"], {"de-AT": "store", "it": "store"}),
        ],
    )
    def test_concurrent_changes_of_two_stores(
        self, world: World, owner: Someone, remaining: list[str], origins: dict[str, str]
    ) -> None:
        """Each store removes a locale that the other has, or one removes what the other adds."""
        paths = [f"/stores/{world.store(owner)}/locales" for _ in range(2)]

        def put(path: str, *codes: str) -> None:
            body = [{**ROWS[0], "locale": code, "isPrimary": code == "de-AT"} for code in codes]
            assert world.call("PUT", path, token=owner.token, json_body=body).status == 200

        put(paths[0], "de-AT", "it")
        put(paths[1], "de-AT", *(["it"] if len(remaining) == 1 else []))
        with before_the_commit(lambda: put(paths[1], *remaining)):
            put(paths[0], "de-AT")
        rows = world.call("GET", "/locales", token=owner.token).json["items"]
        assert {row["code"]: row["origin"] for row in rows} == origins

    def test_locale_limit_of_the_workspace(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A disconnected store's locales stay, so disconnecting is never refused."""
        store = world.store(owner, primaryLocale="de-AT")
        monkeypatch.setattr(locales, "MAX_LOCALES", 2)
        path = f"/stores/{store}/locales"
        answer = world.call("PUT", path, token=owner.token, json_body=ROWS)
        assert answer.status == 200
        answer = world.call("PUT", path, token=owner.token, json_body=[{**ROWS[1], "locale": "it"}])
        assert answer.problem() == (409, "locale_limit")
        assert world.call("GET", path, token=owner.token).json["items"] == ROWS
        monkeypatch.setattr(locales, "MAX_LOCALES", 1)
        answer = world.call("POST", f"/stores/{store}/disconnect", token=owner.token)
        assert answer.status == 200
        known = {"name": "Shop", "currency": "EUR", "primaryLocale": "sv", "platform": "custom"}
        body = {**known, "externalId": "other", "adminUrl": "https://admin.example.com/"}
        answer = world.call("POST", "/stores", token=owner.token, json_body=body)
        assert answer.problem() == (409, "locale_limit")


class TestWriteBack:
    """PUT, GET, DELETE /stores/{id}/write-back and POST …/rotate."""

    def test_unknown(self, world: World, owner: Someone) -> None:
        path = f"/stores/{world.store(owner)}/write-back"
        for method in ("GET", "DELETE"):
            answer = world.call(method, path, token=owner.token)
            assert answer.problem() == (404, "not_found")
        answer = world.call("POST", f"{path}/rotate", token=owner.token)
        assert answer.problem() == (404, "not_found")

    @pytest.mark.parametrize(
        "url", ["http://hooks.example.com/", "https://127.0.0.1/", "https://localhost/", "x"]
    )
    def test_url_not_allowed(self, world: World, owner: Someone, url: str) -> None:
        path = f"/stores/{world.store(owner)}/write-back"
        answer = world.call("PUT", path, token=owner.token, json_body={"url": url})
        assert answer.problem() == (422, "url_not_allowed")
        assert [error["path"] for error in answer.json["errors"]] == ["/url"]

    def test_secret_is_returned_only_by_the_first_put(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        first = world.call("PUT", path, token=owner.token, json_body={"url": HOOK})
        assert first.status == 200
        assert set(first.json) == {"url", "secret"}
        assert first.json["secret"].startswith("whsec_")
        again = world.call("PUT", path, token=owner.token, json_body={"url": HOOK + "2"})
        assert again.json == {"url": HOOK + "2", "secret": None}
        answer = world.call("GET", path, token=owner.token)
        assert answer.json == {"url": HOOK + "2", "lastSucceededAt": None, "lastError": None}
        body = world.call("GET", f"/stores/{store}", token=owner.token).json
        assert body["permissions"] == {"coupons": True, "consent": True}

    def test_old_secret_signs_for_24_hours_after_rotation(
        self, world: World, owner: Someone
    ) -> None:
        workspace: WorkspaceScope = world.workspace(owner)
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        old = world.call("PUT", path, token=owner.token, json_body={"url": HOOK}).json["secret"]
        new = world.call("POST", f"{path}/rotate", token=owner.token).json["secret"]
        repository = WriteBackRepository(workspace)
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (new, old)
        world.advance(hours=23)
        newest = world.call("POST", f"{path}/rotate", token=owner.token).json["secret"]
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (newest, new, old)
        world.advance(hours=1)
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (newest, new)

    def test_delete_revokes_the_consent_permission(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        world.call("PUT", path, token=owner.token, json_body={"url": HOOK})
        assert world.call("DELETE", path, token=owner.token).status == 204
        assert world.call("GET", path, token=owner.token).problem() == (404, "not_found")
        body = world.call("GET", f"/stores/{store}", token=owner.token).json
        assert body["permissions"]["consent"] is False

    def test_replay_only_for_the_same_session(self, world: World, owner: Someone) -> None:
        workspace = world.workspace(owner)
        path = f"/stores/{world.store(owner)}/write-back"
        body = {"url": HOOK}
        first = world.call("PUT", path, token=owner.token, json_body=body, key="k")
        again = world.call("PUT", path, token=owner.token, json_body=body, key="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        other, _ = world.sign_in(owner.id, workspace)
        answer = world.call("PUT", path, token=other, json_body=body, key="k")
        assert answer.problem() == (409, "idempotency_secret_sealed")
        secret = first.json["secret"]
        stored = [str(unpacked(record.answer)) for record in RecordItem.scan() if record.answer]
        assert stored
        assert all(secret not in answer for answer in stored)
        assert all(secret not in str(row.attribute_values) for row in world.rows())
