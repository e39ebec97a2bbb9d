"""Schedules the next attempt of a write-back.

The waits are those of webhook endpoints, over three days (`platform/attempts/waits.py`). A short
wait is a delay in SQS, a longer one a row. An attempt with a row is also recorded as missed, so
that it is made earlier once the store accepts something again, or has another address.
"""

from datetime import datetime, timedelta
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.missed_write_backs import record_missed
from storepost.people.consent.write_back_messages import NamedAttempt, payload_of
from storepost.people.consent_changes.requests import WriteBackOutcome, WriteBackRefusal
from storepost.platform.attempts.due import queue_later
from storepost.platform.attempts.forwarding import ForwardMessage
from storepost.platform.attempts.waits import at_after, wait_after
from storepost.platform.messaging.outbox import Queue
from storepost.platform.messaging.queues import MAX_SECONDS
from storepost.values import clock
from storepost.values.metrics import count
from storepost.values.scope import WorkspaceScope


def next_attempt_at(made: int, outcome: WriteBackOutcome) -> datetime | None:
    """Returns the time of the attempt after `made` attempts; None where none follows."""
    reason = outcome.reason
    if not isinstance(reason, WriteBackRefusal) or reason.lasts:
        return None
    wait = wait_after(made, outcome.retry_after)
    return at_after(clock.now(), wait) if wait else None


def queue_attempt(
    workspace: WorkspaceScope,
    change: ChangeRef,
    store_id: UUID,
    attempt: NamedAttempt,
    at: datetime,
    group: str,
) -> None:
    """Queues an attempt for a time, in a FIFO group; queued twice, it is made once.

    The caller queues it before it records the attempt that was made.
    """
    if at - clock.now() > timedelta(seconds=MAX_SECONDS):
        record_missed(workspace, store_id, change)
    payload = attempt.added_to(payload_of(workspace, change, store_id))
    moment = round(at.timestamp() * 1000)
    name = f"{change.change_id}.{store_id}.{attempt.number}.{moment}"
    queue_later(ForwardMessage(Queue.WRITE_BACKS, payload, group, name, store_id), at)
    count("WriteBacksRetried")
