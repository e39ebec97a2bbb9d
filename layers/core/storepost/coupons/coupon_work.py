"""Codes that a worker still has to store: a coupon's requests, and the progress of each.

A request's codes are stored in chunks. A chunk's rows are written first, without a transaction, and
added to the coupon's list afterwards; the work's row stores how far that is.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.coupons.codes import new_seed
from storepost.coupons.keys import WORKS, jobs_partition, work_key, work_of
from storepost.coupons.model import Code, LoadMark
from storepost.coupons.rows import CouponWorkItem
from storepost.coupons.trees import CodeList
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.mapping import as_value
from storepost.platform.persistence.reads import Reads
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope


class WorkMoved(Exception):  # noqa: N818 - as LostRace
    """Another run advanced the work, or a writer changed a code that isn't in the list yet."""


@dataclass(frozen=True)
class Chunk:
    """The codes of a work that are being stored."""

    created_at: datetime
    codes: int
    """How many codes it has, including those that the store has already."""
    end: int
    """Where the next chunk begins."""
    listed: int = 0
    """How many are in the coupon's list, in the order of its keys."""
    listed_to: str | None = None
    """The key of the last code in the list; None if none is there."""


@dataclass(frozen=True)
class CouponWork:
    """One request's codes; CouponWorkItem describes the fields."""

    id: UUID
    version: int
    remaining: int
    object_name: str | None
    next_byte: int
    seed: str | None
    chunk: Chunk | None

    @property
    def mark(self) -> LoadMark:
        """Returns the mark of the codes in the chunk that is being stored."""
        return LoadMark(self.id, self.next_byte)

    def has_listed(self, code: Code, entry_key: str) -> bool:
        """Returns whether the list shows a code that this work wrote.

        True is certain, however long ago the work was read: works only advance. False may be out of
        date, and is right if the work is still as it was read.
        """
        if code.load is None or code.load.begin < self.next_byte:
            return True
        is_of_chunk = self.chunk is not None and code.load.begin == self.next_byte
        listed_to = self.chunk.listed_to if self.chunk and is_of_chunk else None
        return listed_to is not None and entry_key <= listed_to


class WorkRepository:
    """The works of one coupon."""

    def __init__(
        self, workspace: WorkspaceScope, coupon_id: UUID, reads: Reads | None = None
    ) -> None:
        """`reads` is a unit of work's own."""
        self._scope = workspace
        self._coupon_id = coupon_id
        self._reads = reads or Reads()

    def all(self) -> list[CouponWork]:
        """Returns the works, the oldest request first."""
        partition = jobs_partition(self._scope, self._coupon_id)
        return [_as_work(row) for row in CouponWorkItem.rows_in(partition, WORKS)]

    def add(self, changes: Changes, count: int, object_name: str | None = None) -> None:
        """Adds a work: to store the codes of an S3 object, or to generate so many."""
        key = work_key(self._scope, self._coupon_id, timed_id(clock.now()))
        seed = None if object_name else new_seed()
        changes.create(
            CouponWorkItem(*key, remaining=count, object_name=object_name, next_byte=0, seed=seed)
        )

    def begin(self, changes: Changes, work: CouponWork, chunk: Chunk) -> None:
        """Writes that the codes of a chunk are being stored from now on."""
        actions: list[Action] = [CouponWorkItem.chunk.set(_chunk_row(chunk))]
        if work.object_name is None and work.seed is None:
            actions.append(CouponWorkItem.seed.set(new_seed()))
        self._update(changes, work, actions)

    def note_listed(self, changes: Changes, work: CouponWork, chunk: Chunk, newly: int) -> None:
        """Writes that so many more codes of the chunk are in the list."""
        listed: list[Action] = [
            CouponWorkItem.chunk.set(_chunk_row(chunk)),
            CouponWorkItem.remaining.add(-newly),
        ]
        self._update(changes, work, listed)

    def finish_chunk(self, changes: Changes, work: CouponWork, chunk: Chunk, done: int) -> None:
        """Writes that a chunk is stored, and that `done` fewer codes remain to be stored."""
        actions: list[Action] = [
            CouponWorkItem.chunk.remove(),
            CouponWorkItem.next_byte.set(chunk.end),
            CouponWorkItem.remaining.add(-done),
        ]
        self._update(changes, work, actions)

    def delete(self, changes: Changes, work: CouponWork) -> None:
        """Deletes a work that has no codes left to store."""
        changes.delete(self._item(work.id), _is_same(work), WorkMoved())

    def unlisted_in(self, code: Code) -> CouponWork | None:
        """Returns the work that wrote the code, as long as the list doesn't show the code."""
        if code.load is None:
            return None
        key = work_key(self._scope, self._coupon_id, code.load.work_id)
        row = self._reads.find(CouponWorkItem, key)
        entry = CodeList(self._scope, self._coupon_id).entry(code)
        work = _as_work(row) if row else None
        return None if work is None or work.has_listed(code, entry.key) else work

    def touch(self, changes: Changes, work: CouponWork) -> None:
        """Makes the work read its codes again before it lists more, as one of them changes."""
        if not changes.has(self._item(work.id)):
            more: list[Action] = [CouponWorkItem.touched.add(1)]
            changes.update(self._item(work.id), more, _is_same(work))

    def _update(self, changes: Changes, work: CouponWork, actions: list[Action]) -> None:
        changes.update(self._item(work.id), actions, _is_same(work), WorkMoved())

    def _item(self, work_id: UUID) -> CouponWorkItem:
        return CouponWorkItem(*work_key(self._scope, self._coupon_id, work_id))


def _is_same(work: CouponWork) -> Condition:
    same: Condition = CouponWorkItem.version == work.version
    return same


def _chunk_row(chunk: Chunk) -> list[Any]:
    moment = clock.to_text(chunk.created_at)
    return [moment, chunk.codes, chunk.end, chunk.listed, chunk.listed_to]


def _as_work(row: CouponWorkItem) -> CouponWork:
    return as_value(
        CouponWork,
        row,
        id=work_of(row.sk),
        chunk=Chunk(clock.from_text(row.chunk[0]), *row.chunk[1:]) if row.chunk else None,
    )
