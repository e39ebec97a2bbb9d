"""The worker: does a coupon's work, and continues where an earlier run ended.

A message names the coupon alone, and why its codes fail if an earlier run found that the shop
accepts none; the rows beside it say what is left to do. A coupon's messages run in turn, but one
may arrive twice, late, or after a run that was killed anywhere: each step is one transaction that
stores its progress.
"""

from dataclasses import replace
from functools import partial

from storepost.coupons.expiring import expire_some
from storepost.coupons.filling import Filling
from storepost.coupons.messages import CouponMessage
from storepost.coupons.shop_sync import ShopSync
from storepost.platform.jobs.runs import Run, Step


def resume(run: Run[CouponMessage]) -> None:
    """Does the coupon's work, or sends the next message."""
    workspace, coupon_id = run.message.workspace, run.message.coupon_id
    sync = ShopSync(workspace, coupon_id, run.tries, run.message.failing)
    steps: tuple[Step, ...] = (
        Filling(workspace, coupon_id).store_some,
        partial(expire_some, workspace, coupon_id, is_repeated=run.tries > 1),
        sync.sync_some,
    )
    for step in steps:
        while step():
            if run.is_over():
                run.stop(replace(run.message, failing=sync.failing))
