"""Change proposals, an operation a class."""

import json

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.definitions.definitions.patching import (
    Inapplicable,
    JsonPatchOp,
    Operation,
    patched,
)
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.definitions.proposals import reading, service
from storepost.definitions.proposals.schemas import MAX_OPERATIONS
from storepost.values.problems import FieldError
from tests.definitions.proposals.desk import (
    NOWHERE,
    REPLACED,
    SEGMENT,
    TEMPLATE,
    Body,
    Desk,
    JustNow,
)
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import Answer

LEASE_SECONDS = 60
"""Longer than any function of the API may run."""

PROPOSE, READ, WRITE = KeyScope.PROPOSE, KeyScope.READ, KeyScope.WRITE


def test_another_workspaces_are_invisible(desk: Desk) -> None:
    theirs = f"/change-proposals/{Desk(desk.world).propose()['id']}"
    assert desk.get("/change-proposals")["total"] == 0
    for method, path in (
        ("GET", theirs),
        ("POST", f"{theirs}/approve"),
        ("POST", f"{theirs}/reject"),
        ("DELETE", theirs),
    ):
        assert desk.send(desk.owner.token, method, path).problem() == (404, "not_found")


def test_an_id_that_is_none(desk: Desk) -> None:
    one = "/change-proposals/7"
    for method, path in (
        ("GET", one),
        ("POST", f"{one}/approve"),
        ("POST", f"{one}/reject"),
        ("DELETE", one),
    ):
        assert desk.send(desk.owner.token, method, path).error_paths() == ["path.id"]


