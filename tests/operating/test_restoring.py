"""A table that was backed up and restored, in a new stack: earlier credentials still work.

The new stack is a process of its own, which takes two seconds: nothing in this process's memory can
help it.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import boto3
import pytest

from local.template import ROOT
from storepost.accounts.identity.model import KeyScope
from tests.harness.world import BASE_URL, CANARY, Answer, Someone, World
from tests.operating.restored import TABLE

PEOPLE = 12


@dataclass(frozen=True)
class Before:
    """The credentials and links that the lost stack had issued."""

    owner: Someone
    key: str
    profile: str
    link: str
    pages: list[str]

    def reads(self) -> list[dict[str, Any]]:
        """Who the owner is, by their session; every page of the people, by a key; a search."""
        lists = [f"/profiles?pageSize=10&page={page}" for page in (1, 2)]
        found = f"/profiles?q=ann{CANARY}3"
        return [
            {"method": "GET", "path": "/v1/me", "token": self.owner.token},
            *({"method": "GET", "path": f"/v1{p}", "token": self.key} for p in [*lists, found]),
        ]


@pytest.fixture
def before(world: World) -> Before:
    """A workspace with people, a link in an email, and an email that wasn't sent yet."""
    owner = world.person()
    workspace = world.workspace(owner)
    key = world.api_key(workspace, KeyScope.WRITE, owner)
    ids = []
    for number in range(PEOPLE):
        body = {"email": f"ann{CANARY}{number}@example.com"}
        ids.append(world.call("POST", "/profiles", token=key, json_body=body).json["id"])
    path = f"/profiles/{ids[0]}/consent/email"
    assert world.call("PUT", path, token=key, json_body={"state": "subscribed"}).status == 200
    made = world.call("POST", f"/profiles/{ids[0]}/unsubscribe-links", token=key)
    world.deliver()
    invited = {"email": f"guest.{CANARY}@example.com", "role": "member"}
    owner.call("POST", "/invitations", invited)
    reading = Before(owner, key, ids[0], made.json["url"].removeprefix(BASE_URL), [])
    responses = [here(world, request) for request in reading.reads()]
    assert {answer.status for answer in responses} == {200}
    return Before(owner, key, ids[0], reading.link, [answer.body.decode() for answer in responses])


def here(world: World, request: dict[str, Any]) -> Answer:
    """The lost stack's own answers."""
    path, _, query = request["path"].removeprefix("/v1").partition("?")
    pairs = dict(parse_qsl(query))
    return world.call(request["method"], path, query=pairs, token=request["token"])


def backup() -> list[dict[str, Any]]:
    """All rows of the table, in DynamoDB's own notation: the content of a backup."""
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName="Table")
    return [row for page in pages for row in page["Items"]]


def restored(requests: list[dict[str, Any]], keys: str = "theirs") -> Any:
    """The answers of a new stack on a backup made now."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers" / "core")])
    own = {n: v for n, v in os.environ.items() if not n.startswith("AWS_ENDPOINT_URL")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.operating.restored"],
        input=json.dumps({"rows": backup(), "keys": keys, "requests": requests}),
        capture_output=True, text=True, check=False, timeout=120,
        env={**own, "PYTHONPATH": paths, "POWERTOOLS_LOG_LEVEL": "CRITICAL"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def unsubscribe(before: Before) -> list[dict[str, Any]]:
    """The click on the link, and the profile's consent afterwards."""
    click = {"method": "POST", "path": f"/v1{before.link}", "form": "List-Unsubscribe=One-Click"}
    shown = {"method": "GET", "path": f"/v1/profiles/{before.profile}", "token": before.key}
    return [click, shown]


def test_restored_table_accepts_earlier_sessions_keys_and_links(before: Before) -> None:
    result = restored([*before.reads(), *unsubscribe(before)])
    assert TABLE in result["tables"]
    assert "Table" not in result["tables"]
    *reads, click, shown = result["answers"]
    assert [answer["body"] for answer in reads] == before.pages
    assert click["status"] == 200
    assert json.loads(shown["body"])["emailMarketingConsent"] == "unsubscribed"
    assert len(result["emails"]) == 1


def test_restore_without_kms_keys_loses_links_and_queued_emails(before: Before) -> None:
    """So a backup of the table alone isn't enough."""
    result = restored([*before.reads(), *unsubscribe(before)], keys="new")
    *reads, click, _ = result["answers"]
    assert [answer["body"] for answer in reads] == before.pages
    assert click["status"] == 404
    assert result["emails"] == []
