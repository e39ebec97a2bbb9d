"""Carries a new change to the stores' queue: by the table's stream, or by a sweep if that failed.

The change's row in the index represents its messages. So the transaction writes no other row for
them, and none is deleted once they are sent (docs/adr/0068). The sweep reads the same index: a
write-back whose attempt has been due for hours has lost its message. One that waits for its next
attempt hasn't: that message is queued before the change records the wait.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.model import ConsentChange, WriteBackStatus
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.write_back_index import IndexedChangeItem, indexed_rows_behind
from storepost.people.consent.write_back_messages import payload_of
from storepost.people.consent.write_back_queue import queue_write_backs
from storepost.platform.messaging.outbox import Message, Queue, body_of
from storepost.platform.messaging.relay import Outgoing
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.stores.stores.sweeping import SweptWorkspaceItem, swept_in
from storepost.values import clock
from storepost.values.ids import from_short
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope

LOST_AFTER = timedelta(hours=2)
"""An attempt due for this long has no message in the queue, unless the queue is hours behind."""

MAX_CHANGES = 100
"""Changes per transaction, and per call that reads them."""

MAX_PAGES = 100
"""Pages of one workspace per run; the next run continues an hour later."""


class NotSwept(Exception):  # noqa: N818 - it is what happened
    """The sweep of some workspaces' write-backs failed."""


def outgoing_of_change(row: IndexedChangeItem) -> Outgoing:
    """Returns the messages of a stream record's change; none if it needs none.

    A message that is sent twice has the same deduplication id, and the worker ignores a write-back
    that isn't pending.
    """
    workspace = WorkspaceScope.of(row.pk)
    messages = []
    for store, group in zip(row.stores, row.groups or (), strict=False):
        body = body_of(payload_of(workspace, row.change, from_short(store)))
        messages.append((Message(body, group), f"{row.change_id}.{row.profile_id.hex}.{store}"))
    return Outgoing(Queue.WRITE_BACKS, tuple(messages))


def queue_pending(
    changes: Changes, workspace: WorkspaceScope, refs: Iterable[ChangeRef], until: datetime
) -> int:
    """Queues those write-backs of some changes whose attempt was due before a time.

    Returns how many it queued.
    """
    queued = 0
    for change in ConsentRepository(workspace).get_many(refs).values():
        store_ids = _pending_before(change, until)
        queue_write_backs(changes, workspace, change, store_ids)
        queued += len(store_ids)
    return queued


def _pending_before(change: ConsentChange, until: datetime) -> list[UUID]:
    pending = (each for each in change.write_backs if each.status is WriteBackStatus.PENDING)
    return [each.store_id for each in pending if (each.due_since or change.recorded_at) < until]


def sweep_write_backs(minute: int) -> int:
    """Queues write-backs whose messages are lost; returns how many.

    Each minute of an hour sweeps its own workspaces, so each workspace is swept once an hour. A
    failure of one doesn't stop the others; NotSwept is raised at the end, so that the alarm for
    failing schedules goes off.
    """
    until, queued, failed = clock.now() - LOST_AFTER, 0, 0
    # Workspaces that are farthest behind go first: the last run may have been cut short before
    # them.
    for row in sorted(swept_in(minute), key=lambda row: row.swept_to or ""):
        try:
            queued += _sweep(row, until)
        except Exception as error:
            log_unexpected(error)
            failed += 1
    if failed:
        raise NotSwept(failed)
    return queued


def _sweep(row: SweptWorkspaceItem, until: datetime) -> int:
    """Sweeps a workspace's changes since the last sweep; each page is one transaction."""
    workspace, after, queued = WorkspaceScope(row.workspace_id), row.swept_to, 0
    # The race is lost where the workspace was deleted meanwhile.
    with suppress(LostRace):
        for _ in range(MAX_PAGES):
            rows = indexed_rows_behind(workspace, after, until, MAX_CHANGES)
            if not rows:
                break
            queued += _queue_page(row, rows, until)
            after = rows[-1].sk
    return queued


def _queue_page(row: SweptWorkspaceItem, rows: list[IndexedChangeItem], until: datetime) -> int:
    changes, refs = Changes(), [each.change for each in rows]
    queued = queue_pending(changes, WorkspaceScope(row.workspace_id), refs, until)
    row_of_sweep = SweptWorkspaceItem(*row.key)
    is_there = SweptWorkspaceItem.pk.exists()
    changes.update(row_of_sweep, [SweptWorkspaceItem.swept_to.set(rows[-1].sk)], is_there)
    changes.commit()
    return queued
