"""The table's stream, filtered to what goes to a queue: outbox rows, changes of consent, orders,
and webhook events.
"""

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord

from storepost.orders.repository import OrderItem
from storepost.orders.sales import outgoing_of_order
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.consent.write_back_relay import outgoing_of_change
from storepost.platform.jobs.batches import relay_handler
from storepost.platform.messaging.outbox import OutboxItem
from storepost.platform.messaging.relay import Outgoing, outgoing_of
from storepost.platform.persistence.item import Item
from storepost.platform.persistence.streams import Image, row_of
from storepost.webhooks.deliveries.queueing import outgoing_deliveries
from storepost.webhooks.events.stream import events_of


def _may_have_message(image: Image) -> bool:
    """Whether the row is worth reading: most rows that come here have webhook events alone."""
    model = Item.model_of(image)
    return model in {OutboxItem, IndexedChangeItem} or (model is OrderItem and "to_count" in image)


def outgoing(record: DynamoDBRecord) -> Outgoing | None:
    """Returns a row's message for a queue; None if it has none, or not yet."""
    image = record.raw_event["dynamodb"].get("NewImage")
    if not image or not _may_have_message(image):
        return None
    row = row_of(image)
    if isinstance(row, OutboxItem):
        return outgoing_of(row) if row.is_due and row.is_for_known_queue else None
    if isinstance(row, IndexedChangeItem):
        return outgoing_of_change(row)
    if isinstance(row, OrderItem):
        return outgoing_of_order(row)
    return None


lambda_handler = relay_handler(outgoing, events_of, outgoing_deliveries)
