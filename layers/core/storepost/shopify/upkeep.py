"""Uses the tokens of inactive shops: a refresh token expires after 90 days without use."""

from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.item import Key
from storepost.shopify.claims import SHARDS, due_shops, schedule_retry
from storepost.shopify.errors import NeedsReauth, ShopUnavailable
from storepost.shopify.patience import Patience
from storepost.shopify.tokens import usable_grant
from storepost.values import clock
from storepost.values.logs import log_unexpected, logger

MAX_OF_A_SHARD = 25
"""Bounds a run's time; the remaining shops are still due in the next run, an hour later."""

PATIENCE_SECONDS = 1.0


def look_after_shops() -> int:
    """Refreshes the tokens of each shop that is due; returns how many succeeded.

    A shop that can't be reached, or fails otherwise, is retried a day later, so that such shops
    don't delay the others.
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
        pass  # its store has that status now; only the shop's owner can fix it
    except Exception as error:  # one shop's failure doesn't stop the others
        log_unexpected(error)
        failed = True
    commit_anew(lambda changes: schedule_retry(changes, shop, row, failed=failed))
    return not failed
