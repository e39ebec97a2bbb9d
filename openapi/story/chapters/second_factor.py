"""Signing in again, with a second step."""

import base64
import hashlib
import hmac
import struct

from openapi.story.people import OWNER, PASSWORD, code_to, link_to
from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter, Meanwhile, StoryRun
from storepost.values import clock

NEW_PASSWORD = "staple battery horse correct"  # noqa: S105 - the story's own
PROOF = {"password": PASSWORD}


def app_code(story: StoryRun) -> None:
    """Olive reads the code that her authenticator app shows (RFC 6238)."""
    counter = int(clock.now().timestamp()) // 30
    seed = base64.b32decode(story.values["app"]["secret"])
    digest = hmac.digest(seed, struct.pack(">Q", counter), hashlib.sha1)
    offset = digest[-1] & 0xF
    number = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFFFFFF
    story.keep_code("app", f"{number % 10**6:06d}")


CHAPTER: Chapter = [
    Step("me.startTwoFactorApp", OLIVE, body=PROOF, keep="app"),
    Meanwhile(app_code),
    Step("me.confirmTwoFactorApp", OLIVE, body={"code": "{code}"}, seconds=0),
    Step("me.replaceBackupCodes", OLIVE, body=PROOF),
    Step("me.startTwoFactorEmail", OLIVE),
    Meanwhile(code_to(OWNER)),
    Step("me.confirmTwoFactorEmail", OLIVE, body={"code": "{code}"}),
    Step("auth.signIn", None, body={"email": OWNER, "password": PASSWORD}, keep="challenged"),
    Step("auth.sendTwoFactorCode", None, body={"challenge": "{challenged.challenge}"}),
    Meanwhile(code_to(OWNER)),
    Step(
        "auth.verifyTwoFactor",
        None,
        body={
            "challenge": "{challenged.challenge}",
            "method": "email",
            "code": "{code}",
            "trustBrowser": True,
        },
        keep="second",
    ),
    Step("sessions.list", OLIVE, query={"page": 1, "pageSize": 25}, keep="sessions"),
    Step("auth.signOut", "{second.token}"),
    Step("me.forgetTrustedBrowsers", OLIVE),
    Step("me.disableTwoFactorEmail", OLIVE),
    Step("me.disableTwoFactorApp", OLIVE, body=PROOF),
    Step("auth.signIn", None, body={"email": OWNER, "password": PASSWORD}, keep="third"),
    Step("sessions.list", OLIVE, keep="sessions"),
    Step("sessions.delete", OLIVE, path={"id": "{sessions.items.1.id}"}),
    Step("sessions.deleteOthers", OLIVE),
    Step("me.update", OLIVE, body={"name": "Olive Oak"}),
    Step("me.changeEmail", OLIVE, body={"email": "olive.oak@example.com", **PROOF}),
    Meanwhile(code_to("olive.oak@example.com")),
    Step("me.confirmEmail", OLIVE, body={"code": "{code}"}),
    Step("auth.forgotPassword", None, body={"email": "olive.oak@example.com"}),
    Meanwhile(link_to("olive.oak@example.com", "reset")),
    Step("auth.resetPassword", None, body={"token": "{reset}", "password": NEW_PASSWORD}),
    Step(
        "auth.signIn",
        None,
        body={"email": "olive.oak@example.com", "password": NEW_PASSWORD},
        keep="owner",
    ),
    Step("me.putWorkspace", OLIVE, body={"workspaceId": "{workspace.id}"}),
    Step("me.getWorkspace", OLIVE),
    Step("me.changePassword", OLIVE, body={"current": NEW_PASSWORD, "password": PASSWORD}),
]
