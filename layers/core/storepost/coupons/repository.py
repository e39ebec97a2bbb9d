"""A workspace's coupons, and the work that is left for them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from pynamodb.expressions.update import Action

from storepost.coupons.keys import (
    DUE_PARTITION,
    REMOVALS,
    coupon_key,
    coupons_partition,
    doubt_key,
    due_key,
    due_partition,
    jobs_partition,
    removal_key,
)
from storepost.coupons.messages import CouponMessage
from storepost.coupons.model import Code, Coupon
from storepost.coupons.rows import (
    CodeInDoubtItem,
    CodeRemovalItem,
    CouponDueItem,
    CouponItem,
    RemovalRow,
    as_coupon,
    write_coupon,
)
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.reads import Reads, UnitRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope


class CouponRepository(UnitRepository):
    """A workspace's coupons."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """For one workspace; `reads` is a unit of work's own."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, CouponItem] = {}

    def get(self, coupon_id: UUID) -> Coupon | None:
        """Returns the coupon, or None."""
        item = self._reads.find(CouponItem, coupon_key(self._scope, coupon_id))
        return self._as_coupon(item) if item else None

    def all(self) -> list[Coupon]:
        """Returns all coupons, archived ones too."""
        rows = CouponItem.rows_in(coupons_partition(self._scope))
        return [self._as_coupon(row) for row in rows]

    def save(self, changes: Changes, coupon: Coupon) -> None:
        """Writes the coupon, if nobody changed it since it was read here."""
        item = self._read.get(coupon.id) or CouponItem(*coupon_key(self._scope, coupon.id))
        write_coupon(item, coupon)
        changes.save(item)

    def skip(self, changes: Changes, coupon_id: UUID, codes: int) -> None:
        """Counts codes of an import that the store has already."""
        self._count(changes, coupon_id, CouponItem.import_skipped.add(codes))

    def look_at(self, changes: Changes, coupon: Coupon, at: datetime) -> None:
        """Writes when the schedule checks the coupon: it ends then, or its sync is retried."""
        key = due_key(coupon.id, at)
        changes.save(CouponDueItem(*key, workspace_id=self._scope.id, coupon_id=coupon.id))

    def cancel_look(self, changes: Changes, coupon: Coupon, at: datetime) -> None:
        """Deletes the row by which the schedule would check the coupon then."""
        changes.delete(CouponDueItem(*due_key(coupon.id, at)))

    def overdue(self, coupon_id: UUID, now: datetime) -> Iterator[UUID]:
        """Returns the coupon's codes that are assigned and have passed their own end."""
        until = CouponDueItem.sk < clock.to_text(now) + "$"
        rows = CouponDueItem.query(
            due_partition(coupon_id),
            until,
            CouponDueItem.coupon_id == coupon_id,
            consistent_read=True,
        )
        return (row.code_id for row in rows if row.code_id)

    def count_unstored(self, changes: Changes, coupon_id: UUID, codes: int) -> None:
        """Counts requested codes that won't be stored as ended."""
        self._count(changes, coupon_id, CouponItem.never_stored.add(codes))

    def _count(self, changes: Changes, coupon_id: UUID, more: Action) -> None:
        item = CouponItem(*coupon_key(self._scope, coupon_id))
        changes.update(item, [more], CouponItem.pk.exists())

    def queue_removal(self, changes: Changes, code: Code) -> None:
        """Queues the code's removal at the platform, if that has it."""
        if code.external_id:
            key = removal_key(self._scope, code.coupon_id, code.id)
            changes.save(CodeRemovalItem(*key, external_id=code.external_id))

    def doubt(self, changes: Changes, code: Code) -> None:
        """Queues a search for the code at the platform, which may have it, to delete it there."""
        key = doubt_key(self._scope, code.coupon_id, code.id)
        changes.save(CodeInDoubtItem(*key, code_id=code.id, text=code.text))

    def removals(self, coupon_id: UUID, limit: int) -> Sequence[RemovalRow]:
        """Returns some codes that are still to be deleted at the platform, if it has them."""
        partition = jobs_partition(self._scope, coupon_id)
        return list(RemovalRow.rows_in(partition, REMOVALS, limit=limit))

    def delete_removals(self, changes: Changes, removals: Iterable[RemovalRow]) -> None:
        """Deletes removals that the platform has carried out."""
        for each in removals:
            changes.delete(RemovalRow(*each.key))

    def send(self, changes: Changes, coupon_id: UUID) -> None:
        """Queues the worker's message for a coupon that has work left."""
        send(changes, CouponMessage(self._scope.id, coupon_id))

    def _as_coupon(self, item: CouponItem) -> Coupon:
        self._read[item.id] = item
        return as_coupon(self._scope, item)


def due_before(shard: int, now: datetime, limit: int) -> list[CouponDueItem]:
    """Returns some of the rows that are due, oldest first."""
    until = clock.to_text(now) + "$"
    return list(CouponDueItem.rows_before(f"{DUE_PARTITION}{shard}", until, limit))
