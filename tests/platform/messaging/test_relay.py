"""The messages that the relay sends together, and its retries if SQS refuses some of them."""

import json
from typing import Any

import pytest

from local.functions import invoke
from local.template import functions
from storepost.platform.messaging import relay
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.patience import patience
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.settings import settings
from tests.harness.faults import faults, refusal
from tests.harness.world import World


class Sqs:
    """Keeps each call; refuses the messages that a test names."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[Any]]] = []
        self.refuses: set[object] = set()
        """Bodies that it doesn't take."""
        self.fails_for = ""
        """The address of a queue that isn't there."""

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, object]:  # noqa: N803
        assert [each["Id"] for each in Entries] == [str(n) for n in range(len(Entries))]
        if QueueUrl == self.fails_for:
            raise refusal("QueueDoesNotExist")
        bodies = [json.loads(each["MessageBody"])["n"] for each in Entries]
        self.calls.append((QueueUrl.rpartition("/")[2], bodies))
        failed = [{"Id": str(n)} for n, body in enumerate(bodies) if body in self.refuses]
        return {"Failed": failed} if failed else {}


@pytest.fixture
def sqs(monkeypatch: pytest.MonkeyPatch) -> Sqs:
    """In place of the queues."""
    client = Sqs()
    monkeypatch.setattr(relay, "_sqs", lambda: client)
    return client


def write(queue: Queue, *numbers: object) -> None:
    """An outbox row with these messages."""
    changes = Changes()
    send_with(changes, queue, [({"n": number}, None) for number in numbers])
    changes.commit()


def run(world: World) -> list[int]:
    """Hands all waiting records to the relay at once; the places of those that it fails."""
    records = world._relay.waiting()
    numbers = [each["dynamodb"]["SequenceNumber"] for each in records]
    [function] = [each for each in functions() if each.job == "outbox_relay"]
    answer = invoke(function, {"Records": records})
    return [numbers.index(each["itemIdentifier"]) for each in answer["batchItemFailures"]]


def name_of(address: str) -> str:
    """A queue's name."""
    return address.rpartition("/")[2]


def test_rows_of_one_queue_are_sent_in_batches(world: World, sqs: Sqs) -> None:
    emails, imports = (
        settings().queue_urls[Queue.EMAILS],
        settings().queue_urls[Queue.STORE_IMPORTS],
    )
    for number in range(12):
        write(Queue.EMAILS, number)
    write(Queue.STORE_IMPORTS, 100, 101)
    write(Queue.EMAILS, 12)
    assert run(world) == []
    assert sqs.calls == [
        (name_of(emails), list(range(10))),
        (name_of(emails), [10, 11, 12]),
        (name_of(imports), [100, 101]),
    ]
    assert world.rows(PARTITION) == []


def test_refused_message_fails_all_rows_of_the_same_call(world: World, sqs: Sqs) -> None:
    for number in range(12):
        write(Queue.EMAILS, number)
    write(Queue.STORE_IMPORTS, 100)
    sqs.refuses.add(11)
    assert run(world) == [10, 11]
    assert len(world.rows(PARTITION)) == 2
    sqs.refuses.clear()
    assert run(world) == []
    assert world.rows(PARTITION) == []


def test_failed_call_does_not_block_other_queues(world: World, sqs: Sqs) -> None:
    write(Queue.EMAILS, 1)
    write(Queue.STORE_IMPORTS, 2)
    sqs.fails_for = settings().queue_urls[Queue.EMAILS]
    assert run(world) == [0]
    assert sqs.calls == [(name_of(settings().queue_urls[Queue.STORE_IMPORTS]), [2])]


def test_row_that_cannot_be_deleted_is_retried(world: World, sqs: Sqs) -> None:
    write(Queue.EMAILS, 1)
    write(Queue.EMAILS, 2)
    with faults(refusal("AccessDeniedException"), "DeleteItem"):
        assert run(world) == [0, 1]
    assert run(world) == []
    assert world.rows(PARTITION) == []


def test_malformed_row_is_retried_without_blocking_others(world: World, sqs: Sqs) -> None:
    changes = Changes()
    place = f"{clock.to_text(clock.now())}#1"
    changes.create(
        OutboxItem(f"{PARTITION}0", place, id=new_id(), queue=Queue.EMAILS, sent=[["no group"]])
    )
    changes.commit()
    write(Queue.EMAILS, 2)
    assert run(world) == [0]
    assert [bodies for _, bodies in sqs.calls] == [[2]]


def test_row_due_for_the_sweep_does_not_block_the_stream(world: World, sqs: Sqs) -> None:
    """Otherwise one queue that refuses everything would delay changes of consent for an hour."""
    write(Queue.EMAILS, 1)
    write("no such queue", 2)  # type: ignore[arg-type]
    world.advance(minutes=3)
    write(Queue.EMAILS, 3)
    sqs.fails_for = settings().queue_urls[Queue.EMAILS]
    assert run(world) == [2]
    assert len(world.rows(PARTITION)) == 3
    sqs.fails_for = ""
    with pytest.raises(relay.NotSent):
        relay.sweep()
    assert [bodies for _, bodies in sqs.calls] == [[1]]
    assert len(world.rows(PARTITION)) == 2


def test_sweep_ends_early_to_leave_time_for_other_work(world: World, sqs: Sqs) -> None:
    """A day's rows take longer than a run: the sweep would never look for lost write-backs."""
    write(Queue.EMAILS, 1)
    world.lose_stream()
    world.advance(minutes=3)
    with patience(22_900), pytest.raises(relay.NotSent, match="out of time"):
        relay.sweep()
    assert (sqs.calls, len(world.rows(PARTITION))) == ([], 1)
    with patience(60_000):
        assert relay.sweep() == 1


def test_calls_stay_within_the_sqs_size_limit(
    world: World, sqs: Sqs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "MAX_BYTES", 50)
    for text in ("a" * 20, "b" * 20, "c" * 60, "d"):
        write(Queue.EMAILS, text)
    assert run(world) == []
    assert [[str(body)[0] for body in bodies] for _, bodies in sqs.calls] == [
        ["a"],
        ["b"],
        ["c"],
        ["d"],
    ]