class TestProposeDefinition:
    """POST /change-proposals of a new definition."""

    def test_all_of_the_answer(self, desk: Desk) -> None:
        key = desk.world.key_of(desk.keys[PROPOSE])
        proposal = desk.propose(name="Buyers", summary="They buy")
        assert proposal == {
            "id": proposal["id"],
            "kind": "segment",
            "definitionId": None,
            "name": "Buyers",
            "summary": "They buy",
            "status": "open",
            "stale": False,
            "author": {"type": "api_key", "id": str(key.id), "name": key.name},
            "createdAt": JustNow(),
            "reviewedBy": None,
            "reviewedAt": None,
            "baseVersionId": None,
            "schemaVersion": 1,
            "definition": SEGMENT,
            "patch": [],
            "resultVersionId": None,
            "reviewNote": None,
        }
        assert desk.get(f"/change-proposals/{proposal['id']}") == proposal
        assert desk.get("/definitions")["total"] == 0

    def test_a_reading_key(self, desk: Desk) -> None:
        answer = desk.send(desk.keys[READ], "POST", "/change-proposals", {})
        assert answer.problem() == (403, "scope")

    def test_bad_input(self, desk: Desk) -> None:
        token = desk.owner.token
        assert sorted(desk.send(token, "POST", "/change-proposals", {}).error_paths()) == [
            "/definition",
            "/kind",
            "/name",
            "/summary",
        ]
        body = {"kind": "poem", "name": "", "summary": "x" * 256, "definition": {}, "note": "?"}
        assert sorted(desk.send(token, "POST", "/change-proposals", body).error_paths()) == [
            "/kind",
            "/name",
            "/note",
            "/summary",
        ]

    @pytest.mark.parametrize(
        ("kind", "definition", "path"),
        [
            ("segment", {}, "/definition/condition"),
            ("segment", [], "/definition"),
            ("segment", None, "/definition"),
            ("segment", {"condition": {"type": "some"}}, "/definition/condition/type"),
            (
                "segment",
                {"condition": {"type": "not", "condition": {"type": "consent", "states": ["x"]}}},
                "/definition/condition/condition/channel",
            ),
            (
                "segment",
                {"condition": {"type": "profile", "field": "email", "operator": "is"}},
                "/definition/condition/value",
            ),
            ("email_template", {**TEMPLATE, "variants": {"de": {}}}, "/definition/variants/de"),
            ("email_template", {**TEMPLATE, "a/b~c": 1}, "/definition/a~1b~0c"),
            ("flow", {"trigger": {"type": "order_placed"}, "steps": []}, "/definition/steps"),
        ],
    )
    def test_what_the_schema_refuses(
        self, desk: Desk, kind: str, definition: object, path: str
    ) -> None:
        body = {"kind": kind, "name": "x", "summary": "x", "definition": definition}
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "schema_mismatch")
        assert path in [error["path"] for error in answer.json["errors"]]
        assert desk.get("/change-proposals")["total"] == 0

    def test_bounds(self, desk: Desk) -> None:
        deep: Body = {"type": "consent", "channel": "email", "states": ["subscribed"]}
        for _ in range(50):
            deep = {"type": "not", "condition": deep}
        large = {**SEGMENT, "description": "x" * (256 * 1024)}
        for definition, words in (
            ({"condition": deep}, "at most 40 levels"),
            (large, "at most 262,144 bytes"),
        ):
            body = {"kind": "segment", "name": "x", "summary": "x", "definition": definition}
            answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
            assert answer.problem() == (422, "schema_mismatch")
            [error] = answer.json["errors"]
            assert error["path"] == "/definition"
            assert words in error["message"]

    def test_what_no_json_is(self, desk: Desk) -> None:
        body = b'{"kind": "segment", "name": "x", "summary": "x", "definition": {"condition": NaN}}'
        answer = desk.world.call("POST", "/change-proposals", token=desk.owner.token, body=body)
        assert answer.status in {400, 422}
        assert desk.get("/change-proposals")["total"] == 0

    def test_once_with_a_key(self, desk: Desk) -> None:
        body = {"kind": "segment", "name": "x", "summary": "x", "definition": SEGMENT}
        token = desk.keys[PROPOSE]
        first = desk.send(token, "POST", "/change-proposals", body, key="k")
        second = desk.send(token, "POST", "/change-proposals", body, key="k")
        assert (first.status, second.status, second.json) == (201, 201, first.json)
        assert second.header("idempotency-replayed") == "true"
        assert desk.get("/change-proposals")["total"] == 1

    def test_what_is_refused_is_not_kept(self, desk: Desk) -> None:
        """The same key goes on with a body that is mended."""
        token = desk.keys[PROPOSE]
        body = {"kind": "segment", "name": "x", "summary": "x", "definition": {}}
        refused = desk.send(token, "POST", "/change-proposals", body, key="k")
        assert refused.problem() == (422, "schema_mismatch")
        body["definition"] = SEGMENT
        assert desk.send(token, "POST", "/change-proposals", body, key="k").status == 201


