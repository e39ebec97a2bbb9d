"""What a shop is still to forget while it can't be told: it is told again, less and less often.

Nothing of it is dropped. A coupon says how often it was tried in vain; the schedule of what ends
sends its message again, and so does whoever connects the shop again.
"""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from storepost.coupons.model import Coupon
from storepost.coupons.repository import CouponRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

FIRST = timedelta(minutes=10)
MAX_WAIT = timedelta(days=1)
MAX_WAIT_DISCONNECTED = timedelta(days=7)
"""Where the store is disconnected: whoever connects it again tells it at once."""
MAX_COUPONS = 1000
"""Told at once when a shop is connected again; to what is left the schedule comes."""

_DOUBLED_AT_MOST = 10


def schedule_retry(changes: Changes, coupon: Coupon, *, is_connected: bool) -> None:
    """Records a failed sync and schedules the next one, later each time."""
    coupons, now = CouponRepository(coupon.workspace), clock.now()
    stored = coupons.get(coupon.id)
    if stored is None:
        return
    in_vain, again_at = stored.failed_syncs, stored.retry_at
    if is_connected and again_at and again_at > now + MAX_WAIT:
        # From when the store was disconnected: now that it is back, it is told soon.
        coupons.cancel_look(changes, stored, again_at)
        in_vain, again_at = 0, None
    if again_at and again_at > now:
        after = replace(stored, failed_syncs=max(1, in_vain))
    else:
        longest = MAX_WAIT if is_connected else MAX_WAIT_DISCONNECTED
        again_at = now + min(longest, FIRST * (1 << min(in_vain, _DOUBLED_AT_MOST)))
        after = replace(stored, failed_syncs=in_vain + 1, retry_at=again_at)
        coupons.look_at(changes, after, again_at)
    if after != stored:
        coupons.save(changes, after)


def clear_backoff(changes: Changes, coupon: Coupon) -> None:
    """Records that the sync succeeded, so that the next failure waits briefly again."""
    coupons = CouponRepository(coupon.workspace)
    stored = coupons.get(coupon.id)
    if stored and stored.failed_syncs:
        coupons.save(changes, replace(stored, failed_syncs=0))


def queue_restored(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    """Queues the failed syncs of a shop that was connected again."""
    coupons = CouponRepository(workspace)
    waiting = [c.id for c in coupons.all() if c.store_id == store_id and c.failed_syncs]
    for coupon_id in waiting[:MAX_COUPONS]:
        coupons.send(changes, coupon_id)
