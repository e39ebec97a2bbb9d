"""Change proposals: the list, one of them, and what is read again."""

import pytest

from storepost.definitions.definitions.patching import Inapplicable
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.definitions.proposals import reading, service
from storepost.values.problems import FieldError
from tests.definitions.proposals.proposal_scenario import REPLACED, TEMPLATE, WRITE, Body, Desk


class TestList:
    """GET /change-proposals."""

    def test_newest_or_oldest_first(self, desk: Desk) -> None:
        rows = []
        for number in range(12):
            rows.append(summary(desk.propose(name=f"No. {number}")))
            desk.world.advance(seconds=1)
        page = desk.get("/change-proposals", page=2, pageSize=10)
        assert page == {"items": [rows[1], rows[0]], "total": 12, "page": 2, "pageSize": 10}
        page = desk.get("/change-proposals", sort="createdAt", pageSize=10)
        assert page["items"] == rows[:10]

    def test_filters(self, desk: Desk) -> None:
        definition = desk.define()
        stale = desk.change(definition, REPLACED)
        desk.approve(desk.change(definition, {**REPLACED, "value": "Other"}))
        fresh = desk.propose(desk.member.token, kind="email_template", definition=TEMPLATE)
        current = desk.get(f"/definitions/{definition['id']}")
        change = desk.change(current, REPLACED, token=desk.keys[WRITE])

        def found(**query: object) -> list[str]:
            return [row["id"] for row in desk.get("/change-proposals", **query)["items"]]

        def ids(*proposals: Body) -> list[str]:
            return [proposal["id"] for proposal in proposals]

        assert found(status="open") == ids(change, fresh, stale)
        assert found(stale="true") == ids(stale)
        assert found(stale="false", status="open") == ids(change, fresh)
        assert found(kind="email_template,flow") == ids(fresh)
        assert found(author=str(desk.member.id)) == ids(fresh)
        assert found(author=str(desk.world.key_of(desk.keys[WRITE]).id)) == ids(change)
        assert found(definitionId=definition["id"], status="open") == ids(change, stale)
        assert len(found(definitionId=definition["id"])) == 4  # the one that made it too
        assert found(status="rejected") == []

    def test_too_many_to_filter(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        for _ in range(2):
            desk.propose()
        monkeypatch.setattr(reading, "MAX_ROWS", 1)
        answer = desk.send(desk.owner.token, "GET", "/change-proposals", query={"kind": "segment"})
        assert answer.problem() == (422, "filter_too_broad")
        assert desk.get("/change-proposals", page=2, pageSize=10)["total"] == 2

    @pytest.mark.parametrize("page", [2, 10**6])
    def test_page_past_the_end_is_empty(self, desk: Desk, page: int) -> None:
        desk.propose()
        found = desk.get("/change-proposals", page=page)
        assert found == {"items": [], "total": 1, "page": page, "pageSize": 25}


class TestRevalidation:
    """A proposal is validated again by every operation that reads it later."""

    def test_patch_that_no_longer_applies(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = f"/change-proposals/{desk.change(desk.define(), REPLACED)['id']}"

        def refuse(*_: object) -> None:
            raise Inapplicable(0, "It doesn't fit")

        monkeypatch.setattr(reading, "patched", refuse)
        requests = [("GET", path), ("POST", f"{path}/approve"), ("POST", f"{path}/reject")]
        for method, at in requests:
            answer = desk.send(desk.owner.token, method, at)
            assert answer.problem() == (422, "patch_failed")
            assert [error["path"] for error in answer.json["errors"]] == ["/patch/0"]
        monkeypatch.undo()
        assert desk.get(path)["status"] == "open"

    def test_result_that_the_current_schema_refuses(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        definition = desk.define()
        path = f"/change-proposals/{desk.change(definition, REPLACED)['id']}"

        def refuse(*_: object) -> None:
            raise SchemaMismatch(errors=[FieldError("/name", "It must be another")])

        monkeypatch.setattr(service, "check", refuse)
        answer = desk.send(desk.owner.token, "POST", f"{path}/approve")
        assert answer.problem() == (422, "schema_mismatch")
        assert [error["path"] for error in answer.json["errors"]] == ["/patch"]
        assert desk.get(path)["status"] == "open"
        assert desk.get(f"/definitions/{definition['id']}/versions")["total"] == 1


def summary(proposal: Body) -> Body:
    """A proposal as lists show it."""
    more = {
        "baseVersionId",
        "schemaVersion",
        "definition",
        "patch",
        "resultVersionId",
        "reviewNote",
    }
    return {name: value for name, value in proposal.items() if name not in more}
