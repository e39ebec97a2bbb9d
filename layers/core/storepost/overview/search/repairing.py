"""The worker that repairs the postings of the stream's failed records.

A message has only the number of a record that failed for good. Later records may have been handled
already, so its images only say which postings may be wrong: the row's current state says what is
right (`rewriting.py`).

The relay reads the same stream, so those records' messages are queued again here, too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from storepost.orders.repository import OrderItem
from storepost.orders.sales import queue_sales_count
from storepost.overview.search.rewriting import keys_of, rewrite
from storepost.overview.search.sources import entry_of
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.consent.write_back_relay import queue_pending
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item
from storepost.platform.persistence.streams import Image, Stretch, images_of, read_again, row_of
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.scope import WorkspaceScope


def repair(message: str, also: Callable[[Mapping[str, Any]], None]) -> None:
    """Repairs the postings of the records that a message names.

    `also` is called with each of the records, as the stream has it. A message without records is
    another release's: it is logged and left.
    """
    failed = json.loads(message).get("DDBStreamBatchInfo")
    if failed:
        _repair_records(failed, also)
    else:
        logger.warning("unknown repair")


def _repair_records(info: Mapping[str, Any], also: Callable[[Mapping[str, Any]], None]) -> None:
    """Rewrites postings, and queues the messages of changes of consent and of orders.

    It ignores outbox rows: the sweep finds those that are still there.
    """
    stretch = Stretch(
        info["streamArn"],
        info["shardId"],
        info["startSequenceNumber"],
        info["endSequenceNumber"],
    )
    for record in read_again(stretch):
        images = images_of(record)
        rows = [row_of(image) for image in images]
        _rewrite_changed(images, rows)
        if row := rows[1]:
            commit_anew(partial(_queue_again, row=row))
        also(record)


def _rewrite_changed(images: Sequence[Image | None], rows: Sequence[Item | None]) -> None:
    entries = [entry for entry in map(entry_of, rows) if entry]
    image = images[1] or images[0]
    if entries and image:
        workspace = WorkspaceScope.of(image["pk"]["S"])
        rewrite(
            workspace, entries[0].kind, {entries[0].id: keys_of(workspace, entries)}, packs=False
        )


def _queue_again(changes: Changes, row: Item) -> None:
    """Queues a row's message: the relay may have sent it, or may not."""
    if isinstance(row, IndexedChangeItem):
        queue_pending(changes, WorkspaceScope.of(row.pk), [row.change], clock.now())
    elif isinstance(row, OrderItem) and row.to_count:
        queue_sales_count(changes, WorkspaceScope.of(row.pk), row.id)
