"""moto's queues, which count their messages only when a caller asks for the numbers."""

from collections.abc import Iterator
from typing import Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import Message, Queue, sqs_backends

from local import aws
from local.aws.moto_queues import COUNTS, attributes_by_moto


@pytest.fixture
def queue() -> Iterator[Queue]:
    """A queue of two messages that wait, one in flight and three that are delayed."""
    sqs, url = aws.client("sqs"), aws.queue_url("WebhookRetryQueue")
    for delay in (0, 0, 0, 60, 60, 60):
        sqs.send_message(QueueUrl=url, MessageBody="{}", DelaySeconds=delay)
    sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1)
    made = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues[url.rpartition("/")[2]]
    yield made
    made._messages = []


@pytest.mark.parametrize(
    "attribute_names", [["All"], *([name] for name in COUNTS), ["QueueArn", *COUNTS]]
)
def test_queue_attributes_equal_motos(queue: Queue, attribute_names: list[str]) -> None:
    found = aws.client("sqs").get_queue_attributes(
        QueueUrl=aws.queue_url("WebhookRetryQueue"), AttributeNames=attribute_names
    )["Attributes"]
    by_moto = {name: str(value) for name, value in attributes_by_moto(queue).items()}
    assert found == {
        name: value
        for name, value in by_moto.items()
        if (name in attribute_names or attribute_names == ["All"]) and value != "None"
    }
    assert {found[name] for name in COUNTS if name in found} <= {"1", "2", "3"}


def test_sending_does_not_scan_other_messages(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Any] = []
    monkeypatch.setattr(Message, "visible", property(looked_at.append))
    sqs, url = aws.client("sqs"), aws.queue_url("WebhookRetryQueue")
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "{}"}])
    assert len(queue._messages) == 8
    assert looked_at == []
