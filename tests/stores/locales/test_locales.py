"""The workspace's locales, an operation a class."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.persistence.changes import Changes
from storepost.stores.locales.model import Locales, WorkspaceLocaleOrigin
from storepost.stores.locales.repository import LocaleRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


def added(by: Someone, code: str, label: str | None = None) -> dict[str, Any]:
    """A locale that was just created."""
    body = {"code": code} | ({"label": label} if label else {})
    answer = by.call("POST", "/locales", body)
    assert answer.status == 201, answer.body
    row: dict[str, Any] = answer.json
    return row


def listed(by: Someone, **query: object) -> list[dict[str, Any]]:
    """The locales as the list shows them."""
    answer = by.call("GET", "/locales", query=query)
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    rows: list[dict[str, Any]] = answer.json["items"]
    return rows


class TestList:
    """GET /locales."""

    def test_locales_of_other_workspaces_are_not_listed(self, world: World, owner: Someone) -> None:
        added(owner, "de")
        stranger = world.owner()
        assert listed(stranger) == []

    def test_newest_first_with_pages(self, world: World, owner: Someone) -> None:
        codes = ["de", "fr", "it", "es", "pt-BR", "nl", "sv", "da", "fi", "nb", "pl", "cs"]
        for code in codes:
            added(owner, code)
            world.advance(seconds=1)
        answer = owner.call("GET", "/locales", query={"page": 2, "pageSize": 10})
        assert [row["code"] for row in answer.json["items"]] == ["fr", "de"]
        assert {k: answer.json[k] for k in ("total", "page", "pageSize")} == {
            "total": 12,
            "page": 2,
            "pageSize": 10,
        }

    def test_search_and_filter_by_origin(self, owner: Someone) -> None:
        added(owner, "de")
        added(owner, "pt-BR")
        assert [row["code"] for row in listed(owner, q="brazil")] == ["pt-BR"]
        assert [row["code"] for row in listed(owner, q="DE")] == ["de"]
        assert listed(owner, origin="store") == []
        assert len(listed(owner, origin="store,manual")) == 2


class TestCreate:
    """POST /locales."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/code"]),
            ({"code": "klingon"}, ["/code"]),
            ({"code": "xx-YY"}, ["/code"]),
            ({"code": "de", "label": " "}, ["/label"]),
            ({"code": "de", "label": "x" * 256}, ["/label"]),
            ({"code": "de", "isDefault": True}, ["/isDefault"]),
        ],
    )
    def test_bad_input(self, owner: Someone, body: dict[str, Any], paths: list[str]) -> None:
        assert owner.call("POST", "/locales", body).error_paths() == paths
        assert listed(owner) == []

    def test_first_locale_is_the_default(self, owner: Someone) -> None:
        first = added(owner, "DE-at")
        assert first == {
            "id": first["id"],
            "code": "de-AT",
            "label": "German (Austria)",
            "language": "de",
            "region": "AT",
            "origin": "manual",
            "isDefault": True,
            "createdAt": first["createdAt"],
        }
        second = added(owner, "fr", "Our French")
        assert (second["label"], second["region"]) == ("Our French", None)
        assert second["isDefault"] is False
        assert {row["id"] for row in listed(owner)} == {first["id"], second["id"]}

    def test_existing_locale_is_refused(self, owner: Someone) -> None:
        added(owner, "de")
        assert owner.call("POST", "/locales", {"code": "DE"}).problem() == (409, "locale_exists")

    def test_limit_of_500_locales(self, world: World, owner: Someone) -> None:
        """499 locales are stored already, in one write."""
        repository = LocaleRepository(world.workspace(owner))
        locales, changes = repository.get(), Changes()
        for number in range(499):
            new = locales.new(f"de-x-n{number}", None, WorkspaceLocaleOrigin.MANUAL, clock.now())
            locales = locales.put(new)
        repository.save(changes, locales)
        changes.commit()
        added(owner, "de-x-n499")
        assert owner.call("POST", "/locales", {"code": "sv"}).problem() == (409, "locale_limit")


class TestUpdate:
    """PATCH /locales/{id}."""

    def test_bad_input(self, owner: Someone) -> None:
        row = added(owner, "de")
        for body, paths in (
            ({"isDefault": False, "code": "fr"}, ["/code", "/isDefault"]),
            ({"isDefault": None, "label": None}, ["/isDefault", "/label"]),
            ({"isDefault": 1}, ["/isDefault"]),
        ):
            answer = owner.call("PATCH", f"/locales/{row['id']}", body)
            assert sorted(answer.error_paths()) == paths

    def test_old_default_is_cleared(self, owner: Someone) -> None:
        german, french = added(owner, "de"), added(owner, "fr")
        answer = owner.call("PATCH", f"/locales/{french['id']}", {"label": "Fr", "isDefault": True})
        rows = {row["id"]: row for row in listed(owner)}
        assert (answer.status, answer.json) == (200, rows[french["id"]])
        assert rows[french["id"]] == {**french, "label": "Fr", "isDefault": True}
        assert rows[german["id"]] == {**german, "isDefault": False}


class TestDelete:
    """DELETE /locales/{id}."""

    def test_default_locale_cannot_be_deleted(self, owner: Someone) -> None:
        row = added(owner, "de")
        assert owner.call("DELETE", f"/locales/{row['id']}").problem() == (409, "locale_default")

    def test_locale_of_a_store_cannot_be_deleted(self, world: World, owner: Someone) -> None:
        added(owner, "sv")
        world.store(owner, primaryLocale="de")
        [german] = listed(owner, origin="store")
        answer = owner.call("DELETE", f"/locales/{german['id']}")
        assert answer.problem() == (409, "locale_from_store")

    def test_deleted_and_repeatable(self, owner: Someone) -> None:
        german, french = added(owner, "de"), added(owner, "fr")
        path = f"/locales/{french['id']}"
        assert owner.call("DELETE", path, key="k").status == 204
        again = owner.call("DELETE", path, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        assert [row["id"] for row in listed(owner)] == [german["id"]]
        assert owner.call("DELETE", path).status == 204


class TestStoreLocales:
    """The stores' locales decide `origin`, whatever the order of changes."""

    @given(
        st.lists(st.lists(st.sampled_from(["de", "fr", "it", "es"]), max_size=4), max_size=6),
        st.sets(st.sampled_from(["de", "sv"])),
    )
    def test_origin_follows_the_current_locales_of_the_stores(
        self, history: list[list[str]], manual: set[str]
    ) -> None:
        workspace, now = WorkspaceScope(new_id()), clock.now()
        locales = Locales(workspace, {})
        for code in sorted(manual):
            locales = locales.put(
                locales.new(code, f"My {code}", WorkspaceLocaleOrigin.MANUAL, now)
            )
        for codes in history:
            locales = locales.with_store_locales(codes, now)
        ever = {code for codes in history for code in codes}
        current = set(history[-1]) if history else set()
        rows = locales.by_code
        assert set(rows) == ever | manual
        assert {
            code for code, row in rows.items() if row.origin is WorkspaceLocaleOrigin.STORE
        } == current
        assert all(rows[code].label == f"My {code}" for code in manual)
        assert [row.is_default for row in rows.values()].count(True) == bool(rows)
