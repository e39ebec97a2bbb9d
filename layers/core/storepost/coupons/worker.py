"""The worker: does what is to be done for a coupon, and goes on wherever a run before it ended.

A message says no more than which coupon, and why its codes fail where a run before it found that
the shop takes none; the rows beside it say what there is to do. A coupon's messages run in turn,
but one may come twice, late, or after a run that was killed anywhere: each step is one transaction
that notes how far it came.
"""

from dataclasses import replace
from functools import partial

from storepost.coupons.expiring import expire_some
from storepost.coupons.filling import Filling
from storepost.coupons.messages import CouponMessage
from storepost.coupons.shop_sync import ShopSync
from storepost.platform.jobs.runs import Run, Step


def resume(run: Run[CouponMessage]) -> None:
    """Does what there is to do for a coupon, or sends the next message."""
    workspace, coupon_id = run.message.workspace, run.message.coupon_id
    sync = ShopSync(workspace, coupon_id, run.tries, run.message.failing)
    steps: tuple[Step, ...] = (
        Filling(workspace, coupon_id).store_some,
        partial(expire_some, workspace, coupon_id),
        sync.sync_some,
    )
    for step in steps:
        while step():
            if run.is_over():
                run.stop(replace(run.message, failing=sync.failing))
