"""Using the tokens of shops that are quiet: a refresh token that nobody uses for 90 days ends."""

from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.item import Key
from storepost.shopify.claims import SHARDS, due_shops, schedule_retry
from storepost.shopify.errors import NeedsReauth, ShopUnavailable
from storepost.shopify.patience import Patience
from storepost.shopify.tokens import usable_grant
from storepost.values import clock
from storepost.values.logs import log_unexpected, logger

MAX_OF_A_SHARD = 25
"""A run ends in time; what is left is due an hour later, too."""

PATIENCE_SECONDS = 1.0


def look_after_shops() -> int:
    """Has a fresh token of each shop that is due; returns how many shops it was.

    One that can't answer, or fails otherwise, is tried again a day later: so many of them hold
    nobody up.
    """
    looked_after = 0
    for shard in range(SHARDS):
        for shop, row in due_shops(shard, clock.now(), MAX_OF_A_SHARD):
            looked_after += _look_after(shop, row)
    return looked_after


def _look_after(shop: str, row: Key) -> bool:
    failed = False
    try:
        usable_grant(shop, Patience(PATIENCE_SECONDS))
    except ShopUnavailable as error:
        logger.warning("a shop's tokens were not refreshed", extra={"reason": str(error)})
        failed = True
    except NeedsReauth:
        pass  # its store says so now; only somebody of the shop can fix that
    except Exception as error:  # one shop's failure is not the others'
        log_unexpected(error)
        failed = True
    commit_anew(lambda changes: schedule_retry(changes, shop, row, failed=failed))
    return not failed
