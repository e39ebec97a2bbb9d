"""moto's stream in a run that lasts long."""

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from local.aws import REGION
from local.aws.moto_streams import PassedRecords
from local.aws.stream_positions import StreamPositions
from local.events.pumps import StreamPump
from storepost.platform.messaging import outbox
from storepost.platform.persistence.changes import Changes
from tests.harness.world import World


def put_messages(count: int) -> None:
    """Rows, each with a record in the stream."""
    for number in range(count):
        changes = Changes()
        outbox.send_with(changes, outbox.Queue.EMAILS, [({"name": str(number)}, None)])
        changes.commit()


def test_records_read_by_all_readers_are_freed(world: World) -> None:
    put_messages(3)
    readers = StreamPump().readers
    positions = StreamPositions(keep=PassedRecords(REGION, "Table", len(readers)).free)
    first, *others = StreamPump(positions=positions).readers
    items = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables["Table"].stream_shard.items  # type: ignore[union-attr]
    first.pump()
    assert None not in items
    written = len(items)
    for reader in others:
        reader.pump()
    assert items[:written] == [None] * written
    put_messages(1)
    assert sum(reader.pump() for reader in [first, *others]) > 0