class TestProposeChange:
    """POST /change-proposals of a patch."""

    def test_all_of_the_answer(self, desk: Desk) -> None:
        definition = desk.define(name="Buyers")
        patch = [REPLACED, {"op": "remove", "path": "/condition/conditions/0"}]
        proposal = desk.change(definition, *patch, token=desk.member.token)
        assert proposal == {
            "id": proposal["id"],
            "kind": "segment",
            "definitionId": definition["id"],
            "name": "Buyers",
            "summary": "Other words",
            "status": "open",
            "stale": False,
            "author": {"type": "user", "id": str(desk.member.id), "name": desk.member.name},
            "createdAt": JustNow(),
            "reviewedBy": None,
            "reviewedAt": None,
            "baseVersionId": definition["versionId"],
            "schemaVersion": 1,
            "definition": {
                "description": "Buys",
                "condition": {"type": "all", "conditions": SEGMENT["condition"]["conditions"][1:]},
            },
            "patch": patch,
            "resultVersionId": None,
            "reviewNote": None,
        }
        assert desk.get(f"/change-proposals/{proposal['id']}") == proposal
        assert desk.get(f"/definitions/{definition['id']}") == definition

    def test_bad_input(self, desk: Desk) -> None:
        body: Body = {
            "definitionId": 7,
            "patch": [
                {"op": "move", "path": "/a", "from": "/b"},
                {"op": "add", "path": "a", "value": 1},
                {"op": "add", "path": "/a"},
                {"op": "remove", "path": "/a", "value": 1},
                {"op": "remove", "path": "/a~2"},
            ],
        }
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert sorted(answer.error_paths()) == [
            "/baseVersionId",
            "/definitionId",
            "/patch/0/from",
            "/patch/0/op",
            "/patch/1/path",
            "/patch/2/value",
            "/patch/3/value",
            "/patch/4/path",
            "/summary",
        ]
        for patch in ([], [REPLACED] * (MAX_OPERATIONS + 1)):
            body = {"definitionId": NOWHERE, "baseVersionId": NOWHERE, "summary": "x"}
            answer = desk.send(
                desk.owner.token, "POST", "/change-proposals", {**body, "patch": patch}
            )
            assert answer.error_paths() == ["/patch"]

    def test_no_such_definition(self, desk: Desk) -> None:
        theirs = Desk(desk.world).define()
        body = desk.change_body(theirs, REPLACED)
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "validation")

    def test_another_base(self, desk: Desk) -> None:
        before = desk.define()
        desk.approve(desk.change(before, REPLACED))
        for base in (before["versionId"], NOWHERE):
            body = {**desk.change_body(before, REPLACED), "baseVersionId": base}
            answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
            assert answer.problem() == (409, "base_not_current")

    @pytest.mark.parametrize(
        "operation",
        [
            {"op": "remove", "path": "/nothing"},
            {"op": "replace", "path": "/nothing", "value": 1},
            {"op": "add", "path": "/nothing/more", "value": 1},
            {"op": "add", "path": "/condition/conditions/9", "value": {}},
            {"op": "add", "path": "/condition/conditions/01", "value": {}},
            {"op": "remove", "path": "/condition/conditions/-"},
            {"op": "add", "path": "/description/0", "value": 1},
        ],
    )
    def test_a_patch_that_does_not_fit(self, desk: Desk, operation: Body) -> None:
        definition = desk.define()
        body = desk.change_body(definition, REPLACED, operation)
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "patch_failed")
        assert [error["path"] for error in answer.json["errors"]] == ["/patch/1"]

    def test_a_message_quotes_no_whole_definition(self, desk: Desk) -> None:
        definition = desk.define(definition={**SEGMENT, "description": "x" * 1_000})
        body = desk.change_body(definition, {"op": "add", "path": "/a/b", "value": 1})
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        [error] = answer.json["errors"]
        assert len(error["message"]) < 400

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[" * 60 + "]" * 60, "at most 40 levels"),
            ('"\\ud800"', "no lone surrogate"),
            ('{"\\udfff": 1}', "no lone surrogate"),
            ("1e999", "no infinity"),
            (f'"{"x" * 256 * 1024}"', "at most 262,144 bytes"),
        ],
    )
    def test_what_no_definition_can_hold(self, desk: Desk, text: str, words: str) -> None:
        """Another operation takes it away again: the result doesn't show it."""
        added: Body = {"op": "add", "path": "/x", "value": "VALUE"}
        definition = desk.define()
        body = desk.change_body(definition, REPLACED, added, {"op": "remove", "path": "/x"})
        sent = json.dumps(body).replace('"VALUE"', text).encode()
        answer = desk.world.call("POST", "/change-proposals", token=desk.owner.token, body=sent)
        assert answer.problem() == (422, "schema_mismatch")
        [error] = answer.json["errors"]
        assert (error["path"], words in error["message"]) == ("/patch/1/value", True)
        assert desk.get("/change-proposals", status="open")["total"] == 0

    def test_a_path_that_is_no_text(self, desk: Desk) -> None:
        body = desk.change_body(desk.define(), {"op": "add", "path": "/\ud800", "value": 1})
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.error_paths() == ["/patch/0/path"]

    def test_a_patch_that_no_row_holds(self, desk: Desk) -> None:
        definition = desk.define()
        patch = [
            {"op": op, "path": f"/{number:02}{'x' * 2000}", **value}
            for number in range(100)
            for op, value in (("add", {"value": 1}), ("remove", {}))
        ]
        answer = desk.send(
            desk.owner.token, "POST", "/change-proposals", desk.change_body(definition, *patch)
        )
        assert answer.problem() == (422, "schema_mismatch")
        assert [error["path"] for error in answer.json["errors"]] == ["/patch"]

    def test_what_is_proposed_stays_as_it_was_said(self, desk: Desk) -> None:
        """What one operation adds another may change."""
        definition = desk.define()
        patch: list[Body] = [
            {"op": "replace", "path": "/condition/conditions", "value": []},
            {"op": "add", "path": "/condition/conditions/-", "value": {"type": "consent"}},
            {"op": "add", "path": "/condition/conditions/0/channel", "value": "email"},
            {"op": "add", "path": "/condition/conditions/0/states", "value": ["subscribed"]},
        ]
        proposal = desk.change(definition, *patch)
        assert proposal["patch"] == patch
        assert desk.get(f"/change-proposals/{proposal['id']}") == proposal
        assert proposal["definition"]["condition"]["conditions"] == [
            {"type": "consent", "channel": "email", "states": ["subscribed"]}
        ]
        assert desk.get(f"/definitions/{definition['id']}") == definition

    def test_many_operations_take_one_copy(self) -> None:
        class Counted(list[int]):
            copies = 0

            def __deepcopy__(self, memo: object) -> "Counted":
                Counted.copies += 1
                return Counted(self)

        content = {"a": Counted([1]), "b": 0}
        operations = [Operation(JsonPatchOp.REPLACE, "/b", number) for number in range(1, 9)]
        operations.append(Operation(JsonPatchOp.ADD, "/a/-", 2))
        assert patched(content, operations) == {"a": [1, 2], "b": 8}
        assert (content, Counted.copies) == ({"a": [1], "b": 0}, 1)

    @pytest.mark.parametrize("path", ["/condition", ""])
    def test_a_result_that_the_schema_refuses(self, desk: Desk, path: str) -> None:
        body = desk.change_body(desk.define(), {"op": "replace", "path": path, "value": 7})
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "schema_mismatch")
        assert {error["path"] for error in answer.json["errors"]} == {"/patch"}


