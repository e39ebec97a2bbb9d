"""A transaction's bytes: DynamoDB accepts 4 MB for all rows together, which moto doesn't check."""

import pytest

from storepost.platform.messaging.outbox import OutboxItem, Queue
from storepost.platform.persistence.changes import Changes, TooManyWrites
from storepost.platform.persistence.transaction import MAX_BYTES
from storepost.values.ids import new_id
from tests.harness.world import World


def unit_of(rows: int, size: int) -> Changes:
    """A unit of work that writes so many rows of so many bytes."""
    changes = Changes()
    for number in range(rows):
        sent = [["x" * size, None]]
        changes.create(
            OutboxItem("size", f"{number:03}", id=new_id(), queue=Queue.EMAILS, sent=sent)
        )
    return changes


def test_transaction_over_the_byte_limit_is_not_sent(world: World) -> None:
    with pytest.raises(TooManyWrites):
        unit_of(20, 250_000).commit()
    assert world.rows("size") == []


def test_transaction_within_the_byte_limit_is_sent(world: World) -> None:
    unit_of(20, MAX_BYTES // 20 - 1_000).commit()
    assert len(world.rows("size")) == 20
