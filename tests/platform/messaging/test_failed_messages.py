"""A failed message is retried after seconds that grow, not after its queue's own minutes."""

import json
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from local import aws
from local.events import pumps
from local.template import resources
from storepost.platform.jobs.batches import fifo_queue_handler, queue_handler
from storepost.platform.jobs.runs import NotYet
from storepost.platform.messaging.queues import MAX_SECONDS, longest_wait
from storepost.platform.messaging.tries import TRIES
from tests.harness.faults import refusal
from tests.harness.world import World

QUEUES = pumps.read_queues()
DECLARED = resources("AWS::SQS::Queue")
LEASE_SECONDS = 300
"""No run is longer, and so no lease of one that was killed."""


class Remaining:
    """The context of an invocation with a minute left."""

    aws_request_id = "run"

    def get_remaining_time_in_millis(self) -> int:
        """The remaining milliseconds."""
        return 60_000


@pytest.fixture
def visibility_changes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The changed visibility timeouts: the queue's name and the seconds, of each."""
    seen: list[tuple[str, int]] = []
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def watched(client: Any, operation: str, parameters: Any) -> Any:
        if operation == "ChangeMessageVisibilityBatch":
            name = parameters["QueueUrl"].rpartition("/")[2]
            seen.extend((name, entry["VisibilityTimeout"]) for entry in parameters["Entries"])
        return plain(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", watched)
    return seen


def is_fifo(queue: str) -> bool:
    """Whether the template makes it one."""
    return bool(DECLARED[queue].get("FifoQueue"))


def send(queue: str, *bodies: str) -> None:
    """Puts messages into a queue, all of one group."""
    sqs, url = boto3.client("sqs"), aws.queue_url(queue)
    for body in bodies:
        if is_fifo(queue):
            sqs.send_message(
                QueueUrl=url, MessageBody=body, MessageGroupId="one", MessageDeduplicationId=body
            )
        else:
            sqs.send_message(QueueUrl=url, MessageBody=body)


def event_of(queue: str, *receives: int) -> dict[str, Any]:
    """A batch of messages, each with its receive count."""
    send(queue, *(str(number) for number in range(len(receives))))
    received = boto3.client("sqs").receive_message(
        QueueUrl=aws.queue_url(queue), MaxNumberOfMessages=10, AttributeNames=["All"]
    )["Messages"]
    records = [pumps._queue_record(dict(message), queue) for message in received]
    for record, count in zip(records, receives, strict=True):
        record["attributes"]["ApproximateReceiveCount"] = str(count)
    return {"Records": records}


def fail(*_: object) -> None:
    """Fails for every message."""
    raise ValueError


@pytest.mark.parametrize("queue", QUEUES)
def test_each_queue_worker_shortens_the_retry_delay(
    world: World, visibility_changes: list[tuple[str, int]], queue: str
) -> None:
    """Its role allows that; an unreadable message is like any other that fails."""
    send(queue, "no JSON")
    pumps.pump_queue(queue)
    [(name, seconds)] = visibility_changes
    assert name == aws.queue_url(queue).rpartition("/")[2]
    assert 2 <= seconds <= 5
    assert world.queue_depth(queue) == 1


def test_retry_delay_grows_exponentially(
    world: World, visibility_changes: list[tuple[str, int]]
) -> None:
    event = event_of("EmailQueue", *range(1, TRIES + 1))
    queue_handler(fail)(event, Remaining())  # type: ignore[arg-type]
    # The least value that jitter may give, half of the longest.
    assert [seconds for _, seconds in visibility_changes] == [2, 10, 40, 160, 450, 450, 450]
    assert [longest_wait(tries) for tries in (1, 2, 3, 4, 5, 100)] == [5, 20, 80, 320, 900, 900]


def test_only_failed_messages_are_retried(
    world: World, visibility_changes: list[tuple[str, int]]
) -> None:
    event = event_of("EmailQueue", 1, 2, 3)

    def fail_the_second(record: Any, _context: object) -> None:
        if record.body == "1":
            raise ValueError

    answer = queue_handler(fail_the_second)(event, Remaining())  # type: ignore[arg-type]
    assert len(answer["batchItemFailures"]) == 1
    assert len(visibility_changes) == 1


def test_not_yet_is_retried_without_an_error_in_the_log(
    world: World, visibility_changes: list[tuple[str, int]], caplog: pytest.LogCaptureFixture
) -> None:
    def wait(*_: object) -> None:
        raise NotYet

    answer = queue_handler(wait)(event_of("EmailQueue", 1), Remaining())  # type: ignore[arg-type]
    assert len(answer["batchItemFailures"]) == len(visibility_changes) == 1
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
    queue_handler(fail)(event_of("EmailQueue", 1), Remaining())  # type: ignore[arg-type]
    assert [r.message for r in caplog.records if r.levelname == "ERROR"] == ["unexpected error"]


def test_fifo_messages_behind_a_failure_are_delayed_too(
    world: World, visibility_changes: list[tuple[str, int]]
) -> None:
    """SQS delivers no message of a group while another one of it is hidden."""
    event = event_of("WebhookQueue", 1, 1, 1)
    fifo_queue_handler(fail)(event, Remaining())  # type: ignore[arg-type]
    assert len(visibility_changes) == 3


def test_visibility_change_refused_by_sqs_still_reports_failures(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is retried after the queue's own timeout then."""
    event = event_of("EmailQueue", 1)
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def refuse(client: Any, operation: str, parameters: Any) -> Any:
        if operation == "ChangeMessageVisibilityBatch":
            raise refusal("ServiceUnavailable", status=503)
        return plain(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", refuse)
    answer = queue_handler(fail)(event, Remaining())  # type: ignore[arg-type]
    assert len(answer["batchItemFailures"]) == 1


@pytest.mark.parametrize("queue", QUEUES)
def test_retries_outlast_the_lease_of_a_killed_run(queue: str) -> None:
    """They also outlast half an hour in which AWS fails; jitter may halve each wait."""
    receives = DECLARED[queue]["RedrivePolicy"]["maxReceiveCount"]
    shortest = sum(longest_wait(tries) / 2 for tries in range(1, receives))
    assert shortest > max(LEASE_SECONDS, 15 * 60)
    assert longest_wait(receives) <= MAX_SECONDS


def test_simulated_error_equals_botocores() -> None:
    """Errors made by `refusal` are read as botocore's own are."""
    error = refusal("TransactionCanceledException", "None", "TransactionConflict")
    assert isinstance(error, ClientError)
    assert json.dumps(error.response)
