"""Expires coupons and codes: the schedule, and the changes that each end of a code needs.

The same schedule retries the syncs of shops that failed before (`coupons/backoff.py`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import batched, groupby
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.keys import DUE_SHARDS
from storepost.coupons.model import Code, CodeStatus, Coupon, CouponStatus
from storepost.coupons.repository import CouponRepository, due_before
from storepost.coupons.rows import CouponDueItem
from storepost.coupons.trees import CodeList, among
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope

MAX_OF_A_SHARD = 2000
"""Rows of a shard in one run, so that it ends in time; the rest is still due a minute later."""

CODES_CHANGED_AT_ONCE = 14
"""Codes in one transaction: each has its row, its entry, its due row, its removal on the platform,
and two nodes, which those of a large pool share with no other.
"""

LOOKED_AT_AGAIN = timedelta(minutes=20)
"""After a coupon's end: writers that used a code without seeing the end have written it by then."""


class NotExpired(Exception):  # noqa: N818 - it is what happened
    """The expiry of some coupons failed."""


@dataclass(frozen=True)
class Repositories:
    """The repositories of a unit of work on a coupon's codes."""

    coupons: CouponRepository
    codes: CodeRepository

    @classmethod
    def of(cls, workspace: WorkspaceScope) -> "Repositories":
        """Returns the repositories of one workspace."""
        return cls(CouponRepository(workspace), CodeRepository(workspace))


def expire(
    changes: Changes, repositories: Repositories, code: Code, *, is_in_doubt: bool = False
) -> None:
    """Expires a code, and queues its removal at the platform if that has it, or may have it."""
    repositories.codes.save(changes, code, replace(code, status=CodeStatus.EXPIRED))
    repositories.coupons.queue_removal(changes, code)
    if is_in_doubt:
        repositories.coupons.doubt(changes, code)


def expire_due() -> int:
    """Expires what is due, and queues syncs that are due; returns how many rows it read.

    A failure of one coupon doesn't stop the others; NotExpired is raised at the end, so that the
    alarm for failing schedules goes off.
    """
    looked_at, failed = 0, 0
    for shard in range(DUE_SHARDS):
        rows = due_before(shard, clock.now(), MAX_OF_A_SHARD)
        looked_at += len(rows)
        rows.sort(key=lambda row: (row.workspace_id, row.coupon_id))
        for named, some in groupby(rows, lambda row: (row.workspace_id, row.coupon_id)):
            try:
                _move(WorkspaceScope(named[0]), named[1], list(some))
            except Exception as error:  # one coupon's failure must not stop the others
                log_unexpected(error)
                failed += 1
    if failed:
        raise NotExpired(failed)
    return looked_at


def _move(workspace: WorkspaceScope, coupon_id: UUID, rows: list[CouponDueItem]) -> None:
    own = [row for row in rows if row.code_id is None]
    if own:
        commit_anew(partial(_move_coupon, workspace=workspace, coupon_id=coupon_id, rows=own))
    due = [row for row in rows if row.code_id is not None]
    for some in batched(due, CODES_CHANGED_AT_ONCE, strict=False):
        commit_anew(partial(_expire_codes, workspace=workspace, coupon_id=coupon_id, rows=some))


def _move_coupon(
    changes: Changes, workspace: WorkspaceScope, coupon_id: UUID, rows: Iterable[CouponDueItem]
) -> None:
    repositories = Repositories.of(workspace)
    coupon = repositories.coupons.get(coupon_id)
    if coupon and coupon.has_passed(clock.now()):
        end(changes, repositories.coupons, coupon)
    elif coupon:
        repositories.coupons.send(changes, coupon_id)
    for row in rows:
        repositories.codes.not_due(changes, row)


def end(changes: Changes, coupons: CouponRepository, coupon: Coupon) -> Coupon:
    """Ends a coupon; the worker then expires its codes."""
    after = coupon
    if coupon.status is CouponStatus.ACTIVE:
        after = replace(coupon, status=CouponStatus.ENDED)
        coupons.save(changes, after)
        if coupon.on_platform and not coupon.has_passed(clock.now()):
            coupons.look_at(changes, coupon, clock.now() + LOOKED_AT_AGAIN)
    coupons.send(changes, coupon.id)
    return after


def _expire_codes(
    changes: Changes, workspace: WorkspaceScope, coupon_id: UUID, rows: Iterable[CouponDueItem]
) -> None:
    repositories, now = Repositories.of(workspace), clock.now()
    named = {row.code_id: row for row in rows}
    found = repositories.codes.get_many(named)
    is_on_platform = False
    for code_id, row in named.items():
        code = found.get(code_id)
        if code and code.is_due and code.expires_at and code.expires_at <= now:
            expire(changes, repositories, code)
            is_on_platform = is_on_platform or code.external_id is not None
        else:
            repositories.codes.not_due(changes, row)
    if is_on_platform:
        repositories.coupons.send(changes, coupon_id)


def expire_some(workspace: WorkspaceScope, coupon_id: UUID, *, is_repeated: bool) -> bool:
    """Expires some of an ended coupon's codes; returns whether there may be more.

    `is_repeated` says that an earlier run failed or was killed: the platform may have codes since.
    """
    work = partial(_expire_some, workspace=workspace, coupon_id=coupon_id, is_repeated=is_repeated)
    return commit_anew(work)


def _expire_some(
    changes: Changes, workspace: WorkspaceScope, coupon_id: UUID, *, is_repeated: bool
) -> bool:
    repositories, now = Repositories.of(workspace), clock.now()
    coupon = repositories.coupons.get(coupon_id)
    if coupon is None or coupon.is_active(now):
        return False
    left = coupon.stored_for(CodeStatus.EXPIRED, now) - {CodeStatus.EXPIRED}
    tree = CodeList(workspace, coupon_id).tree
    entries = tree.page(PageRequest(1, CODES_CHANGED_AT_ONCE), by=among(left)).items
    for code in repositories.codes.get_many_listed(entry.id for entry in entries).values():
        if code.status in left:
            was_sent = is_repeated and coupon.external_id and code.status is CodeStatus.PENDING
            expire(changes, repositories, code, is_in_doubt=bool(was_sent))
    return bool(entries)
