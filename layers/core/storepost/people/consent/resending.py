"""Sends a store again what it hasn't accepted: everything, or what failed in a given time.

A change that waits for its next attempt is sent at once when the store accepts something again. The
worker reads the store's rows, a page per transaction, which also queues the message for the next
page. So it may be killed anywhere. Only changes that still hold are sent again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.missed_write_backs import MissedWriteBackItem, missed_partition
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.owed_opt_outs import find_many_owed, find_owed, restart_owed
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.write_back_index import ANY_TIME, RecordedWithin
from storepost.people.consent.write_back_messages import OF_ERASED, NamedAttempt
from storepost.people.consent.write_back_queue import STAYS_SUBSCRIBED, queue_write_backs
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum

MAX_CHANGES = 25
"""Changes per transaction: each takes its row, the change and a message."""

MAX_RESENDS = 5
"""How often a failed write-back is sent again because the store accepted another one.

A store may refuse one customer for good and accept all others.
"""

_REASONS = frozenset({SkipReason.STORE_DISCONNECTED, SkipReason.PERMISSION_MISSING})
"""Reasons that may end when the store is connected again, or has another address."""


class Cause(StoredEnum):
    """Why a store's missed write-backs are sent again."""

    RECOVERED = "mended"
    """The store is connected again, or has another address. Messages have the older name."""
    SUCCESS = "success"
    """The store accepted a write-back after failures."""
    REQUEST = "request"
    """A request: only failed write-backs are sent."""


@dataclass(frozen=True)
class Resend:
    """Which of a store's missed write-backs are sent again, starting after one of its rows."""

    store_id: UUID
    cause: Cause
    within: RecordedWithin = ANY_TIME
    after: str | None = None
    """The sort key of the last row that was read."""

    def includes(self, write_back: WriteBack | None) -> bool:
        """Returns whether this write-back is sent again, if its change still holds."""
        if write_back is None:
            return False
        is_abandoned = write_back.error == STAYS_SUBSCRIBED or write_back.resends >= MAX_RESENDS
        is_allowed = self.cause is not Cause.SUCCESS or not is_abandoned
        if write_back.status is WriteBackStatus.FAILED:
            return is_allowed
        if self.cause is Cause.REQUEST:
            return False
        return (write_back.is_waiting and is_allowed) or write_back.skip_reason in _REASONS

    def with_new_delivery(self, write_back: WriteBack) -> WriteBack:
        """Returns the write-back as pending again."""
        resends = write_back.resends + 1 if self.cause is Cause.SUCCESS else 0
        return write_back.with_new_delivery(resends)


def queue_resend(changes: Changes, workspace: WorkspaceScope, resend: Resend) -> None:
    """Queues the message that sends a store the missed changes that still hold."""
    within = resend.within
    body: dict[str, object] = {
        "workspaceId": str(workspace.id),
        "storeId": str(resend.store_id),
        "cause": resend.cause.value,
        "recordedFrom": _text(within.since),
        "recordedTo": _text(within.until),
        "after": resend.after,
    }
    payload = {name: value for name, value in body.items() if value is not None}
    send_with(changes, Queue.WRITE_BACKS, [(payload, f"missed#{resend.store_id}")])


