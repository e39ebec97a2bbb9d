"""Runs of later work than attempts, killed before and after each of their calls to AWS.

These are a replay of failed deliveries, and the check of a failing endpoint.
"""

import json
from datetime import timedelta
from typing import Any

import pytest

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.values.ids import new_id
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.later_attempts import delayed, lose_delayed
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.webhooks.receiving import HOOK, RETRIES, Hooks

FAILS, DISABLED = f"A webhook endpoint at {HOOK} fails", f"We disabled a webhook endpoint at {HOOK}"


def waiting_body(world: World) -> dict[str, Any]:
    """The one message in the queue of later work, taken out of it."""
    world.deliver_outbox()
    [message] = delayed()
    body: dict[str, Any] = json.loads(message.body)
    lose_delayed()
    return body


def hand_over(body: dict[str, Any]) -> bool:
    """Hands a message to the worker of later work; whether the worker is done with it."""
    record = {
        "messageId": str(new_id()),
        "receiptHandle": "handle",
        "body": json.dumps(body),
        "attributes": {"ApproximateReceiveCount": "2", "MessageGroupId": "group"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": aws.queue_arn(RETRIES),
        "awsRegion": aws.REGION,
    }
    return not invoke(reader_of(RETRIES), {"Records": [record]})["batchItemFailures"]


class TestReplay:
    """POST /webhook-endpoints/{id}/replay, the worker's part."""

    @pytest.fixture
    def failed(self, hooks: Hooks, receiver: Receiver) -> str:
        """An endpoint with three failed deliveries, as it was disabled before their attempts."""
        endpoint = hooks.endpoint()
        receiver.always = 500
        for _ in range(3):
            enqueue_deliveries([(hooks.workspace, hooks.event())])
            hooks.world.deliver()
            hooks.world.advance(seconds=1)
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "disabled"})
        hooks.advance(timedelta(seconds=10))
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "enabled"})
        receiver.always = 204
        receiver.received.clear()
        return endpoint

    def test_each_failed_delivery_is_replayed_once(
        self, hooks: Hooks, receiver: Receiver, failed: str
    ) -> None:
        before = {each["id"] for each in hooks.deliveries(failed)}
        body = {"createdFrom": "2020-01-01T00:00:00Z"}
        assert hooks.call("POST", f"/{failed}/replay", json_body=body).status == 202
        message = waiting_body(hooks.world)
        found = crashes(
            hooks.world, lambda: hand_over(message), outside=[receiver.received], deliver=False
        )
        assert len(found.positions) >= 4
        for positions in found:
            assert hand_over(message), positions
            hooks.world.deliver()
            hooks.world.advance(minutes=5)
            hooks.world.sweep()
            hooks.world.deliver()
            new = [each for each in hooks.deliveries(failed) if each["replayOf"]]
            assert {each["replayOf"] for each in new} == before, positions
            assert len(new) == len(before), positions
            assert {each["status"] for each in new} == {"delivered"}, positions
            assert sorted(receiver.ids) == sorted(each["id"] for each in new), positions

    def test_concurrent_runs_replay_each_failed_delivery_once(
        self, hooks: Hooks, receiver: Receiver, failed: str
    ) -> None:
        body = {"createdFrom": "2020-01-01T00:00:00Z"}
        assert hooks.call("POST", f"/{failed}/replay", json_body=body).status == 202
        message = waiting_body(hooks.world)
        with before_the_commit(lambda: hand_over(message)):
            assert hand_over(message)
        hooks.world.deliver()
        new = [each for each in hooks.deliveries(failed) if each["replayOf"]]
        assert len(new) == 3
        assert sorted(receiver.ids) == sorted(each["id"] for each in new)

    def test_delivery_retried_during_replay_is_not_replayed(
        self, hooks: Hooks, receiver: Receiver, failed: str
    ) -> None:
        """The attempt by hand is made, and nothing takes the delivery for a failed one before."""
        body = {"createdFrom": "2020-01-01T00:00:00Z"}
        assert hooks.call("POST", f"/{failed}/replay", json_body=body).status == 202
        message, [one, *_] = waiting_body(hooks.world), hooks.deliveries(failed)
        retries: list[int] = []

        def retry() -> None:
            retries.append(hooks.call("POST", f"/{failed}/deliveries/{one['id']}/retry").status)

        with before_the_commit(retry):
            assert hand_over(message)
        hooks.world.deliver()
        assert retries == [202]
        assert hooks.delivery(failed, one["id"])["status"] == "delivered"
        new = [each for each in hooks.deliveries(failed) if each["replayOf"]]
        assert len(new) == 2
        assert sorted(receiver.ids) == sorted([one["id"], *(each["id"] for each in new)])


class TestFailingEndpoint:
    """The check of an endpoint that still fails, a day and five days after it began to."""

    @pytest.mark.parametrize(
        ("days", "status", "emails"),
        [(1, "enabled", [FAILS]), (5, "disabled", [DISABLED])],
        ids=["told", "disabled"],
    )
    def test_owner_is_emailed_once(
        self, hooks: Hooks, receiver: Receiver, days: int, status: str, emails: list[str]
    ) -> None:
        receiver.always = 500
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        since = hooks.shown(endpoint)["failingSince"]
        for _ in range(days - 1):
            hooks.advance(timedelta(days=1, minutes=1))
            assert [each.subject for each in hooks.world.emails()] == [FAILS]
        hooks.world.advance(days=1, minutes=1)
        message = {
            "workspaceId": str(hooks.workspace.id),
            "endpointId": endpoint,
            "failingSince": since,
        }
        found = crashes(
            hooks.world, lambda: hand_over(message), outside=[receiver.received], deliver=False
        )
        assert len(found.positions) >= 4
        for positions in found:
            assert hand_over(message), positions
            assert hooks.shown(endpoint)["status"] == status, positions
            assert [each.subject for each in hooks.world.emails()] == emails, positions
