"""Olive signs up, makes a workspace for her shop Birch & Loom, and a key for its programs."""

from openapi.story.people import OWNER, PASSWORD, code_to
from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter, Meanwhile

OUTDATED_TAG = {"if-none-match": '"0"'}

CHAPTER: Chapter = [
    Step("health.get", None),
    Step("docs.get", None, headers=OUTDATED_TAG),
    Step("openapi.get", None, headers=OUTDATED_TAG, only=["openapi", "servers"]),
    Step("pages.get", None, path={"page": "invitation"}, headers=OUTDATED_TAG),
    Step("problems.list", None, query={"page": 2, "pageSize": 10}),
    Step("problems.get", None, path={"kind": "unauthenticated"}),
    Step("problems.getCode", None, path={"kind": "conflict", "code": "stale_update"}),
    Step(
        "auth.signUp",
        None,
        body={"name": "Olive Owner", "email": OWNER, "password": PASSWORD},
        keep="sign_up",
    ),
    Step(
        "auth.resendSignUp",
        None,
        body={"registration": "{sign_up.registration}"},
        seconds=300,
    ),
    Meanwhile(code_to(OWNER)),
    Step(
        "auth.verifyEmail",
        None,
        body={"registration": "{sign_up.registration}", "code": "{code}"},
        keep="owner",
    ),
    Step("workspaces.availableSlug", OLIVE, query={"name": "Birch & Loom"}),
    Step("workspaces.create", OLIVE, body={"name": "Birch & Loom"}, keep="workspace"),
    Step("workspaces.get", OLIVE, path={"id": "{workspace.id}"}),
    Step("me.get", OLIVE, keep="olive"),
    Step("apiKeys.create", OLIVE, body={"name": "Shop system", "scope": "write"}, keep="key"),
    Step("apiKeys.create", OLIVE, body={"name": "Reports", "scope": "read"}, keep="reports"),
    Step(
        "apiKeys.list",
        OLIVE,
        query={
            "q": "shop",
            "status": "active",
            "scope": "write",
            "sort": "name",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("apiKeys.get", OLIVE, path={"id": "{reports.apiKey.id}"}),
    Step(
        "apiKeys.update", OLIVE, path={"id": "{reports.apiKey.id}"}, body={"name": "Weekly report"}
    ),
    Step(
        "apiKeys.rotate",
        OLIVE,
        path={"id": "{reports.apiKey.id}"},
        body={"overlapSeconds": 3600},
    ),
    Step("apiKeys.revoke", OLIVE, path={"id": "{reports.apiKey.id}"}),
]
