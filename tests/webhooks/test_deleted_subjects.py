"""Attempts that wait while their subject is deleted: a person, a whole workspace."""

from datetime import timedelta
from typing import Any

import pytest

from storepost.platform.attempts.due import PARTITION
from storepost.platform.attempts.waits import WAITS
from storepost.webhooks.deliveries.rows import DeliveryItem
from tests.harness.later_attempts import delayed
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY, World
from tests.lifecycle.workspaces.full_workspace import Home
from tests.orders.sample import order
from tests.webhooks.receiving import HOOK, RETRIES, Hooks

EMAIL = f"eve.{CANARY}@example.com"
WORDS = (CANARY, "Evelyn", "Adams")


def ask(hooks: Hooks, method: str, path: str, body: object = None) -> dict[str, Any]:
    """The answer to the owner's request, which must succeed."""
    answer = hooks.owner.call(method, path, body)
    assert answer.status < 300, answer.body
    return dict(answer.json) if answer.body else {}


def known(hooks: Hooks) -> str:
    """A person with an order and an opt-out."""
    store = hooks.world.store(hooks.owner)
    named = {"email": EMAIL, "firstName": "Evelyn", "lastName": "Adams"}
    profile = str(ask(hooks, "POST", "/profiles", named)["id"])
    ask(hooks, "PUT", f"/stores/{store}/orders/o-1", order(customer={"email": EMAIL}))
    ask(hooks, "PUT", f"/profiles/{profile}/consent/email", {"state": "unsubscribed"})
    return profile


def delivered(receiver: Receiver) -> list[str]:
    """The bodies received so far, which are then cleared."""
    bodies = [each.body.decode() for each in receiver.received]
    receiver.received.clear()
    return bodies


class TestErased:
    """A person is erased while each of their events waits for its next attempt."""

    @pytest.mark.parametrize("failed", [1, 3], ids=["it waits in the queue", "it waits in a row"])
    def test_later_attempts_and_logs_contain_no_personal_data(
        self, hooks: Hooks, receiver: Receiver, failed: int, capfd: pytest.CaptureFixture[str]
    ) -> None:
        types = ["profile.*", "consent.*", "order.*"]
        endpoint = hooks.endpoint(types)
        receiver.always = 503
        profile = known(hooks)
        hooks.world.deliver()
        for wait in WAITS[: failed - 1]:
            hooks.advance(wait * 1.1 + timedelta(seconds=1))
        before = delivered(receiver)
        assert any(word in body for body in before for word in WORDS), "it was said once"
        waiting = {each["id"]: each for each in hooks.deliveries(endpoint)}
        assert {len(each["attempts"]) for each in waiting.values()} == {failed}
        ask(hooks, "DELETE", f"/profiles/{profile}")
        receiver.always = 204
        # Some before the worker has removed anything, the others after it.
        hooks.advance(WAITS[failed - 1] * 1.1 + timedelta(seconds=1))
        hooks.world.deliver()
        messages = {each.id: each.json for each in receiver.received}
        assert messages.keys() > waiting.keys()
        assert not [body for body in delivered(receiver) if any(word in body for word in WORDS)]
        [no] = [each for each in messages.values() if each["type"] == "consent.changed"]
        assert no["data"] == {"id": no["data"]["id"], "profileId": profile}
        erased = [each["data"]["id"] for each in messages.values() if "erased" in each["type"]]
        assert erased == [profile]
        assert {each["status"] for each in hooks.deliveries(endpoint)} == {"delivered"}
        rows = [row for row in hooks.world.rows() if isinstance(row, DeliveryItem)]
        assert rows
        assert not [r for r in rows if any(w in str(r.to_dynamodb_dict()) for w in WORDS)]
        lines = capfd.readouterr()
        assert not any(word in lines.out + lines.err for word in WORDS)


class TestWorkspace:
    """A workspace is deleted with endpoints and waiting deliveries."""

    def test_pending_deliveries_are_not_sent_and_all_rows_deleted(
        self, world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        home = Home(world)
        hooks = Hooks(world, home.owner, home.workspace)
        world.deliver()
        failing = hooks.endpoint(["webhook.test"])
        receiver.always = 503
        hooks.tested(failing)
        world.deliver()
        for wait in WAITS[:2]:
            hooks.advance(wait * 1.1 + timedelta(seconds=1))
        assert world.rows(PARTITION), "its fourth attempt waits in a row"
        hooks.tested(failing)
        world.deliver()
        assert delayed(), "another one's waits in the queue"
        hooks.endpoint()
        ask(hooks, "POST", "/profiles", {"email": EMAIL})
        sent = len(receiver.received)
        assert home.delete().status == 202
        world.deliver()
        assert home.remove(), "something may still be written for ten minutes"
        for _ in range(8):
            hooks.advance(timedelta(days=1))
        assert not home.remove()
        assert len(receiver.received) == sent
        assert world.rows(PARTITION) == []
        assert home.left() == []
        assert world.queue_depth(RETRIES) == len(delayed()) == 0
        assert world.queue_depth("WebhookRetryDeadLetters") == 0
