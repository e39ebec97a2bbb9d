"""The bucket of points that a shop's requests spend."""

from dataclasses import dataclass, field
from datetime import datetime

from storepost.values import clock


@dataclass
class Bucket:
    """A bucket of points. It refills as the service's time passes."""

    maximum: float = 2000.0
    restored_a_second: float = 100.0
    available: float = 2000.0
    at: datetime = field(default_factory=clock.now)

    def try_spend(self, points: float) -> bool:
        """Spends the points if it has enough; returns whether it had."""
        self._refill()
        if points > self.available:
            return False
        self.available -= points
        return True

    def give_back(self, points: float) -> None:
        """Returns the points that a request didn't use to the bucket."""
        self.available = min(self.maximum, self.available + points)

    def status(self) -> dict[str, float]:
        """Returns the status for an answer."""
        self._refill()
        return {
            "maximumAvailable": self.maximum,
            "currentlyAvailable": float(int(self.available)),
            "restoreRate": self.restored_a_second,
        }

    def _refill(self) -> None:
        now = clock.now()
        passed = (now - self.at).total_seconds()
        self.available = min(self.maximum, self.available + passed * self.restored_a_second)
        self.at = now
