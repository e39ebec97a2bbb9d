"""Write-backs in the rows of their changes, each updated separately.

A change has each store's write-back under the store's short id, so that concurrent messages of
several stores update theirs without overwriting the others'.
"""

from collections.abc import Iterable
from dataclasses import replace

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.keys import change_key
from storepost.people.consent.model import ConsentChange, WriteBack, WriteBackStatus
from storepost.people.consent.rows import change_row, write_back_row
from storepost.people.consent.write_back_index import index_change
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import amend
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class WriteBackStatusRepository:
    """The write-backs of a workspace's changes."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        self._scope = workspace

    def mark(
        self, changes: Changes, change: ConsentChange, after: WriteBack, before: WriteBackStatus
    ) -> None:
        """Writes one store's write-back, on the condition that its status is unchanged."""
        unchanged = _path(after, "status") == before.value
        changes.update(self._row(change), [_path(after).set(write_back_row(after))], unchanged)

    def expect_status(self, changes: Changes, change: ConsentChange, known: WriteBack) -> None:
        """Expects a store's write-back to still have the status that was read."""
        changes.expect(self._row(change), _path(known, "status") == known.status.value)

    def restart(
        self,
        changes: Changes,
        change: ConsentChange,
        write_backs: Iterable[WriteBack],
        follows: ChangeRef | None,
    ) -> None:
        """Writes the write-backs of a change that holds again, and which change held meanwhile."""
        row = self._row(change)
        now, write_backs = clock.now(), tuple(write_backs)
        self._index(changes, change, write_backs)
        pending = [replace(each, pending_since=now) for each in write_backs]
        begun: list[Action] = [_path(each).set(write_back_row(each)) for each in pending]
        begun.append(ConsentChangeItem.follows.set(change_row(follows)))
        changes.update(row, begun, ConsentChangeItem.pk.exists())

    def begin_one(
        self, changes: Changes, change: ConsentChange, after: WriteBack, before: WriteBack | None
    ) -> None:
        """Writes one store's write-back of a change, if no other delivery was begun meanwhile."""
        row = self._row(change)
        unchanged = _is_same_delivery(before) if before else _path(after).does_not_exist()
        is_there = ConsentChangeItem.pk.exists()
        pending = replace(after, pending_since=clock.now())
        changes.update(row, [_path(pending).set(write_back_row(pending))], is_there & unchanged)
        self._index(changes, change, (after,))

    def _index(self, changes: Changes, change: ConsentChange, begun: Iterable[WriteBack]) -> None:
        """Rewrites the change's index row if it gets more write-backs.

        A unit of work that begins a write-back saves the address too, so no two run concurrently.
        """
        known = {each.store_id for each in change.write_backs}
        stores = known | {each.store_id for each in begun}
        if stores != known:
            index_change(changes, self._scope, change, stores)

    def finish(self, change: ConsentChange, after: WriteBack) -> bool:
        """Writes the end of a pending write-back; returns False if it isn't pending any more.

        Also False where another delivery has begun since the change was read.
        """
        row = self._row(change)
        return amend(row, [_path(after).set(write_back_row(after))], _is_pending(after))

    def note_attempt(self, change: ConsentChange, before: WriteBack, after: WriteBack) -> bool:
        """Writes a failed attempt that another one follows; returns False if another run did so."""
        row = self._row(change)
        return amend(
            row,
            [_path(after).set(write_back_row(after))],
            _is_pending(before) & _is_unattempted(before),
        )

    def finish_with(self, changes: Changes, change: ConsentChange, after: WriteBack) -> None:
        """Adds the end of a pending write-back; a lost race if it isn't pending any more."""
        row = self._row(change)
        changes.update(row, [_path(after).set(write_back_row(after))], _is_pending(after))

    def _row(self, change: ConsentChange) -> ConsentChangeItem:
        """The change's row, unread."""
        return ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))


def _is_unattempted(before: WriteBack) -> Condition:
    """Whether the row has exactly as many attempts."""
    number = _path(before, "tried")
    if not before.attempts:
        none: Condition = number.does_not_exist()
        return none
    same: Condition = number == str(len(before.attempts))
    return same


def _path(write_back: WriteBack, *more: str) -> Path:
    return Path(["write_backs", short(write_back.store_id), *more])


def _is_same_delivery(write_back: WriteBack) -> Condition:
    """Whether the row still has this delivery to the store, in any status."""
    count = _path(write_back, "telling")
    if write_back.delivery_count == 1:
        first: Condition = _path(write_back).exists() & count.does_not_exist()
        return first
    same: Condition = count == str(write_back.delivery_count)
    return same


def _is_pending(write_back: WriteBack) -> Condition:
    pending: Condition = _path(write_back, "status") == WriteBackStatus.PENDING.value
    is_pending: Condition = pending & _is_same_delivery(write_back)
    return is_pending
