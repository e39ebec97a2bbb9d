"""Requests that hold a password: what is kept of one to recognize its retry."""

import json
from hashlib import sha256
from typing import Any

import pytest

from storepost.platform.persistence.idempotency import Claim, RecordItem
from storepost.platform.persistence.powertools_private import hash_of_payload
from storepost.platform.persistence.sealing import clear_key_cache
from tests.accounts.me.accounts import NEW_PASSWORD, PASSWORD, account
from tests.harness.world import CANARY, Answer, Someone, World

KEY = "k"
REQUESTS: dict[str, dict[str, Any]] = {
    "/me/password": {"current": PASSWORD, "password": NEW_PASSWORD},
    "/me/email": {"email": f"new.{CANARY}@example.com", "password": PASSWORD},
    "/me/two-factor/app": {"password": PASSWORD},
    "/me/delete": {"password": PASSWORD},
    "/workspaces/{id}/delete": {"password": PASSWORD},
}


def sent(world: World, someone: Someone, path: str, body: dict[str, Any]) -> Answer:
    return world.call("POST", path, token=someone.token, json_body=body, key=KEY)


def guessed(path: str, body: str) -> str:
    """What whoever can read the table, and guesses the password, computes of the request."""
    request = {"method": "POST", "path": f"/v1{path}", "query": "", "body": body}
    claim = Claim({"key": KEY}, request)
    return hash_of_payload(claim._layer, claim._event)


class TestPasswords:
    @pytest.mark.parametrize("path", REQUESTS)
    def test_record_does_not_confirm_a_guessed_password(self, world: World, path: str) -> None:
        someone = account(world)
        world_path = path.replace("{id}", "") if "{id}" not in path else self.own(world, someone)
        answer = sent(world, someone, world_path, REQUESTS[path])
        assert answer.status in {200, 202, 204}, answer.body
        [record] = [each for each in RecordItem.scan() if each.validation]
        body = json.dumps(REQUESTS[path])
        assert record.validation != guessed(world_path, body)
        assert record.validation != sha256(body.encode()).hexdigest()

    def own(self, world: World, someone: Someone) -> str:
        body = {"name": "Olive"}
        made = world.call("POST", "/workspaces", token=someone.token, json_body=body)
        return f"/workspaces/{made.json['id']}/delete"

    def test_record_of_another_request_is_a_plain_hash(self, world: World) -> None:
        """So the test above compares what it should."""
        body = {"name": "Olive"}
        sent(world, account(world), "/workspaces", body)
        [record] = [each for each in RecordItem.scan() if each.validation]
        assert record.validation == guessed("/workspaces", json.dumps(body))

    def test_retry_is_recognized_in_another_container(self, world: World) -> None:
        someone = account(world)
        first = sent(world, someone, "/me/two-factor/app", {"password": PASSWORD})
        clear_key_cache()
        again = sent(world, someone, "/me/two-factor/app", {"password": PASSWORD})
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        other = sent(world, someone, "/me/two-factor/app", {"password": NEW_PASSWORD})
        assert other.problem() == (422, "idempotency_key_reused")
