"""What leaves a transaction: which rows it takes, and that each message goes out."""

import json
from collections.abc import Iterator

import pytest

from storepost.messaging import outbox, relay
from storepost.messaging.outbox import PARTITION, OutboxItem, Queue, send_with
from storepost.persistence.changes import Changes
from tests.world import World

QUEUES = {
    Queue.EMAILS: ("EmailQueue", None),
    Queue.WRITE_BACKS: ("WriteBackQueue", "a store"),
    Queue.ACCOUNT_ERASURES: ("AccountErasureQueue", None),
    Queue.STORE_IMPORTS: ("StoreImportQueue", "a store"),
    Queue.PROFILE_MERGES: ("ProfileMergeQueue", None),
    Queue.WEBHOOKS: ("WebhookQueue", "a record"),
    Queue.PROFILE_ERASURES: ("ProfileErasureQueue", None),
    Queue.WORKSPACE_DELETIONS: ("WorkspaceDeletionQueue", None),
    Queue.FEED_IMPORTS: ("FeedImportQueue", "a feed"),
    Queue.PRODUCT_JOBS: ("ProductJobQueue", None),
    Queue.PRODUCT_SALES: ("ProductSalesQueue", None),
    Queue.COUPON_CODES: ("CouponCodeQueue", "a-coupon"),
}
"""What template.yaml calls each, and in a FIFO queue a group."""


class Sqs:
    """Keeps what is sent; SQS takes ten messages a call."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, object]:  # noqa: N803
        assert 0 < len(Entries) <= 10
        self.sent += [(e["MessageDeduplicationId"], e["MessageBody"]) for e in Entries]
        return {}


@pytest.fixture
def sqs(monkeypatch: pytest.MonkeyPatch) -> Sqs:
    """In place of the queues."""
    kept = Sqs()
    monkeypatch.setattr(relay, "_sqs", lambda: kept)
    return kept


def rows(world: World) -> list[OutboxItem]:
    """The outbox."""
    return [row for row in world.rows(PARTITION) if isinstance(row, OutboxItem)]


def bodies(row: OutboxItem) -> Iterator[object]:
    """What a row's messages say."""
    return (json.loads(message.body) for message in row.messages)


def test_messages_to_one_queue_share_a_row(world: World) -> None:
    changes = Changes()
    send_with(changes, Queue.WRITE_BACKS, [({"n": 1}, "a"), ({"n": 2}, "b")])
    send_with(changes, Queue.EMAILS, [({"n": 3}, None)])
    send_with(changes, Queue.WRITE_BACKS, [({"n": 4}, "a")])
    assert len(changes) == 2
    changes.commit()
    found = {row.queue: row for row in rows(world)}
    assert list(bodies(found[Queue.WRITE_BACKS])) == [{"n": 1}, {"n": 2}, {"n": 4}]
    assert [m.group for m in found[Queue.WRITE_BACKS].messages] == ["a", "b", "a"]
    assert list(bodies(found[Queue.EMAILS])) == [{"n": 3}]


def test_another_unit_has_rows_of_its_own(world: World) -> None:
    changes = Changes()
    for number in range(2):
        send_with(changes, Queue.WRITE_BACKS, [({"n": number}, "a")])
        changes.clear()
    for number in range(2, 4):
        send_with(changes, Queue.WRITE_BACKS, [({"n": number}, "a")])
        changes.commit()
        changes.clear()
    assert sorted(len(row.messages) for row in rows(world)) == [1, 1]


def test_a_row_is_full_at_some_point(
    world: World, sqs: Sqs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_MESSAGES", 12)
    changes = Changes()
    send_with(changes, Queue.WRITE_BACKS, [({"n": n}, "a") for n in range(30)])
    changes.commit()
    assert sorted(len(row.messages) for row in rows(world)) == [6, 12, 12]
    for row in rows(world):
        relay.relay(row)
    ids, told = zip(*sqs.sent, strict=True)
    assert len(set(ids)) == 30
    assert sorted(json.loads(body)["n"] for body in told) == list(range(30))
    assert rows(world) == []


def test_nothing_to_send_takes_no_row(world: World) -> None:
    changes = Changes()
    send_with(changes, Queue.WRITE_BACKS, [])
    assert len(changes) == 0


@pytest.mark.parametrize("queue", Queue)
def test_to_its_queue_by_the_stream_and_by_the_sweep(world: World, queue: Queue) -> None:
    name, group = QUEUES[queue]
    changes = Changes()
    send_with(changes, queue, [({"n": 1}, group)])
    changes.commit()
    world.deliver_outbox()
    assert world.queue_depth(name) == 1
    changes = Changes()
    send_with(changes, queue, [({"n": 2}, group)])
    changes.commit()
    world.lose_stream()
    world.advance(minutes=3)
    world.sweep()
    assert world.queue_depth(name) == 2
    assert rows(world) == []
