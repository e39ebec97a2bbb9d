"""Unknown ids: in a body 422 with their place, in a path 404 that names the kind."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest

from storepost.values.ids import short
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
        def person(by: Someone) -> str:
            email = {"email": "ann@shoppers.example.net"}
            made = by.call("POST", "/profiles", email)
            return str(made.json["id"])

        target, stranger = path.format(profile=person(owner)), world.owner()
        theirs = {"store": world.store(stranger), "profile": person(stranger)}
        stored = {row.key for row in world.rows()}
        for unknown in (ID, theirs.get(what, ID)):
            sent = json.loads(json.dumps(body).replace(ID, unknown))
            answer = owner.call("POST", target, sent)
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
        coupon = owner.call("POST", "/coupons", body).json["id"]
        for coupon_id, expected in ((coupon, (422, "validation")), (ID, (404, "not_found"))):
            answer = owner.call("POST", f"/coupons/{coupon_id}/assign", {"profileId": ID})
            assert answer.problem() == expected
        assert answer.json["detail"] == "No coupon with this id exists in this workspace."

    def test_active_workspace(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        theirs = world.workspace(world.person())
        for identifier in (ID, str(theirs.id)):
            answer = owner.call("PUT", "/me/workspace", {"workspaceId": identifier})
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


FREE = {"externalId", "key", "kind"}
"""Parts of paths that are no UUID."""
WITH_UUIDS = {
    operation["operationId"]: (method, path, operation)
    for path, method, operation in operations()
    if operation["security"] and set(re.findall(r"{(\w+)}", path)) - FREE
}


class TestIdInPath:
    """404 `not_found`, and `detail` says of what kind."""

    @pytest.mark.parametrize(
        ("method", "path", "operation"),
        of_ids(),
        ids=[str(operation["operationId"]) for _, _, operation in of_ids()],
    )
    def test_detail_names_the_kind_of_resource(
        self,
        owner: Someone,
        workspace: WorkspaceScope,
        method: str,
        path: str,
        operation: dict[str, Any],
    ) -> None:
        target = "/".join(ID if part.startswith("{") else part for part in path.split("/"))
        answer = owner.call(method, target, body_of(operation), query=query_of(operation))
        if answer.status < 300:  # what is deleted already may be deleted again
            assert method == "DELETE"
            return
        assert answer.problem() == (404, "not_found")
        detail = answer.json["detail"]
        assert detail != NotFound.remedy
        assert re.search(r"^(No|You|This) .* with this id\b.*\.$", detail)

    @pytest.mark.parametrize("operation", WITH_UUIDS)
    def test_malformed_id_is_refused(
        self, owner: Someone, workspace: WorkspaceScope, operation: str
    ) -> None:
        method, path, described = WITH_UUIDS[operation]
        names = [name for name in re.findall(r"{(\w+)}", path) if name not in FREE]
        answer = owner.call(
            method, re.sub(r"{\w+}", "7", path), body_of(described), query=query_of(described)
        )
        assert answer.error_paths() == [f"path.{name}" for name in names]

    def test_resource_of_another_workspace_is_not_revealed(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = world.store(owner)
        stranger = world.owner()
        answers = [stranger.call("GET", f"/stores/{each}").json for each in (store, ID)]
        assert answers[0] == answers[1]
        assert answers[0]["detail"] == "No store with this id exists in this workspace."


OTHER_KEYS = {
    "connectLinks.connect",
    "connectLinks.get",
    "definitionSchemas.get",
    "invitations.accept",
    "invitations.decline",
}
"""Operations about a link, which is a key by itself, or about what every workspace has."""


def described(path: str, method: str) -> Any:
    """The example of that operation's body."""
    return body_of(next(o for p, m, o in operations() if (p, m) == (path, method)))


