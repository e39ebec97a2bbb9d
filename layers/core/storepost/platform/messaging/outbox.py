"""The outbox: a message to send is a row in the transaction of its cause.

The table's stream carries each new row to the relay, which sends it to its queue; a sweep sends
rows that the stream missed. A row is deleted once it is sent, so that the rows left are those that
are due.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pynamodb.attributes import JSONAttribute, UnicodeAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item
from storepost.values import clock
from storepost.values.ids import new_id, short
from storepost.values.stored_enum import StoredEnum

SHARDS = 32
"""How many partitions all workspaces' rows have; docs/adr/0026 says what one takes a second."""
MAX_MESSAGES = 200
"""How many messages a row has at most: so it stays far below DynamoDB's 400 KB."""

PARTITION = "due#outbox#"


class Queue(StoredEnum):
    """The queues, by what is in them."""

    EMAILS = "emails"
    WRITE_BACKS = "write_backs"
    ACCOUNT_ERASURES = "account_erasures"
    STORE_IMPORTS = "store_imports"
    PROFILE_MERGES = "profile_merges"
    WEBHOOKS = "webhooks"
    PROFILE_ERASURES = "profile_erasures"
    WORKSPACE_DELETIONS = "workspace_deletions"
    FEED_IMPORTS = "feed_imports"
    PRODUCT_JOBS = "product_jobs"
    PRODUCT_SALES = "product_sales"
    COUPON_CODES = "coupon_codes"
    SEARCH_REPAIRS = "search_repairs"
    """Of the stream's readers: nothing of the outbox goes there."""
    SES_FEEDBACK = "ses_feedback"
    """Of EventBridge: nothing of the outbox goes there."""
    WEBHOOK_DELIVERY = "webhook_delivery"
    WEBHOOK_RETRY = "webhook_retry"
    MIGRATIONS = "migrations"


@dataclass(frozen=True)
class Message:
    """One message: its body as JSON, and in a FIFO queue its group."""

    body: str
    group: str | None = None


class OutboxItem(Item, discriminator="outbox"):
    """Messages to send to one queue."""

    id = Identifier()
    queue = UnicodeAttribute()
    sent = JSONAttribute()
    """The messages, each `[body, group]`."""

    @property
    def is_due(self) -> bool:
        """Returns whether the row is due."""
        return self.sk.partition("#")[0] <= clock.to_text(clock.now())

    @property
    def is_for_known_queue(self) -> bool:
        """Returns whether this release has the queue; other rows wait for their release's sweep."""
        return Queue(self.queue).is_known

    @property
    def messages(self) -> list[Message]:
        """Returns the messages to send."""
        return [Message(body, group) for body, group, *_ in self.sent]


def partition(shard: int) -> str:
    """Returns one of the partitions that the sweep reads."""
    return f"{PARTITION}{shard}"


def send_with(
    changes: Changes,
    queue: Queue,
    bodies: Iterable[tuple[dict[str, object], str | None]],
    at: datetime | None = None,
) -> None:
    """Adds messages (body and FIFO group) to the transaction; those of one queue share rows.

    With `at`, a later time, the sweep sends them then, however far that is.

    A message's deduplication id is its row's id with the message's number, so that a receiver
    recognizes a message that is delivered twice.
    """
    rows: list[OutboxItem] = changes.shared(("outbox", queue, at), list)
    for body, group in bodies:
        if not rows or len(rows[-1].sent) == MAX_MESSAGES:
            rows.append(_new_row(changes, queue, at or clock.now()))
        rows[-1].sent.append([body_of(body), group])


def body_of(payload: dict[str, object]) -> str:
    """Returns a message's body."""
    return json.dumps(payload, separators=(",", ":"))


def _new_row(changes: Changes, queue: Queue, at: datetime) -> OutboxItem:
    """Adds a row without messages to the transaction, and returns it."""
    row = new_id()
    place = f"{clock.to_text(at)}#{short(row)}"
    item = OutboxItem(partition(row.int % SHARDS), place, id=row, queue=queue, sent=[])
    changes.create(item)
    return item


def due(shard: int, before: datetime) -> Iterable[OutboxItem]:
    """Returns the shard's rows that were due before that moment, oldest first."""
    return OutboxItem.rows_before(partition(shard), clock.to_text(before))
