"""Fifty calls at once with one idempotency key have one effect, and get the same answer."""

import json
from typing import Any

import pytest

from tests.concurrency.containers import containers
from tests.concurrency.requests import request
from tests.harness.world import Someone, World

pytestmark = pytest.mark.dynoxide

CALLS = 50
IN_PROGRESS = "idempotency_in_progress"


def replayed(answer: Any) -> bool:
    return bool(answer.headers.get("idempotency-replayed") == "true")


def test_one_effect_and_identical_responses(world: World, owner: Someone) -> None:
    """An invitation, which sends an email; and a key, whose secret each call's answer has."""
    invited = {"email": "guest.canary@example.com", "role": "member"}
    with containers(CALLS) as fifty:
        for path, body in (
            ("/invitations", invited),
            ("/api-keys", {"name": "K", "scope": "read"}),
        ):
            event = request("POST", path, owner, body, key="one")
            answers = fifty.at_once([event] * CALLS, again=[IN_PROGRESS])
            assert {answer.status for answer in answers} == {201}
            assert len({answer.body for answer in answers}) == 1
            assert [replayed(answer) for answer in answers].count(False) == 1
            created = json.loads(answers[0].body)
            listed = owner.call("GET", path).json
            assert [each["id"] for each in listed["items"]] == [
                created.get("apiKey", created)["id"]
            ]
    (email,) = world.emails()
    assert email.to == invited["email"]
    # Some arrived while the first was running; all but one failed to claim the key.
    assert fifty.again[IN_PROGRESS] > 0
    assert fifty.refused["PutItem"] >= 2 * (CALLS - 1)
    print(f"\n{CALLS} calls with one key, twice: {dict(fifty.again)}, {dict(fifty.refused)}")


def test_different_body_with_the_same_key_is_refused(owner: Someone) -> None:
    """Whichever call wins, the other one's invitation isn't created."""
    addresses = ["one.canary@example.com", "two.canary@example.com"]
    with containers(2) as two:
        for run in range(20):
            events = [
                request("POST", "/invitations", owner, {"email": a, "role": "member"}, f"k{run}")
                for a in (f"{run}.{address}" for address in addresses)
            ]
            answers = two.at_once(events)
            assert sorted(answer.status for answer in answers) == [201, 422]
            (refused,) = (json.loads(a.body) for a in answers if a.status == 422)
            assert refused["code"] == "idempotency_key_reused"
    invitations = owner.call("GET", "/invitations").json
    assert invitations["total"] == 20
