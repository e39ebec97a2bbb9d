"""Messages of another release, with its fields, kinds, causes and queues, in this one's workers."""

import json
from typing import Any
from uuid import UUID

import pytest

from local import aws
from local.events.pumps import read_queues, reader_of
from local.functions import invoke
from local.template import functions
from storepost.accounts.emails.outgoing import SealedEmail
from storepost.platform.messaging import relay
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue
from storepost.platform.messaging.relay import NotSent
from storepost.values.settings import settings
from tests.formats.planting import faults
from tests.harness.world import World
from tests.platform.messaging.test_messages import SENT, A, B, C
from tests.platform.messaging.test_relay import Sqs, run, sqs, write

__all__ = ["sqs"]

WRITE_BACK = {"workspaceId": str(A), "profileId": str(B), "changeId": str(C), "storeId": str(B)}
RESEND = {"workspaceId": str(A), "storeId": str(B), "cause": "mended"}
PLAIN = [
    (message.queue, text)
    for message, _, text, _ in SENT
    if not isinstance(message, SealedEmail)  # the sample's content isn't really sealed
]
BODIES = [
    *PLAIN,
    (Queue.WRITE_BACKS, json.dumps(WRITE_BACK)),
    (Queue.WRITE_BACKS, json.dumps(RESEND)),
    (Queue.WRITE_BACKS, json.dumps({"workspaceId": str(A), "failingStore": str(B)})),
]
LATER: dict[str, Any] = {"addedLater": {"by": ["another release"]}, "added": "later", "number": 7}


def handled(queue: Queue, body: str) -> list[str]:
    """Delivers a message to the queue's worker; returns the errors if the message is retried."""
    name = settings().queue_urls[queue].rpartition("/")[2].removesuffix(".fifo")
    [logical_id] = [each for each in read_queues() if each == name]
    record = {
        "messageId": "m",
        "receiptHandle": "handle",
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:{name}",
        "awsRegion": aws.REGION,
    }
    with faults() as found:
        answer = invoke(reader_of(logical_id), {"Records": [record]})
    return found if answer["batchItemFailures"] else []


@pytest.mark.parametrize(("queue", "body"), BODIES)
def test_field_of_another_release_is_ignored(world: World, queue: Queue, body: str) -> None:
    assert handled(queue, json.dumps({**json.loads(body), **LATER})) == []


@pytest.mark.parametrize(
    ("queue", "body"),
    [
        (Queue.WRITE_BACKS, {**RESEND, "cause": "later"}),
        (
            Queue.PRODUCT_JOBS,
            {"job": "later", "workspaceId": str(A), "storeId": str(B), "id": str(C)},
        ),
        (Queue.SEARCH_REPAIRS, {"workspaceId": str(A), "later": True}),
        (Queue.MIGRATIONS, {"workspaceId": str(A), "name": "later", "run": 1}),
    ],
)
def test_kind_of_another_release_is_skipped(
    world: World, queue: Queue, body: dict[str, object]
) -> None:
    assert handled(queue, json.dumps(body)) == []


def test_webhook_resume_point_may_have_more_elements(world: World) -> None:
    [body] = [json.loads(text) for _, text in PLAIN if '"reached"' in text]
    body["reached"] = [*body["reached"], "later"]
    assert handled(Queue.WEBHOOKS, json.dumps(body)) == []


class TestQueues:
    """An outbox row for a queue that this release doesn't have."""

    LATER = Queue("of_a_later_release")

    def test_stream_sends_only_messages_of_known_queues(self, world: World, sqs: Sqs) -> None:
        for queue in (self.LATER, Queue.PROFILE_MERGES, self.LATER, Queue.STORE_IMPORTS):
            write(queue, 1)
        assert run(world) == []
        assert len(sqs.calls) == 2
        assert [row.queue for row in outbox(world)] == [self.LATER, self.LATER]

    def test_sweep_sends_known_queues_and_reports_the_unknown_one(
        self, world: World, sqs: Sqs
    ) -> None:
        for number in range(9):
            write(self.LATER, number)
            write(Queue.PROFILE_MERGES, number)
        world.advance(minutes=3)
        with pytest.raises(NotSent, match="of_a_later_release"):
            relay.sweep()
        assert sorted(body for _, [body] in sqs.calls) == [*range(9)]
        assert {row.queue for row in outbox(world)} == {self.LATER}
        assert len(outbox(world)) == 9

    def test_message_may_have_more_parts(self, world: World, sqs: Sqs) -> None:
        write(Queue.PROFILE_MERGES, 1)
        [row] = outbox(world)
        row.sent = [[*each, {"later": True}] for each in row.sent]
        row.save()
        world.advance(minutes=3)
        assert relay.sweep() == 1


def outbox(world: World) -> list[OutboxItem]:
    """Returns the waiting rows."""
    return [row for row in world.rows(PARTITION) if isinstance(row, OutboxItem)]


def test_every_queue_is_covered() -> None:
    own = {"EMAILS", "SES_FEEDBACK", "SEARCH_REPAIRS"}
    assert {queue for queue, _ in BODIES} >= {each for each in Queue if each.name not in own}
    assert len(functions()) > 10
    assert UUID(WRITE_BACK["storeId"]) == B
