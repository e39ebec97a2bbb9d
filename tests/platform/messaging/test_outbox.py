"""Messages of a transaction: the rows that they need, and that each is sent."""

import json
from collections.abc import Iterator
from math import ceil
from typing import cast
from uuid import UUID

import pytest

from storepost.platform.messaging import outbox, relay
from storepost.platform.messaging.outbox import PARTITION, SHARDS, OutboxItem, Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.values.settings import settings
from tests.harness.faults import CONFLICT_OF_ONE, faults
from tests.harness.world import World
from tests.platform.counted_tree.engine import size_of

QUEUES = {
    Queue.WEBHOOK_DELIVERY: ("WebhookDeliveryQueue", "group"),
    Queue.WEBHOOK_RETRY: ("WebhookRetryQueue", None),
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
    Queue.MIGRATIONS: ("MigrationQueue", None),
}
"""What template.yaml calls each, and in a FIFO queue a group; others are fed past the outbox."""


class Sqs:
    """Keeps the messages that are sent; SQS accepts ten a call."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.refuses: set[str] = set()
        """Queues that take nothing, by the last part of their address."""

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, object]:  # noqa: N803
        assert 0 < len(Entries) <= 10
        if QueueUrl.rpartition("/")[2] in self.refuses:
            return {"Failed": [{"Id": e["Id"], "Code": "ServiceUnavailable"} for e in Entries]}
        self.sent += [(e.get("MessageDeduplicationId", ""), e["MessageBody"]) for e in Entries]
        return {}


@pytest.fixture
def sqs(monkeypatch: pytest.MonkeyPatch) -> Sqs:
    """In place of the queues."""
    client = Sqs()
    monkeypatch.setattr(relay, "_sqs", lambda: client)
    return client


def rows(world: World) -> list[OutboxItem]:
    """The outbox."""
    return [row for row in world.rows(PARTITION) if isinstance(row, OutboxItem)]


def bodies(row: OutboxItem) -> Iterator[object]:
    """The bodies of a row's messages."""
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


def test_cleared_unit_keeps_no_messages(world: World) -> None:
    changes = Changes()
    for number in range(2):
        send_with(changes, Queue.WRITE_BACKS, [({"n": number}, "a")])
        changes.clear()
    for number in range(2, 4):
        send_with(changes, Queue.WRITE_BACKS, [({"n": number}, "a")])
        changes.commit()
        changes.clear()
    assert sorted(len(row.messages) for row in rows(world)) == [1, 1]


def test_full_outbox_row_is_split(world: World, sqs: Sqs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_MESSAGES", 12)
    changes = Changes()
    send_with(changes, Queue.WRITE_BACKS, [({"n": n}, "a") for n in range(30)])
    changes.commit()
    assert sorted(len(row.messages) for row in rows(world)) == [6, 12, 12]
    for row in rows(world):
        relay.relay(row)
    ids, bodies = zip(*sqs.sent, strict=True)
    assert len(set(ids)) == 30
    assert sorted(json.loads(body)["n"] for body in bodies) == list(range(30))
    assert rows(world) == []


def test_no_messages_write_no_row(world: World) -> None:
    changes = Changes()
    send_with(changes, Queue.WRITE_BACKS, [])
    assert len(changes) == 0


def test_partitions_sustain_a_thousand_webhooks_a_second(world: World) -> None:
    """Those of all shops, 10 KB each: DynamoDB writes 1,000 units a second of one key."""
    changes = Changes()
    send_with(changes, Queue.WEBHOOKS, [({"body": "x" * 10_000}, "a record")])
    changes.commit()
    (row,) = rows(world)
    kilobytes = ceil(size_of(row.serialize()) / 1024)
    written, deleted = 2 * kilobytes, kilobytes
    assert SHARDS * 1000 / (written + deleted) >= 1000


def test_every_queue_fed_by_the_outbox_is_listed() -> None:
    assert QUEUES.keys() == set(Queue) - {Queue.SES_FEEDBACK, Queue.SEARCH_REPAIRS}


@pytest.mark.parametrize("queue", QUEUES)
def test_stream_and_sweep_each_send_to_the_queue(world: World, queue: Queue) -> None:
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


def test_row_deletion_conflict_is_retried_and_sent_once(world: World, sqs: Sqs) -> None:
    """The row's deletion is retried, not the whole record of the stream."""
    changes = Changes()
    send_with(changes, Queue.PRODUCT_SALES, [({"n": 1}, None)])
    changes.commit()
    with faults(CONFLICT_OF_ONE, "DeleteItem", times=1) as met:
        world.deliver_outbox()
    assert (met.met, len(sqs.sent), rows(world)) == (1, 1, [])


class TestSweep:
    """Each row is sent by itself."""

    def test_refused_row_does_not_block_others(
        self, world: World, sqs: Sqs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It doesn't hold back rows of later shards either."""
        refused = settings().queue_urls[Queue.EMAILS].rpartition("/")[2]
        sqs.refuses.add(refused)
        for shard in range(SHARDS):
            monkeypatch.setattr(outbox, "new_id", lambda shard=shard: UUID(int=shard))
            for queue in (Queue.EMAILS, Queue.WRITE_BACKS):
                changes = Changes()
                send_with(changes, queue, [({"shard": shard}, "a")])
                changes.commit()
                monkeypatch.setattr(outbox, "new_id", lambda n=shard: UUID(int=n + SHARDS))
        world.lose_stream()
        world.advance(minutes=3)
        with pytest.raises(relay.NotSent, match="emails"):
            world.sweep()
        assert sorted(json.loads(body)["shard"] for _, body in sqs.sent) == list(range(SHARDS))
        assert {row.queue for row in rows(world)} == {Queue.EMAILS}
        sqs.refuses.clear()
        world.sweep()
        assert rows(world) == []

    def test_malformed_row_does_not_block_others(self, world: World, sqs: Sqs) -> None:
        """Whatever error it causes."""
        for queue in ("no such queue", Queue.PRODUCT_SALES):
            changes = Changes()
            send_with(changes, cast("Queue", queue), [({"n": 1}, None)])
            changes.commit()
        world.lose_stream()
        world.advance(minutes=3)
        with pytest.raises(relay.NotSent):
            world.sweep()
        assert len(sqs.sent) == 1
