"""Unknown ids: in a body 422 with their place, in a path 404 that names the kind."""

import re
from typing import Any
from uuid import uuid4

import pytest

from storepost.values.problems import NotFound
from storepost.values.scope import WorkspaceScope
from tests.harness.answers import operations
from tests.harness.world import BASE_URL, Someone, World

ID = str(uuid4())
TERMS = {"validity": {"type": "none"}, "reissue": "every_email"}
COUPON = {"name": "Spring", "valueType": "percentage", "value": 10, **TERMS}
CODES = {"content": "code\nA1\n"}
SEEN: dict[str, Any] = {"name": "Seen", "properties": {}}
PATCH = [{"op": "replace", "path": "/description", "value": "Other"}]
FEED = {"url": "https://feeds.example.com/a.csv", "mode": "enrich_only", "mapping": {"id": "id"}}
IN_BODIES: list[tuple[str, dict[str, Any], str, str]] = [
    ("/coupons", {**COUPON, "kind": "personal", "storeId": ID}, "/storeId", "store"),
    ("/coupons/import", {**CODES, "name": "Spring", **TERMS, "storeId": ID}, "/storeId", "store"),
    ("/coupons/import/check", {**CODES, "storeId": ID}, "/storeId", "store"),
    ("/feeds", {**FEED, "name": "A", "storeId": ID}, "/storeId", "store"),
    ("/feeds/preview", {"url": FEED["url"], "storeId": ID}, "/storeId", "store"),
    ("/feeds/check", {**FEED, "storeId": ID}, "/storeId", "store"),
    ("/events", {**SEEN, "profile": {"id": ID}}, "/profile/id", "profile"),
    (
        "/events",
        {**SEEN, "profile": {"email": "a@b.example.net"}, "storeId": ID},
        "/storeId",
        "store",
    ),
    ("/write-backs/retry", {"storeId": ID}, "/storeId", "store"),
    (
        "/change-proposals",
        {"definitionId": ID, "baseVersionId": ID, "summary": "Change it", "patch": PATCH},
        "/definitionId",
        "definition",
    ),
    ("/profiles/{profile}/merge", {"profileId": ID}, "/profileId", "profile"),
]


class TestIdInBody:
    """422 `validation`, with the id's place."""

    @pytest.mark.parametrize(
        ("path", "body", "place", "what"),
        IN_BODIES,
        ids=[f"{path} {place}" for path, _, place, _ in IN_BODIES],
    )
    def test_error_path_names_the_field(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        path: str,
        body: dict[str, Any],
        place: str,
        what: str,
    ) -> None:
        person = {"email": "ann@shoppers.example.net"}
        profile = world.call("POST", "/profiles", token=owner.token, json_body=person).json["id"]
        stored = {row.key for row in world.rows()}
        target = path.format(profile=profile)
        answer = world.call("POST", target, token=owner.token, json_body=body)
        assert answer.json == {
            "type": f"{BASE_URL}/problems/validation",
            "title": "The request isn't valid",
            "status": 422,
            "detail": "Fix the fields listed in `errors`.",
            "code": "validation",
            "errors": [
                {"path": place, "message": f"No {what} with this id exists in this workspace"}
            ],
        }
        assert {row.key for row in world.rows()} == stored

    def test_coupon_assignment(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        body = {**COUPON, "kind": "personal", "storeId": world.store(owner)}
        coupon = world.call("POST", "/coupons", token=owner.token, json_body=body).json["id"]
        for coupon_id, expected in ((coupon, (422, "validation")), (ID, (404, "not_found"))):
            path = f"/coupons/{coupon_id}/assign"
            answer = world.call("POST", path, token=owner.token, json_body={"profileId": ID})
            assert answer.problem() == expected
        assert answer.json["detail"] == "No coupon with this id exists in this workspace."

    def test_active_workspace(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        theirs = world.workspace(world.person())
        for identifier in (ID, str(theirs.id)):
            body = {"workspaceId": identifier}
            answer = world.call("PUT", "/me/workspace", token=owner.token, json_body=body)
            assert answer.problem() == (422, "validation")
            assert answer.json["errors"] == [
                {"path": "/workspaceId", "message": "You belong to no workspace with this id"}
            ]


def of_ids() -> list[tuple[str, str, dict[str, Any]]]:
    """The operations with a caller whose path begins with an id."""
    return [
        (method, path, operation)
        for path, method, operation in operations()
        if "/{id}" in path and operation["security"]
    ]


def body_of(operation: dict[str, Any]) -> Any:
    """An example of the operation's body; None where it takes none."""
    if operation["operationId"] == "connectLinks.connect":  # the example names a workspace
        return {"action": "connect_new", "workspaceName": "Teas"}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = content.get("examples", {})
    return content.get("example") or next((e["value"] for e in examples.values()), None)


def query_of(operation: dict[str, Any]) -> dict[str, str]:
    """Examples of what the operation's query must have."""
    demanded = (each for each in operation.get("parameters", []) if each.get("required"))
    return {each["name"]: each["example"] for each in demanded if each["in"] == "query"}


class TestIdInPath:
    """404 `not_found`, and `detail` says of what kind."""

    @pytest.mark.parametrize(
        ("method", "path", "operation"),
        of_ids(),
        ids=[str(operation["operationId"]) for _, _, operation in of_ids()],
    )
    def test_detail_names_the_kind_of_resource(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        method: str,
        path: str,
        operation: dict[str, Any],
    ) -> None:
        target = "/".join(ID if part.startswith("{") else part for part in path.split("/"))
        answer = world.call(
            method,
            target,
            token=owner.token,
            json_body=body_of(operation),
            query=query_of(operation),
        )
        if answer.status < 300:  # what is deleted already may be deleted again
            assert method == "DELETE"
            return
        assert answer.problem() == (404, "not_found")
        detail = answer.json["detail"]
        assert detail != NotFound.remedy
        assert re.search(r"^(No|You|This) .* with this id\b.*\.$", detail)

    def test_resource_of_another_workspace_is_not_revealed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = world.store(owner)
        stranger = world.person()
        world.workspace(stranger)
        answers = [
            world.call("GET", f"/stores/{each}", token=stranger.token).json for each in (store, ID)
        ]
        assert answers[0] == answers[1]
        assert answers[0]["detail"] == "No store with this id exists in this workspace."
