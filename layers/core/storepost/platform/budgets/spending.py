"""Requests against budgets: checked in the container, counted in the table once a lease."""

from collections import OrderedDict
from collections.abc import Sequence

from pynamodb.exceptions import PynamoDBException

from storepost.platform.budgets.model import Bucket, Budget, Standing
from storepost.platform.budgets.repository import count
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.patience import patience
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.problems import Busy

MAX_BUCKETS = 5_000
"""How many budgets a container remembers; it drops the least recently used one."""


class Spending:
    """What a container knows of budgets."""

    def __init__(self) -> None:
        """Begins without any bucket."""
        self._buckets: OrderedDict[Key, Bucket] = OrderedDict()

    def spend(self, budgets: Sequence[Budget]) -> list[Standing]:
        """Takes a request from each of the budgets, or from none if one of them is used up.

        If the table doesn't answer, requests pass.
        """
        now = clock.now().timestamp() * 1000
        pairs = [(budget, self._bucket(budget)) for budget in budgets]
        waits = [bucket.required_wait(now) for _, bucket in pairs]
        for budget, bucket in pairs:
            if not any(waits):
                bucket.take(now)
            _report(budget.key, bucket)
        return [bucket.standing(now, wait) for (_, bucket), wait in zip(pairs, waits, strict=True)]

    def invalidate(self) -> None:
        """Forgets all buckets, as a new container does."""
        self._buckets.clear()

    def _bucket(self, budget: Budget) -> Bucket:
        bucket = self._buckets.get(budget.key)
        if bucket is None or bucket.policy != budget.policy:
            bucket = self._buckets[budget.key] = Bucket(budget.policy)
            if len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(budget.key)
        return bucket


def _report(key: Key, bucket: Bucket) -> None:
    usage = bucket.unreported()
    if usage is None:
        return
    try:
        with patience(0):  # one attempt: no request waits for a count
            stored, writes = count(key, usage, bucket.stored)
    except (PynamoDBException, Busy) as error:
        logger.warning("budget not counted", extra={"error": type(error).__qualname__})
        bucket.invalidate()
    else:
        bucket.reported(stored, writes)


container = Spending()
"""This container's spending."""
