"""Change proposals: of a new definition, and of a change."""

import json
from random import Random

import pytest

from storepost.definitions.definitions.patching import JsonPatchOp, Operation, patched
from storepost.definitions.proposals.schemas import MAX_OPERATIONS
from tests.definitions.proposals.proposal_scenario import (
    NOWHERE,
    PROPOSE,
    REPLACED,
    SEGMENT,
    TEMPLATE,
    Body,
    Desk,
    JustNow,
)

LETTERS = range(0x4E00, 0x9FFF)
"""Those of Chinese."""


class TestProposeDefinition:
    """POST /change-proposals of a new definition."""

    def test_complete_response(self, desk: Desk) -> None:
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
    def test_definition_that_violates_the_schema_is_refused(
        self, desk: Desk, kind: str, definition: object, path: str
    ) -> None:
        body = {"kind": kind, "name": "x", "summary": "x", "definition": definition}
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "schema_mismatch")
        assert path in [error["path"] for error in answer.json["errors"]]
        assert desk.get("/change-proposals")["total"] == 0

    def test_limits_of_depth_and_size(self, desk: Desk) -> None:
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

    def test_nan_is_refused(self, desk: Desk) -> None:
        body = b'{"kind": "segment", "name": "x", "summary": "x", "definition": {"condition": NaN}}'
        assert desk.owner.call("POST", "/change-proposals", body=body).status in {400, 422}
        assert desk.get("/change-proposals")["total"] == 0

    def test_refusal_is_not_stored_for_replay(self, desk: Desk) -> None:
        """The same key may be used again with a corrected body."""
        token = desk.keys[PROPOSE]
        body = {"kind": "segment", "name": "x", "summary": "x", "definition": {}}
        refused = desk.send(token, "POST", "/change-proposals", body, key="k")
        assert refused.problem() == (422, "schema_mismatch")
        body["definition"] = SEGMENT
        assert desk.send(token, "POST", "/change-proposals", body, key="k").status == 201


class TestProposeChange:
    """POST /change-proposals of a patch."""

    def test_complete_response(self, desk: Desk) -> None:
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

    @pytest.mark.parametrize("value", [None, 7, {"a": 1}])
    def test_value_of_remove_is_ignored(self, desk: Desk, value: object) -> None:
        """RFC 6902 says to ignore members that an operation doesn't define; libraries send them."""
        remove = {"op": "remove", "path": "/condition/conditions/0"}
        proposal = desk.change(desk.define(name="Buyers"), {**remove, "value": value})
        assert proposal["patch"] == [remove]

    def test_bad_input(self, desk: Desk) -> None:
        body: Body = {
            "definitionId": 7,
            "patch": [
                {"op": "move", "path": "/a", "from": "/b"},
                {"op": "add", "path": "a", "value": 1},
                {"op": "add", "path": "/a"},
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
            "/patch/3/path",
            "/summary",
        ]
        for patch in ([], [REPLACED] * (MAX_OPERATIONS + 1)):
            body = {"definitionId": NOWHERE, "baseVersionId": NOWHERE, "summary": "x"}
            answer = desk.send(
                desk.owner.token, "POST", "/change-proposals", {**body, "patch": patch}
            )
            assert answer.error_paths() == ["/patch"]

    def test_unknown_definition_is_refused(self, desk: Desk) -> None:
        theirs = Desk(desk.world).define()
        body = desk.change_body(theirs, REPLACED)
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "validation")

    def test_outdated_or_unknown_base_version_is_refused(self, desk: Desk) -> None:
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
    def test_inapplicable_patch_is_refused(self, desk: Desk, operation: Body) -> None:
        definition = desk.define()
        body = desk.change_body(definition, REPLACED, operation)
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "patch_failed")
        assert [error["path"] for error in answer.json["errors"]] == ["/patch/1"]

    def test_error_message_does_not_quote_the_whole_definition(self, desk: Desk) -> None:
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
    def test_patch_value_beyond_the_limits_is_refused(
        self, desk: Desk, text: str, words: str
    ) -> None:
        """Another operation removes the value again, so the result doesn't show it."""
        added: Body = {"op": "add", "path": "/x", "value": "VALUE"}
        definition = desk.define()
        body = desk.change_body(definition, REPLACED, added, {"op": "remove", "path": "/x"})
        sent = json.dumps(body).replace('"VALUE"', text).encode()
        answer = desk.owner.call("POST", "/change-proposals", body=sent)
        assert answer.problem() == (422, "schema_mismatch")
        [error] = answer.json["errors"]
        assert (error["path"], words in error["message"]) == ("/patch/1/value", True)
        assert desk.get("/change-proposals", status="open")["total"] == 0

    def test_patch_path_with_lone_surrogate_is_refused(self, desk: Desk) -> None:
        body = desk.change_body(desk.define(), {"op": "add", "path": "/\ud800", "value": 1})
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.error_paths() == ["/patch/0/path"]

    def test_patch_too_large_for_a_row_is_refused(self, desk: Desk) -> None:
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

    def test_proposed_patch_is_stored_unchanged(self, desk: Desk) -> None:
        """A later operation may change what an earlier one adds."""
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

    def test_many_operations_copy_the_content_once(self) -> None:
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
    def test_result_that_violates_the_schema_is_refused(self, desk: Desk, path: str) -> None:
        body = desk.change_body(desk.define(), {"op": "replace", "path": path, "value": 7})
        answer = desk.send(desk.owner.token, "POST", "/change-proposals", body)
        assert answer.problem() == (422, "schema_mismatch")
        assert {error["path"] for error in answer.json["errors"]} == {"/patch"}


def test_answer_with_the_most_chinese_is_kept(desk: Desk) -> None:
    """Letters without a pattern, as no text has: whatever deflates them saves little."""
    random = Random(1)
    content, other = ("".join(map(chr, random.choices(LETTERS, k=86_000))) for _ in range(2))
    template = {"subject": "A", "body": {"format": "html", "content": content}}
    made = desk.propose(kind="email_template", definition=template)
    base = desk.send(desk.owner.token, "POST", f"/change-proposals/{made['id']}/approve").json
    body = {
        "definitionId": base["definitionId"],
        "baseVersionId": base["resultVersionId"],
        "summary": "Other letters",
        "patch": [{"op": "replace", "path": "/body/content", "value": other}],
    }
    headers = {"idempotency-key": "k"}
    first, second = (
        desk.send(desk.owner.token, "POST", "/change-proposals", body, headers=headers)
        for _ in range(2)
    )
    assert (first.status, second.status) == (201, 201)
    assert second.body == first.body
