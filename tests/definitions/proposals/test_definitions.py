"""Definitions and their schemas, an operation a class."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.platform.persistence.item import find
from storepost.values import pagination
from storepost.values.scope import PersonScope
from tests.definitions.proposals.proposal_scenario import (
    NOWHERE,
    REPLACED,
    SEGMENT,
    TEMPLATE,
    Desk,
    JustNow,
    flow,
)


class TestSchemas:
    """GET /definition-schemas."""

    def test_lists_each_kind(self, desk: Desk) -> None:
        rows = [
            ("segment", "segments", "Segment"),
            ("email_template", "email_templates", "Email template"),
            ("flow", "flows", "Flow"),
        ]
        names = ("kind", "resource", "label")
        assert desk.get("/definition-schemas") == {
            "items": [{**dict(zip(names, row, strict=True)), "schemaVersion": 1} for row in rows],
            "total": 3,
            "page": 1,
            "pageSize": 25,
        }
        assert desk.get("/definition-schemas", page=2)["items"] == []


class TestSchema:
    """GET /definition-schemas/{kind}."""

    @pytest.mark.parametrize("kind", ["segment", "email_template", "flow"])
    def test_is_json_schema_of_2020_12(self, desk: Desk, kind: str) -> None:
        schema = desk.get(f"/definition-schemas/{kind}")
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        Draft202012Validator.check_schema(schema)
        assert desk.get(f"/definition-schemas/{kind}", schemaVersion=1) == schema

    def test_is_answered_once_with_its_tag(self, desk: Desk) -> None:
        token, path = desk.keys[KeyScope.READ], "/definition-schemas/segment"
        tag = desk.send(token, "GET", path).header("etag")
        assert tag
        again = desk.send(token, "GET", path, headers={"if-none-match": tag})
        assert (again.status, again.body) == (304, b"")

    def test_unknown_kind_or_version_is_not_found(self, desk: Desk) -> None:
        token = desk.keys[KeyScope.READ]
        for path, query in (
            ("/definition-schemas/poem", {}),
            ("/definition-schemas/segment", {"schemaVersion": 2}),
        ):
            assert desk.send(token, "GET", path, query=query).problem() == (404, "not_found")

    @pytest.mark.parametrize(
        ("kind", "definition"),
        [("segment", SEGMENT), ("email_template", TEMPLATE), ("flow", flow(NOWHERE))],
    )
    def test_definition_that_matches_the_schema_is_accepted(
        self, desk: Desk, kind: str, definition: object
    ) -> None:
        """A definition that the published schema accepts may be proposed."""
        Draft202012Validator(desk.get(f"/definition-schemas/{kind}")).validate(definition)
        proposal = desk.propose(kind=kind, definition=definition)
        assert proposal["definition"] == definition


class TestList:
    """GET /definitions."""

    def test_newest_first_with_the_current_version(self, desk: Desk) -> None:
        first = desk.define(name="First")
        desk.world.advance(minutes=1)
        second = desk.define(kind="email_template", name="Second", definition=TEMPLATE)
        assert desk.get("/definitions") == {
            "items": [second, first],
            "total": 2,
            "page": 1,
            "pageSize": 25,
        }

    def test_filtered_by_kind_and_search(self, desk: Desk) -> None:
        segment = desk.define(name="Gute Käufer")
        template = desk.define(kind="email_template", name="Gute Wünsche", definition=TEMPLATE)
        assert desk.get("/definitions", kind="segment")["items"] == [segment]
        assert desk.get("/definitions", kind="segment,flow", q="gut")["items"] == [segment]
        assert desk.get("/definitions", q="WUNSCH")["items"] == [template]
        assert desk.get("/definitions", q="nothing")["total"] == 0

    def test_pages(self, desk: Desk) -> None:
        names = [f"No. {number}" for number in range(11)]
        for name in names:
            desk.define(name=name)
            desk.world.advance(seconds=1)
        page = desk.get("/definitions", page=2, pageSize=10)
        assert ([row["name"] for row in page["items"]], page["total"]) == (["No. 0"], 11)

    def test_definitions_of_other_workspaces_are_not_listed(self, desk: Desk) -> None:
        desk.define()
        assert Desk(desk.world).get("/definitions")["total"] == 0

    def test_page_too_large(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        desk.define()
        monkeypatch.setattr(pagination, "MAX_ANSWERED", 10)
        answer = desk.send(desk.owner.token, "GET", "/definitions")
        assert answer.problem() == (422, "page_too_large")


class TestGet:
    """GET /definitions/{id}."""

    def test_current_version(self, desk: Desk) -> None:
        proposal = desk.propose()
        desk.world.advance(minutes=5)
        approved = desk.approve(proposal)
        assert desk.get(f"/definitions/{approved['definitionId']}") == {
            "id": approved["definitionId"],
            "kind": "segment",
            "name": proposal["name"],
            "versionId": approved["resultVersionId"],
            "schemaVersion": 1,
            "definition": SEGMENT,
            "createdAt": JustNow(),
            "updatedAt": JustNow(),
        }

    def test_after_a_change(self, desk: Desk) -> None:
        before = desk.define()
        desk.world.advance(minutes=5)
        approved = desk.approve(desk.change(before, REPLACED))
        after = desk.get(f"/definitions/{before['id']}")
        assert after == {
            **before,
            "versionId": approved["resultVersionId"],
            "definition": {**SEGMENT, "description": "Buys"},
            "updatedAt": JustNow(),
        }


class TestVersions:
    """GET /definitions/{id}/versions and /versions/{versionId}."""

    def test_newest_first_and_immutable(self, desk: Desk) -> None:
        first = desk.define()
        desk.world.advance(minutes=5)
        proposal = desk.change(first, REPLACED, token=desk.member.token)
        approved = desk.approve(proposal)
        path = f"/definitions/{first['id']}/versions"
        page = desk.get(path)
        assert page["total"] == 2
        newest, oldest = page["items"]
        key = desk.world.key_of(desk.keys[KeyScope.PROPOSE])
        author: dict[str, Any] = {"type": "api_key", "id": str(key.id), "name": key.name}
        assert oldest == {**first, "author": author, "proposalId": oldest["proposalId"]}
        current = desk.get(f"/definitions/{first['id']}")
        assert newest == {
            **current,
            "createdAt": current["updatedAt"],
            "author": {"type": "user", "id": str(desk.member.id), "name": desk.member.name},
            "proposalId": approved["id"],
        }
        for version in (newest, oldest):
            assert desk.get(f"{path}/{version['versionId']}") == version
        for number in (2, 10**6):
            beyond = {"items": [], "total": 2, "page": number, "pageSize": 25}
            assert desk.get(path, page=number) == beyond

    def test_pages(self, desk: Desk) -> None:
        definition = desk.define()
        ids = [definition["versionId"]]
        for number in range(11):
            desk.world.advance(seconds=1)
            patch = {**REPLACED, "value": f"No. {number}"}
            current = desk.get(f"/definitions/{definition['id']}")
            ids.append(desk.approve(desk.change(current, patch))["resultVersionId"])
        page = desk.get(f"/definitions/{definition['id']}/versions", page=2, pageSize=10)
        assert [row["versionId"] for row in page["items"]] == [ids[1], ids[0]]
        assert page["total"] == 12

    def test_author_of_deleted_account_is_null(self, desk: Desk) -> None:
        definition = desk.define(token=desk.member.token)
        row = find(PersonItem, person_key(PersonScope(desk.member.id)))
        assert row is not None
        row.delete()
        [version] = desk.get(f"/definitions/{definition['id']}/versions")["items"]
        assert version["author"] == {"type": "user", "id": None, "name": None}

    def test_page_too_large(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        definition = desk.define()
        monkeypatch.setattr(pagination, "MAX_ANSWERED", 10)
        answer = desk.send(desk.owner.token, "GET", f"/definitions/{definition['id']}/versions")
        assert answer.problem() == (422, "page_too_large")