class TestList:
    """GET /change-proposals."""

    def test_newest_first_or_oldest(self, desk: Desk) -> None:
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

    def test_bad_input(self, desk: Desk) -> None:
        query = {
            "status": "new",
            "kind": "poem",
            "definitionId": 7,
            "stale": "perhaps",
            "author": "me",
            "sort": "name",
        }
        answer = desk.send(desk.owner.token, "GET", "/change-proposals", query=query)
        assert sorted(answer.error_paths()) == sorted(f"query.{name}" for name in query)

    def test_too_many_to_filter(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        for _ in range(2):
            desk.propose()
        monkeypatch.setattr(reading, "MAX_ROWS", 1)
        query = {"kind": "segment"}
        answer = desk.send(desk.owner.token, "GET", "/change-proposals", query=query)
        assert answer.problem() == (422, "filter_too_broad")
        assert desk.get("/change-proposals", page=2, pageSize=10)["total"] == 2

    @pytest.mark.parametrize("page", [2, 10**6])
    def test_past_the_last_page(self, desk: Desk, page: int) -> None:
        desk.propose()
        found = desk.get("/change-proposals", page=page)
        assert found == {"items": [], "total": 1, "page": page, "pageSize": 25}


class TestApprove:
    """POST /change-proposals/{id}/approve."""

    def test_all_of_the_answer(self, desk: Desk) -> None:
        proposal = desk.propose()
        desk.world.advance(minutes=5)
        path = f"/change-proposals/{proposal['id']}"
        answer = desk.send(desk.owner.token, "POST", f"{path}/approve", {"note": " Good. "})
        assert answer.status == 200
        approved = answer.json
        assert approved == {
            **proposal,
            "status": "approved",
            "definitionId": approved["definitionId"],
            "resultVersionId": approved["resultVersionId"],
            "reviewedBy": {"id": str(desk.owner.id), "name": desk.owner.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Good.",
        }
        assert desk.get(path) == approved
        definition = desk.get(f"/definitions/{approved['definitionId']}")
        assert definition["versionId"] == approved["resultVersionId"]

    def test_bad_input(self, desk: Desk) -> None:
        path = f"/change-proposals/{desk.propose()['id']}/approve"
        for body in ({"note": ""}, {"note": "x" * 2001}):
            answer = desk.send(desk.owner.token, "POST", path, body)
            assert answer.error_paths() == ["/note"]

    def test_who_may(self, desk: Desk) -> None:
        """Their own: owners and admins who are signed in; neither keys nor plain members."""
        keys, member = desk.keys, desk.member.token

        def tried(proposer: str, reviewer: str) -> tuple[int, str | None]:
            path = f"/change-proposals/{desk.propose(proposer)['id']}/approve"
            answer = desk.send(reviewer, "POST", path)
            return answer.status, None if answer.status == 200 else answer.problem()[1]

        assert tried(keys[PROPOSE], keys[PROPOSE]) == (403, "scope")
        for proposer, reviewer in (
            (keys[WRITE], keys[WRITE]),
            (member, member),
            (member, keys[WRITE]),  # made by that member
            (keys[PROPOSE], member),
            (keys[PROPOSE], keys[WRITE]),
        ):
            assert tried(proposer, reviewer) == (403, "own_proposal")
        stranger = desk.world.member(desk.workspace)
        for proposer, reviewer in (
            (desk.owner.token, desk.owner.token),
            (desk.admin.token, desk.admin.token),
            (desk.admin.token, member),
            (keys[WRITE], stranger.token),
            (stranger.token, keys[WRITE]),
            (desk.world.api_key(desk.workspace, WRITE), keys[WRITE]),
        ):
            assert tried(proposer, reviewer) == (200, None)

    def test_a_stale_one(self, desk: Desk) -> None:
        definition = desk.define()
        first, second = (desk.change(definition, REPLACED) for _ in range(2))
        desk.approve(first)
        path = f"/change-proposals/{second['id']}"
        assert desk.get(path)["stale"] is True
        answer = desk.send(desk.owner.token, "POST", f"{path}/approve")
        assert answer.problem() == (409, "proposal_stale")
        assert "propose the change again" in answer.json["detail"]
        assert desk.send(desk.owner.token, "POST", f"{path}/reject").status == 200
        assert desk.get(path)["stale"] is False  # nothing waits for it any more

    def test_one_that_is_closed(self, desk: Desk) -> None:
        proposal = desk.propose()
        desk.approve(proposal)
        for name in ("approve", "reject"):
            path = f"/change-proposals/{proposal['id']}/{name}"
            answer = desk.send(desk.owner.token, "POST", path)
            assert answer.problem() == (409, "proposal_closed")

    def test_another_reviewer_comes_between(self, desk: Desk) -> None:
        definition = desk.define()
        path = f"/change-proposals/{desk.change(definition, REPLACED)['id']}"

        def reject() -> None:
            assert desk.send(desk.admin.token, "POST", f"{path}/reject").status == 200

        with before_the_commit(reject):
            answer = desk.send(desk.owner.token, "POST", f"{path}/approve")
        assert answer.problem() == (409, "proposal_closed")
        assert desk.get(f"/definitions/{definition['id']}/versions")["total"] == 1
        assert desk.get(path)["status"] == "rejected"

    def test_another_version_comes_between(self, desk: Desk) -> None:
        definition = desk.define()
        first, second = (desk.change(definition, REPLACED) for _ in range(2))
        with before_the_commit(lambda: desk.approve(first)):
            path = f"/change-proposals/{second['id']}/approve"
            answer = desk.send(desk.owner.token, "POST", path)
        assert answer.problem() == (409, "proposal_stale")
        versions = desk.get(f"/definitions/{definition['id']}/versions")["items"]
        assert versions[0]["proposalId"] == first["id"]
        assert len(versions) == 2

    def test_killed_anywhere(self, desk: Desk) -> None:
        definition = desk.define()
        path = f"/change-proposals/{desk.change(definition, REPLACED)['id']}/approve"

        def approve() -> Answer:
            return desk.send(desk.owner.token, "POST", path, key="once")

        found = crashes(desk.world, approve)
        assert len(found.places) > 10
        for _ in found:
            desk.world.advance(seconds=LEASE_SECONDS)
            answer = approve()
            assert answer.status == 200
            versions = desk.get(f"/definitions/{definition['id']}/versions")
            assert versions["total"] == len(versions["items"]) == 2
            assert versions["items"][0]["versionId"] == answer.json["resultVersionId"]


class TestReadAnew:
    """What was tried when it was proposed is tried again by whatever reads it later."""

    def test_a_patch_that_fits_no_more(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        path = f"/change-proposals/{desk.change(desk.define(), REPLACED)['id']}"

        def refuse(*_: object) -> None:
            raise Inapplicable(0, "It doesn't fit")

        monkeypatch.setattr(reading, "patched", refuse)
        asked = [("GET", path), ("POST", f"{path}/approve"), ("POST", f"{path}/reject")]
        for method, at in asked:
            answer = desk.send(desk.owner.token, method, at)
            assert answer.problem() == (422, "patch_failed")
            assert [error["path"] for error in answer.json["errors"]] == ["/patch/0"]
        monkeypatch.undo()
        assert desk.get(path)["status"] == "open"

    def test_a_result_that_is_refused_now(
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


class TestReject:
    """POST /change-proposals/{id}/reject."""

    def test_all_of_the_answer(self, desk: Desk) -> None:
        proposal = desk.propose()
        path = f"/change-proposals/{proposal['id']}"
        key = desk.world.key_of(desk.keys[WRITE])
        answer = desk.send(desk.keys[WRITE], "POST", f"{path}/reject", {"note": "Too broad"})
        assert answer.status == 200
        assert answer.json == {
            **proposal,
            "status": "rejected",
            "reviewedBy": {"id": str(key.id), "name": key.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Too broad",
        }
        assert desk.get(path) == answer.json
        assert desk.get("/definitions")["total"] == 0

    def test_a_key_that_may_not(self, desk: Desk) -> None:
        path = f"/change-proposals/{desk.propose()['id']}/reject"
        answer = desk.send(desk.keys[PROPOSE], "POST", path)
        assert answer.problem() == (403, "scope")


class TestWithdraw:
    """DELETE /change-proposals/{id}."""

    def test_by_its_author(self, desk: Desk) -> None:
        proposal = desk.propose()
        path = f"/change-proposals/{proposal['id']}"
        key = desk.world.key_of(desk.keys[PROPOSE])
        assert desk.send(desk.keys[PROPOSE], "DELETE", path).status == 204
        assert desk.get(path) == {
            **proposal,
            "status": "rejected",
            "reviewedBy": {"id": str(key.id), "name": key.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Withdrawn by its author.",
        }
        withdrawn = desk.get(path)
        desk.world.advance(days=40)
        assert desk.send(desk.keys[PROPOSE], "DELETE", path).status == 204
        assert desk.get(path) == withdrawn

    @pytest.mark.parametrize("decision", ["approve", "reject"])
    def test_none_that_was_reviewed(self, desk: Desk, decision: str) -> None:
        path = f"/change-proposals/{desk.propose()['id']}"
        body = {"note": "Withdrawn by its author."}
        assert desk.send(desk.owner.token, "POST", f"{path}/{decision}", body).status == 200
        for _ in range(2):
            answer = desk.send(desk.keys[PROPOSE], "DELETE", path)
            assert answer.problem() == (409, "proposal_closed")

    def test_by_nobody_else(self, desk: Desk) -> None:
        path = f"/change-proposals/{desk.propose()['id']}"
        for token in (desk.owner.token, desk.keys[WRITE]):
            assert desk.send(token, "DELETE", path).problem() == (403, "not_author")
        assert desk.send(desk.keys[READ], "DELETE", path).problem() == (403, "scope")


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
