"""The locales of a custom store."""

from typing import Any
from uuid import uuid4

import pytest

from storepost.stores.locales import service as locales
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import Someone, World

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

    def test_unknown_store(self, owner: Someone) -> None:
        path = f"/stores/{uuid4()}/locales"
        assert owner.call("GET", path).problem() == (404, "not_found")

    def test_malformed_id_or_query(self, owner: Someone) -> None:
        answer = owner.call("GET", "/stores/none/locales", query={"page": 0})
        assert answer.error_paths() == ["path.id", "query.page"]
        answer = owner.call("PUT", "/stores/none/locales", ROWS)
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
        assert owner.call("PUT", path, body).problem() == (422, "validation")
        assert owner.call("GET", path).json["total"] == 1

    @pytest.mark.parametrize("primary", ["es-419", "en-001", "eo", "de", "zh-Hant"])
    def test_locales_of_a_new_store_can_be_written_back(
        self, world: World, owner: Someone, primary: str
    ) -> None:
        """A region such as Latin America is no country."""
        path = f"/stores/{world.store(owner, primaryLocale=primary)}/locales"
        [locale] = owner.call("GET", path).json["items"]
        country = {"de": "DE", "zh-Hant": "TW"}.get(primary, "ZZ")
        assert (locale["locale"], locale["country"]) == (primary, country)
        answer = owner.call("PUT", path, [locale])
        assert (answer.status, answer.json["items"]) == (200, [locale])

    def test_bad_input(self, world: World, owner: Someone) -> None:
        path = f"/stores/{world.store(owner)}/locales"
        body: list[dict[str, Any]] = [{**ROWS[1], "country": "France", "currency": "F"}]
        answer = owner.call("PUT", path, body)
        assert sorted(answer.error_paths()) == ["/0/country", "/0/currency"]

    def test_locales_of_the_workspace_are_updated(self, world: World, owner: Someone) -> None:
        store = world.store(owner, primaryLocale="de-AT")
        path = f"/stores/{store}/locales"
        answer = owner.call("PUT", path, ROWS)
        assert answer.status == 200
        assert answer.json == {"items": ROWS, "total": 2, "page": 1, "pageSize": 100}
        assert owner.call("GET", path).json["items"] == ROWS
        body = owner.call("GET", f"/stores/{store}").json
        assert (body["primaryLocale"], body["localeCount"]) == ("fr", 2)
        owner.call("PUT", path, ROWS[1:])
        rows = owner.call("GET", "/locales").json["items"]
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
            assert owner.call("PUT", path, body).status == 200

        put(paths[0], "de-AT", "it")
        put(paths[1], "de-AT", *(["it"] if len(remaining) == 1 else []))
        with before_the_commit(lambda: put(paths[1], *remaining)):
            put(paths[0], "de-AT")
        rows = owner.call("GET", "/locales").json["items"]
        assert {row["code"]: row["origin"] for row in rows} == origins

    def test_locale_limit_of_the_workspace(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A disconnected store's locales stay, so disconnecting is never refused."""
        store = world.store(owner, primaryLocale="de-AT")
        monkeypatch.setattr(locales, "MAX_LOCALES", 2)
        path = f"/stores/{store}/locales"
        answer = owner.call("PUT", path, ROWS)
        assert answer.status == 200
        answer = owner.call("PUT", path, [{**ROWS[1], "locale": "it"}])
        assert answer.problem() == (409, "locale_limit")
        assert owner.call("GET", path).json["items"] == ROWS
        monkeypatch.setattr(locales, "MAX_LOCALES", 1)
        answer = owner.call("POST", f"/stores/{store}/disconnect")
        assert answer.status == 200
        known = {"name": "Shop", "currency": "EUR", "primaryLocale": "sv", "platform": "custom"}
        body = {**known, "externalId": "other", "adminUrl": "https://admin.example.com/"}
        answer = owner.call("POST", "/stores", body)
        assert answer.problem() == (409, "locale_limit")