def one_of_each(world: World, owner: Someone, workspace: WorkspaceScope) -> dict[str, str]:
    """Ids of resources of the workspace, by the part of a path before them."""

    def made(method: str, path: str, body: object = None) -> Any:
        answer = owner.call(method, path, body)
        assert answer.status < 300, (path, answer.body)
        return answer.json

    def put_for_store(kind: str) -> Any:
        body = described(f"/stores/{{id}}/{kind}/{{externalId}}", "PUT")
        return made("PUT", f"/stores/{store}/{kind}/1", body)

    store = world.store(owner)
    put_for_store("customers")
    order, product = put_for_store("orders")["id"], put_for_store("products")["id"]
    profile = made("GET", f"/orders/{order}")["buyer"]["profileId"]
    endpoint = made(
        "POST", "/webhook-endpoints", {"url": "https://1.1.1.1/events", "events": ["*"]}
    )["endpoint"]["id"]
    delivery = made("POST", f"/webhook-endpoints/{endpoint}/test", {"type": "webhook.test"})
    coupon = made("POST", "/coupons", {**COUPON, "kind": "personal", "storeId": store})["id"]
    code = made("POST", f"/coupons/{coupon}/assign", {"profileId": profile, "reference": "1"})
    feed = made(
        "POST", "/feeds", {**FEED, "url": "https://1.1.1.1/a.csv", "name": "A", "storeId": store}
    )
    approved = made("POST", "/change-proposals", described("/change-proposals", "POST"))
    approved = made("POST", f"/change-proposals/{approved['id']}/approve")
    proposal = made("POST", "/change-proposals", described("/change-proposals", "POST"))
    source = made("GET", f"/stores/{store}/product-priority")["sources"][0]["id"]
    rules = {"order": [source], "fields": {}}
    change = made("POST", f"/stores/{store}/product-priority/changes", rules)
    made("PATCH", f"/profiles/{profile}", {"email": "ann@shoppers.example.net"})
    consent = made("PUT", f"/profiles/{profile}/consent/email", {"state": "subscribed"})
    batch = made("POST", f"/stores/{store}/batches", described("/stores/{id}/batches", "POST"))
    domain = f"{workspace.id}.myshopify.com"
    shop = made("POST", "/connections", {"type": "shopify", "shop": domain})
    return {
        "api-keys": made("POST", "/api-keys", {"name": "k", "scope": "read"})["apiKey"]["id"],
        "change-proposals": proposal["id"],
        "connections": shop["key"],
        "consent": consent["id"],
        "coupon-codes": code["id"],
        "coupons": coupon,
        "customers": "1",
        "definitions": approved["definitionId"],
        "deliveries": delivery["id"],
        "feeds": feed["id"],
        "identities": made("GET", f"/profiles/{profile}/identities")["items"][0]["id"],
        "imports": batch["id"],
        "invitations": made("POST", "/invitations", described("/invitations", "POST"))["id"],
        "locales": made("GET", "/locales")["items"][0]["id"],
        "members": made("GET", "/members")["items"][0]["id"],
        "orders": "1",
        "/orders": order,
        "product-priority-changes": change["id"],
        "products": "1",
        "/products": product,
        "profiles": profile,
        "sessions": made("GET", "/sessions")["items"][0]["id"],
        "stores": store,
        "suppressions": made("POST", "/suppressions", described("/suppressions", "POST"))["id"],
        "versions": approved["resultVersionId"],
        "webhook-endpoints": endpoint,
        "workspaces": str(workspace.id),
        "write-backs": store,
    }


def filled(path: str, ids: dict[str, str], inner: dict[str, str] | None = None) -> str:
    """The path with an id after each of its parts; `inner` has those after the first one."""
    parts = path.split("/")
    for n in (n for n, part in enumerate(parts) if part.startswith("{")):
        known = ids if n == 2 else inner or ids
        parts[n] = (n == 2 and known.get("/" + parts[1])) or known[parts[n - 1]]
    return "/".join(parts)


def rows_of(world: World, workspace: WorkspaceScope) -> dict[object, object]:
    found = (row for row in world.rows() if short(workspace.id) in row.key[0])
    return {row.key: row.to_dynamodb_dict() for row in found}


class TestAnotherWorkspace:
    """Each operation answers for its ids what it answers for unknown ones."""

    def test_resources_of_another_workspace_are_as_unknown_as_any(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """It takes a second or two: two of each resource, and four requests an operation."""
        theirs = one_of_each(world, owner, workspace)
        unknown = {kind: str(uuid4()) if len(i) == len(ID) else i for kind, i in theirs.items()}
        stranger = world.person()
        own = one_of_each(world, stranger, world.workspace(stranger))
        stored = rows_of(world, workspace)
        for path, method, operation in operations():
            if "{" not in path or not operation["security"]:
                continue
            if operation["operationId"] in OTHER_KEYS:
                continue
            pairs = [(filled(path, theirs), filled(path, unknown))]
            if path.count("{") > 1 and "{externalId}" not in path:
                pairs.append((filled(path, own, theirs), filled(path, own, unknown)))
            for pair in pairs:
                foreign, nowhere = (
                    stranger.call(method, target, body_of(operation), query=query_of(operation))
                    for target in pair
                )
                assert foreign.problem() == (404, "not_found"), (method, pair)
                assert foreign.json == nowhere.json
        assert rows_of(world, workspace) == stored
