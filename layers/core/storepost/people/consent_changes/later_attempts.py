"""The next attempt of a write-back: the same ones as at webhook endpoints, over three days
(`platform/attempts/waits.py`).

It waits in SQS where it comes soon, else in a row. What waits in a row is noted as missed besides,
so that it is brought forward once the store takes something again, or has another address.
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
    """Returns when the attempt after so many is; None where none follows."""
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
    """Queues an attempt for then, in a FIFO group; queued twice, it is made once.

    Whoever notes that the attempt before was made does so after this.
    """
    if at - clock.now() > timedelta(seconds=MAX_SECONDS):
        record_missed(workspace, store_id, change)
    payload = attempt.added_to(payload_of(workspace, change, store_id))
    moment = round(at.timestamp() * 1000)
    name = f"{change.change_id}.{store_id}.{attempt.number}.{moment}"
    queue_later(ForwardMessage(Queue.WRITE_BACKS, payload, group, name, store_id), at)
    count("WriteBacksRetried")
