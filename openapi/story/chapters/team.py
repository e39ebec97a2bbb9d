"""The team: Anton and Mira are invited, Anton becomes the owner, and Mira leaves."""

from openapi.story.people import ADMIN, MEMBER, PASSWORD, code_to, link_to
from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter, Meanwhile

ANTON, MIRA = "{anton.token}", "{mira.token}"


def _joins(name: str, address: str, keep: str) -> Chapter:
    """Somebody signs up and confirms their address."""
    return [
        Step(
            "auth.signUp",
            None,
            body={"name": name, "email": address, "password": PASSWORD},
            keep="sign_up",
        ),
        Meanwhile(code_to(address)),
        Step(
            "auth.verifyEmail",
            None,
            body={"registration": "{sign_up.registration}", "code": "{code}"},
            keep=keep,
        ),
    ]


CHAPTER: Chapter = [
    Step("workspaces.update", OLIVE, path={"id": "{workspace.id}"}, body={"name": "Birch & Loom"}),
    Step("invitations.create", OLIVE, body={"email": ADMIN, "role": "admin"}, keep="to_anton"),
    Meanwhile(link_to(ADMIN, "invitation")),
    Step("invitations.preview", None, path={"id": "{invitation}"}),
    Step("invitations.resend", OLIVE, path={"id": "{to_anton.id}"}, seconds=7200),
    Step("invitations.get", path={"id": "{to_anton.id}"}),
    Step("invitations.list", query={"q": "anton", "page": 1, "pageSize": 25}),
    *_joins("Anton Admin", ADMIN, "anton"),
    Step("invitations.accept", ANTON, path={"id": "{to_anton.id}"}),
    Step("invitations.create", OLIVE, body={"email": MEMBER, "role": "member"}, keep="to_mira"),
    Step("invitations.delete", OLIVE, path={"id": "{to_mira.id}"}),
    Step("invitations.create", OLIVE, body={"email": MEMBER, "role": "member"}, keep="to_mira"),
    *_joins("Mira Member", MEMBER, "mira"),
    Step("invitations.decline", MIRA, path={"id": "{to_mira.id}"}),
    Step(
        "invitations.create",
        OLIVE,
        body={"email": MEMBER, "role": "member"},
        keep="to_mira",
        seconds=3600,
    ),
    Step("invitations.accept", MIRA, path={"id": "{to_mira.id}"}),
    Step(
        "members.list",
        query={"q": "mira", "role": "member", "sort": "name", "page": 1, "pageSize": 25},
        keep="members",
    ),
    Step("members.get", path={"id": "{members.items.0.id}"}),
    Step(
        "members.updateRole",
        OLIVE,
        path={"id": "{members.items.0.id}"},
        body={"role": "admin"},
    ),
    Step("members.leave", MIRA),
    Step("members.list", query={"q": "anton"}, keep="members"),
    Step("members.transferOwnership", OLIVE, path={"id": "{members.items.0.id}"}),
    Step("members.list", query={"q": "olive"}, keep="members"),
    Step("members.delete", ANTON, path={"id": "{members.items.0.id}"}),
    Step("me.delete", MIRA, body={"password": PASSWORD}),
]
