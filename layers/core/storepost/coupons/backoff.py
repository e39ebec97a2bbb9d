"""Exponential backoff of coupons' failed syncs: each wait is twice as long, up to a bound.

No sync is dropped. A coupon stores how often its sync failed; the schedule of due coupons queues
the retry, and so does a new connection of the shop, or a permission that it gives again.
"""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from storepost.coupons.model import Coupon
from storepost.coupons.repository import CouponRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

FIRST_WAIT = timedelta(minutes=10)
MAX_WAIT = timedelta(days=1)
MAX_WAIT_DISCONNECTED = timedelta(days=7)
"""While the store is disconnected: once it is connected again, it is synced at once."""
MAX_COUPONS = 1000
"""Are synced at once when a shop is connected again, or permits it again; the schedule retries the
others.
"""

_MAX_DOUBLINGS = 10


def schedule_retry(changes: Changes, coupon: Coupon, *, is_connected: bool) -> None:
    """Records a failed sync and schedules the next one, later each time."""
    coupons, now = CouponRepository(coupon.workspace), clock.now()
    stored = coupons.get(coupon.id)
    if stored is None:
        return
    failed_syncs, retry_at = stored.failed_syncs, stored.retry_at
    if is_connected and retry_at and retry_at > now + MAX_WAIT:
        # It was set while the store was disconnected: now that it is back, it is retried soon.
        coupons.cancel_look(changes, stored, retry_at)
        failed_syncs, retry_at = 0, None
    if retry_at and retry_at > now:
        after = replace(stored, failed_syncs=max(1, failed_syncs))
    else:
        max_wait = MAX_WAIT if is_connected else MAX_WAIT_DISCONNECTED
        retry_at = now + min(max_wait, FIRST_WAIT * (1 << min(failed_syncs, _MAX_DOUBLINGS)))
        after = replace(stored, failed_syncs=failed_syncs + 1, retry_at=retry_at)
        coupons.look_at(changes, after, retry_at)
    if after != stored:
        coupons.save(changes, after)


def clear_backoff(changes: Changes, coupon: Coupon) -> None:
    """Records that the sync succeeded, so that the next failure waits briefly again."""
    coupons = CouponRepository(coupon.workspace)
    stored = coupons.get(coupon.id)
    if stored and stored.failed_syncs:
        coupons.save(changes, replace(stored, failed_syncs=0))


def queue_restored(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    """Queues the failed syncs of a shop that was connected again, or permits them again."""
    coupons = CouponRepository(workspace)
    waiting = [c.id for c in coupons.all() if c.store_id == store_id and c.failed_syncs]
    for coupon_id in waiting[:MAX_COUPONS]:
        coupons.send(changes, coupon_id)
