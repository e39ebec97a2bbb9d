"""The worker: does what is to be done for a coupon, and goes on wherever a run before it ended.

A message says no more than which coupon, and why its codes fail where a run before it found that
the shop takes none; the rows beside it say what there is to do. A coupon's messages run in turn,
but one may come twice, late, or after a run that was killed anywhere: each step is one transaction
that notes how far it came.
"""

import json
from collections.abc import Callable
from functools import partial
from uuid import UUID

from storepost.coupons.ending import expire_some
from storepost.coupons.filling import Filling
from storepost.coupons.repository import CouponRepository
from storepost.coupons.shop_sync import ShopSync
from storepost.platform.messaging.remaining import Remaining
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MARGIN_MILLISECONDS = 30_000
"""With so little time left nothing more is begun."""


type Step = Callable[[], bool]
"""Does some; whether there may be more."""


def resume(message: str, tries: int, remaining: Remaining) -> None:
    """Does what there is to do for the coupon that a message names, or sends the next message.

    `tries` is how many times the queue brought the message, this one included.
    """
    told = json.loads(message)
    workspace, coupon_id = WorkspaceScope(UUID(told["workspaceId"])), UUID(told["couponId"])
    telling = ShopSync(workspace, coupon_id, tries, told.get("failing"))
    steps: tuple[Step, ...] = (
        Filling(workspace, coupon_id).store_some,
        partial(expire_some, workspace, coupon_id),
        telling.tell_some,
    )
    for step in steps:
        while step():
            if remaining() < MARGIN_MILLISECONDS:
                going_on = partial(_send, workspace=workspace, coupon_id=coupon_id)
                commit_anew(partial(going_on, failing=telling.failing))
                return


def _send(
    changes: Changes, workspace: WorkspaceScope, coupon_id: UUID, failing: str | None
) -> None:
    CouponRepository(workspace).send(changes, coupon_id, failing)