def resend_missed(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    """Sends missed changes to a store that is connected again, or has another address."""
    queue_resend(changes, workspace, Resend(store_id, Cause.RECOVERED))


def resend_of(message: dict[str, str]) -> Resend:
    """Returns the `Resend` in a message of `queue_resend`."""
    since, until = message.get("recordedFrom"), message.get("recordedTo")
    within = RecordedWithin(_moment(since), _moment(until))
    store_id, after = UUID(message["storeId"]), message.get("after")
    return Resend(store_id, Cause(message["cause"]), within, after)


def queue_missed(workspace: WorkspaceScope, resend: Resend) -> None:
    """Queues a page of the store's missed changes, and a message for the next page, if any."""
    commit_anew(lambda changes: _queue_page(changes, workspace, resend))


def count_failed(
    workspace: WorkspaceScope, store_id: UUID, within: RecordedWithin, refs: Iterable[ChangeRef]
) -> int:
    """Returns how many of the changes would be resent by request.

    They failed at the store, were recorded in that time and still hold.
    """
    listed, request = list(refs), Resend(store_id, Cause.REQUEST, within)
    missed = _MissedChanges(workspace, listed)
    owed = find_many_owed(workspace, [ref for ref in listed if ref not in missed.changes])
    return sum(missed.is_sent(request, ref) for ref in missed.changes) + sum(
        store_id in each.customers and within.has(each.change.recorded_at) for each in owed.values()
    )


class _MissedChanges:
    """Reads the current state of changes that a store hasn't accepted."""

    def __init__(self, workspace: WorkspaceScope, refs: Iterable[ChangeRef]) -> None:
        repository = ConsentRepository(workspace)
        self.changes = repository.get_many(refs)
        self._consents = repository.consents_of(map(_address_of, self.changes.values()))

    def is_sent(self, resend: Resend, ref: ChangeRef) -> bool:
        """Returns whether the change is sent again: it holds, and the `Resend` includes it."""
        change = self.changes[ref]
        is_requested = resend.within.has(change.recorded_at)
        is_included = resend.includes(change.write_back_to(resend.store_id))
        return is_requested and is_included and self.holds(ref)

    def holds(self, ref: ChangeRef) -> bool:
        """Returns whether the change holds for its address."""
        holds = self._consents[_address_of(self.changes[ref])].holds
        return holds is not None and holds.change == ref


def _queue_page(changes: Changes, workspace: WorkspaceScope, resend: Resend) -> None:
    rows = MissedWriteBackItem.query(
        missed_partition(workspace, resend.store_id),
        resend.within.of_keys(resend.after),
        consistent_read=True,
        limit=MAX_CHANGES,
    )
    page = list(islice(rows, MAX_CHANGES))
    missed = _MissedChanges(workspace, [row.change for row in page])
    # An erased person's change may still exist; the store is owed it all the same.
    owed = find_many_owed(workspace, [each for each in missed.changes if not missed.holds(each)])
    for row in page:
        if row.change in missed.changes and row.change not in owed:
            _queue_change(changes, workspace, resend, row, missed)
        elif _resend_owed(changes, workspace, resend, row.change):
            changes.delete(MissedWriteBackItem(*row.key))
    if len(page) == MAX_CHANGES:
        queue_resend(changes, workspace, replace(resend, after=page[-1].sk))


def _queue_change(
    changes: Changes,
    workspace: WorkspaceScope,
    resend: Resend,
    row: MissedWriteBackItem,
    missed: _MissedChanges,
) -> None:
    """Sends the change again, or deletes a row that is out of date.

    The row of a failed write-back stays, so that it is listed as failed.
    """
    change = missed.changes[row.change]
    known = change.write_back_to(resend.store_id)
    if known is None:
        changes.delete(MissedWriteBackItem(*row.key))
        return
    repository = WriteBackStatusRepository(workspace)
    if missed.is_sent(resend, row.change):
        pending = replace(resend.with_new_delivery(known), pending_since=clock.now())
        repository.mark(changes, change, pending, known.status)
        queue_write_backs(changes, workspace, change, (resend.store_id,))
    elif known.status is WriteBackStatus.FAILED or _may_be_sent_another_time(resend, known):
        return
    else:
        repository.expect_status(changes, change, known)
    changes.delete(MissedWriteBackItem(*row.key))


def _may_be_sent_another_time(resend: Resend, known: WriteBack) -> bool:
    """Whether another cause may send it: a request resends only failed write-backs.

    A write-back that waits for its next attempt keeps its row until the store has answered it.
    """
    is_left_out = resend.cause is Cause.REQUEST and known.skip_reason in _REASONS
    return is_left_out or known.is_waiting


def _resend_owed(
    changes: Changes, workspace: WorkspaceScope, resend: Resend, ref: ChangeRef
) -> bool:
    """Sends an erased person's owed opt-out again; returns whether its row can be deleted."""
    owed = find_owed(workspace, ref)
    if owed is None or resend.store_id not in owed.customers:
        return True
    is_by_success = resend.cause is Cause.SUCCESS
    is_abandoned = is_by_success and owed.resends >= MAX_RESENDS
    if is_abandoned or not resend.within.has(owed.change.recorded_at):
        return False
    restart_owed(changes, workspace, ref, resend.store_id, counts=is_by_success)
    first = NamedAttempt(since=OF_ERASED)
    queue_write_backs(changes, workspace, owed.change, (resend.store_id,), first)
    return True


def _address_of(change: ConsentChange) -> Address:
    return Address(change.channel, change.address or "")


def _text(moment: datetime | None) -> str | None:
    return clock.to_text(moment) if moment else None


def _moment(text: str | None) -> datetime | None:
    return clock.from_text(text) if text else None
