"""From a new change to the stores' queue: by the table's stream, and where that failed, by a sweep.

The index's row of a change stands for its messages, so the transaction writes no other row for them
and nothing is deleted once they are sent (docs/adr/0068). What the stream lost is found by the same
index: one whose attempt is due for hours has lost its message. One that waits for its next attempt
hasn't: that attempt's message is queued before the change says that it waits.
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
"""An attempt due for so long has no message on its way, unless its queue is behind for hours."""

MAX_CHANGES = 100
"""In one transaction, and in one call that reads them."""

MAX_PAGES = 100
"""Of one workspace in a run, which goes on from there an hour later."""


class NotSwept(Exception):  # noqa: N818 - it is what happened
    """Some workspaces' write-backs couldn't be looked through."""


def outgoing_of_change(row: IndexedChangeItem) -> Outgoing:
    """Returns the messages of a change that the stream has; none of one that needs none.

    Sent twice, a message has the same deduplication id, and the worker does nothing for what isn't
    pending.
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
    """Queues those write-backs of some changes whose attempt was due before a moment.

    Returns how many that are.
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

    Each minute of an hour has its own workspaces, so that each workspace has its turn once an hour.
    Each goes by itself; where any failed, NotSwept is raised at the end, so that the alarm of
    failing schedules rings.
    """
    until, queued, failed = clock.now() - LOST_AFTER, 0, 0
    # Those that are farthest behind come first: a run that is cut short was the others' last time.
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
    """Goes through a workspace's changes since the last time; each page is one transaction."""
    workspace, after, queued = WorkspaceScope(row.workspace_id), row.swept_to, 0
    # A lost race is a workspace that was deleted meanwhile.
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
