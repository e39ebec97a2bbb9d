"""Shopify's limit on the Admin API: a bucket of points a shop, which refills by the second.

A request must find its whole possible cost in the bucket when it begins, and gets back what it did
not use. The answer says what is left, so whoever listens waits before a refusal and not after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
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
        """Returns how long until the bucket holds the cost, to the next millisecond;
        0 where it does.
        """
        passed = max(0.0, (now - self.at).total_seconds())
        available = min(self.maximum, self.available + passed * self.restored_a_second)
        missing = cost - available
        if missing <= 0:
            return 0.0
        return ceil(missing / self.restored_a_second * 1000) / 1000


@dataclass(frozen=True)
class Cost:
    """Says what an answer says of its request's cost."""

    requested: float
    """What had to be in the bucket."""
    bucket: Bucket


class Pacer:
    """Says how one client keeps to a shop's limit."""

    def __init__(self) -> None:
        """Nothing is known before the first answer."""
        self._bucket: Bucket | None = None
        self._costs: dict[Document, float] = {}

    def note(self, document: Document, cost: Cost) -> None:
        """Learns from an answer. Raises RequestRefused where the bucket can never hold the cost."""
        if cost.requested > cost.bucket.maximum:
            raise RequestRefused(f"{document.name} costs more than the shop's whole bucket")
        self._bucket, self._costs[document] = cost.bucket, cost.requested

    def seconds_before(self, document: Document) -> float:
        """Returns how long to wait with the document;
        0 where nothing is known of it or of the bucket.
        """
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
    return cost if bucket.restored_a_second > 0 else None
