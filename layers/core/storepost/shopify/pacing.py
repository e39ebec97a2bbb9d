"""Shopify's limit on the Admin API: a bucket of points per shop, which refills every second.

A request needs its whole possible cost in the bucket when it starts, and gets back what it didn't
use. The answer has the points left, so a client can wait before it is refused instead of after.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil, isfinite
from typing import Any

from storepost.shopify.documents import Document
from storepost.shopify.errors import RequestRefused
from storepost.values import clock


@dataclass(frozen=True)
class Bucket:
    """A shop's bucket, as an answer described it."""

    maximum: float
    available: float
    restored_a_second: float
    at: datetime

    def seconds_until(self, cost: float, now: datetime) -> float:
        """Returns how long until the bucket has the cost, in seconds rounded up to a millisecond.

        0 if it has it now.
        """
        passed = max(0.0, (now - self.at).total_seconds())
        available = min(self.maximum, self.available + passed * self.restored_a_second)
        missing = cost - available
        if missing <= 0:
            return 0.0
        return ceil(missing / self.restored_a_second * 1000) / 1000


@dataclass(frozen=True)
class Cost:
    """The cost of a request, from its answer."""

    requested: float
    """The points that the bucket had to have."""
    bucket: Bucket


class Pacer:
    """Keeps one client within a shop's limit."""

    def __init__(self) -> None:
        """Starts without a known bucket, before the first answer."""
        self._bucket: Bucket | None = None
        self._costs: dict[Document, float] = {}

    def note(self, document: Document, cost: Cost) -> None:
        """Records an answer's cost. Raises RequestRefused where the bucket can never hold it."""
        if cost.requested > cost.bucket.maximum:
            raise RequestRefused(f"{document.name} costs more than the shop's whole bucket")
        self._bucket, self._costs[document] = cost.bucket, cost.requested

    def seconds_before(self, document: Document) -> float:
        """Returns how long to wait before the document; 0 if its cost or the bucket isn't known."""
        if self._bucket is None or document not in self._costs:
            return 0.0
        return self._bucket.seconds_until(self._costs[document], clock.now())


def cost_of(answer: Mapping[str, Any]) -> Cost | None:
    """Returns the cost in an answer's `extensions`; None where they have none."""
    try:
        cost_fields = answer["extensions"]["cost"]
        status = cost_fields["throttleStatus"]
        bucket = Bucket(
            maximum=float(status["maximumAvailable"]),
            available=float(status["currentlyAvailable"]),
            restored_a_second=float(status["restoreRate"]),
            at=clock.now(),
        )
        cost = Cost(float(cost_fields["requestedQueryCost"]), bucket)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    numbers = (bucket.maximum, bucket.available, bucket.restored_a_second, cost.requested)
    return cost if all(map(isfinite, numbers)) and bucket.restored_a_second > 0 else None
