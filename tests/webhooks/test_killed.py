"""Runs that die at any of their calls to AWS; messages that come twice, late, in any order."""

from collections.abc import Callable
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from local.template import functions
from storepost.platform.attempts.due import PARTITION
from storepost.platform.messaging.outbox import body_of
from storepost.platform.messaging.relay import NotSent
from storepost.values.ids import new_id
from storepost.webhooks.deliveries.messages import DeliveryMessage, RetryMessage
from storepost.webhooks.deliveries.model import first_delivery
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from storepost.webhooks.endpoints.repository import EndpointRepository
from storepost.webhooks.events.model import WebhookEvent
from tests.harness.call_interruption import counted
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.faults import FAULT, THROTTLED, faults, refusal
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.webhooks.receiving import DELIVERIES, RETRIES, Hooks


def hand_over(queue: str, message: DeliveryMessage) -> bool:
    """Hands a message to its worker, as SQS does once more; whether the worker is done with it."""
    record = {
        "messageId": str(new_id()),
        "receiptHandle": "handle",
        "body": body_of(message.payload()),
        "attributes": {"ApproximateReceiveCount": "2", "MessageGroupId": "group"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": aws.queue_arn(queue),
        "awsRegion": aws.REGION,
    }
    answer = invoke(reader_of(queue), {"Records": [record]})
    return not answer["batchItemFailures"]


def first_message(hooks: Hooks, endpoint: str) -> tuple[WebhookEvent, DeliveryMessage]:
    """An event, and the message of its first attempt."""
    [found] = EndpointRepository(hooks.workspace).all()
    assert str(found.id) == endpoint
    event = hooks.event("order.created", resource=None)
    return event, DeliveryMessage.first(first_delivery(hooks.workspace, found.id, event))


def ended(hooks: Hooks, endpoint: str, positions: object) -> dict[str, Any]:
    """The endpoint's one delivery, once it has no further attempt."""
    for _ in range(12):
        hooks.advance(timedelta(days=1, hours=3))
    [shown] = hooks.deliveries(endpoint)
    assert shown["status"] != "pending", positions
    assert hooks.world.rows(PARTITION) == [], positions
    assert hooks.world.queue_depth(RETRIES) + hooks.world.queue_depth(DELIVERIES) == 0, positions
    return shown


class TestAttempt:
    """One attempt, killed before and after each of its calls."""

    @pytest.mark.parametrize("status", [204, 500, 410])
    def test_first_attempt(self, hooks: Hooks, receiver: Receiver, status: int) -> None:
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        receiver.always = status
        found = crashes(
            hooks.world,
            lambda: hand_over(DELIVERIES, message),
            outside=[receiver.received],
            deliver=False,
        )
        assert len(found.positions) >= 6
        for positions in found:
            receiver.always = status
            assert hand_over(DELIVERIES, message), positions
            receiver.always = 204
            hooks.world.deliver()
            hooks.advance(timedelta(seconds=6))
            assert set(receiver.ids) == {str(message.delivery_id)}, positions
            [shown] = hooks.deliveries(endpoint)
            assert shown["status"] == ("failed" if status == 410 else "delivered"), positions
            assert len(receiver.received) <= 3, positions

    def test_delayed_attempt_stored_as_a_row(self, hooks: Hooks, receiver: Receiver) -> None:
        """The third attempt fails: the fourth one is half an hour later, in a row."""
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        receiver.answers = [500, 500]
        assert hand_over(DELIVERIES, message)
        hooks.advance(timedelta(seconds=6))
        [shown] = hooks.deliveries(endpoint)
        assert len(shown["attempts"]) == 2
        third = RetryMessage(
            message.workspace_id, message.endpoint_id, message.delivery_id, attempt=3
        )
        receiver.always = 500
        found = crashes(
            hooks.world,
            lambda: hand_over(RETRIES, third),
            outside=[receiver.received],
            deliver=False,
        )
        for positions in found:
            receiver.always = 500
            assert hand_over(RETRIES, third), positions
            receiver.always = 204
            hooks.advance(timedelta(minutes=36))
            [shown] = hooks.deliveries(endpoint)
            assert shown["status"] == "delivered", positions
            assert len(shown["attempts"]) == 4, positions

    def test_delivery_is_never_pending_forever(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        receiver.always = 500
        found = crashes(
            hooks.world,
            lambda: hand_over(DELIVERIES, message),
            outside=[receiver.received],
            deliver=False,
        )
        for positions in list(found)[-1:]:
            assert hand_over(DELIVERIES, message)
            shown = ended(hooks, endpoint, positions)
            # After five days without a success the endpoint is disabled, and the rest isn't tried.
            assert shown["status"] == "failed"


class TestSchedule:
    """The schedule of later attempts, killed before and after each of its calls."""

    def test_due_attempts_are_queued(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        receiver.answers = [(500, {"retry-after": "3600"})]
        assert hand_over(DELIVERIES, message)
        hooks.world.advance(hours=1.2)
        found = crashes(hooks.world, hooks.schedule, outside=[receiver.received], deliver=False)
        for positions in found:
            hooks.advance(timedelta(minutes=7))
            [shown] = hooks.deliveries(endpoint)
            assert len(shown["attempts"]) <= 2, positions
        [shown] = hooks.deliveries(endpoint)
        assert shown["status"] == "delivered"


class TestRequests:
    """Requests that send something."""

    @pytest.mark.parametrize("path", ["/test", "/deliveries/{delivery}/retry", "/replay"])
    def test_killed_at_any_call_sends_once(
        self, hooks: Hooks, receiver: Receiver, path: str
    ) -> None:
        receiver.answers = [410]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "enabled"})
        hooks.world.advance(seconds=1)
        receiver.received.clear()
        body = {"createdFrom": "2020-01-01T00:00:00Z"} if path == "/replay" else None
        target = f"/{endpoint}{path.format(delivery=delivery)}"

        def send() -> Any:
            return hooks.call("POST", target, json_body=body, key=KEY)

        for positions in crashes(hooks.world, send, outside=[receiver.received]):
            answer = until_answered(hooks.world, send)
            assert answer.status == 202, (positions, answer.body)
            hooks.world.deliver()
            assert len(receiver.received) == 1, positions


class TestMessages:
    """Messages that come twice, late and in another order."""

    def test_duplicated_and_reordered_messages(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        later = [
            RetryMessage(message.workspace_id, message.endpoint_id, message.delivery_id, attempt=n)
            for n in (2, 3)
        ]
        receiver.answers = [500, 500]
        assert hand_over(DELIVERIES, message)
        assert hand_over(RETRIES, later[0])
        begin_anew = hooks.world.checkpoint(deliver=False)
        for order in permutations([(DELIVERIES, message), *((RETRIES, each) for each in later)]):
            begin_anew()
            receiver.received.clear()
            for queue, each in [*order, *order]:
                assert hand_over(queue, each)
            [shown] = hooks.deliveries(endpoint)
            assert (shown["status"], len(shown["attempts"])) == ("delivered", 3)
            assert len(receiver.received) == 1

    def test_duplicate_event_is_one_delivery(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        event = hooks.event("order.created", resource=None)
        for _ in range(2):
            enqueue_deliveries([(hooks.workspace, event)])
            hooks.world.deliver()
        assert len(hooks.deliveries(endpoint)) == len(receiver.received) == 1

    @pytest.mark.parametrize("code", [*THROTTLED, FAULT.response["Error"]["Code"]])
    def test_throttled_attempt_is_delivered(
        self, hooks: Hooks, receiver: Receiver, code: str
    ) -> None:
        endpoint = hooks.endpoint()
        _, message = first_message(hooks, endpoint)
        for operation in ("BatchGetItem", "UpdateItem"):
            with faults(refusal(code), operation, times=2) as met:
                assert hand_over(DELIVERIES, message)
            assert met.met <= 2
        [shown] = hooks.deliveries(endpoint)
        assert shown["status"] == "delivered"
        assert set(receiver.ids) == {str(message.delivery_id)}

    def test_event_refused_by_sqs_is_sent_on_retry(self, hooks: Hooks, receiver: Receiver) -> None:
        hooks.endpoint()
        event = hooks.event("order.created", resource=None)
        with (
            faults(refusal("ServiceUnavailable"), "SendMessageBatch"),
            pytest.raises(NotSent),
        ):
            enqueue_deliveries([(hooks.workspace, event)])
        enqueue_deliveries([(hooks.workspace, event)])
        hooks.world.deliver()
        assert len(receiver.received) == 1


class TestStream:
    """The stream's reader, with real operations."""

    def happens(self, hooks: Hooks) -> None:
        answer = hooks.owner.call("POST", "/profiles", {"email": "canary@example.com"})
        assert answer.status == 201, answer.body

    def test_killed_at_any_call_sends_each_event_once(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        hooks.endpoint(["profile.*"])
        hooks.world.deliver()
        self.happens(hooks)
        records = hooks.world.records_for("outbox_relay")
        [relay] = [each for each in functions() if each.job == "outbox_relay"]

        def run() -> list[object]:
            return list(invoke(relay, {"Records": records})["batchItemFailures"])

        found = crashes(hooks.world, run, outside=[receiver.received], deliver=False)
        assert len(found.positions) >= 4
        for positions in found:
            assert run() == [], positions
            hooks.world.deliver()
            assert [each.json["type"] for each in receiver.received] == ["profile.created"], (
                positions
            )

    def test_workspaces_without_endpoints_cost_one_batch_read(self, hooks: Hooks) -> None:
        other = another(hooks.world)
        self.happens(hooks)
        self.happens(other)
        assert counted_dynamodb(hooks.world.relay) == ["BatchGetItem"]

    def test_deleted_endpoint_costs_no_query(self, hooks: Hooks) -> None:
        hooks.call("DELETE", f"/{hooks.endpoint()}")
        self.happens(hooks)
        assert counted_dynamodb(hooks.world.relay) == ["BatchGetItem"]

    def test_workspace_with_endpoints_costs_one_more_query(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        hooks.endpoint(["profile.*"])
        other = another(hooks.world)
        self.happens(hooks)
        self.happens(other)
        assert counted_dynamodb(hooks.world.relay) == ["BatchGetItem", "Query"]
        hooks.world.deliver()
        assert len(receiver.received) == 1

    def test_read_request_costs_nothing(self, hooks: Hooks) -> None:
        hooks.owner.call("GET", "/profiles")
        assert counted_dynamodb(hooks.world.relay) == []


def another(world: World) -> Hooks:
    """Another workspace, without endpoints, whose creation was sent to nobody."""
    owner = world.person()
    made = Hooks(world, owner, world.workspace(owner))
    world.deliver()
    return made


def counted_dynamodb(work: Callable[[], object]) -> list[str]:
    """The work's calls of DynamoDB, without those of the pump itself."""
    pumps = {"DescribeTable", "DescribeStream", "GetShardIterator", "GetRecords"}
    return [each for each in counted(work) if each not in pumps and "Message" not in each]
