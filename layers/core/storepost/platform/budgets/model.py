"""A budget and one container's part in it: a token bucket that is reported late.

The bucket is stored as one moment, that at which it will be full again (the "theoretical arrival
time" of the generic cell rate algorithm): each request moves it forward by the time that one refill
takes, and it is never further ahead than the whole bucket takes to fill. All moments are
milliseconds since 1970. ADR 15 has the arithmetic of cost and overshoot.
"""

from dataclasses import dataclass
from math import ceil

from storepost.platform.persistence.item import Key

LEASE = 20
"""How many requests a container answers before it reports: two rows a request, 0.1 write units."""

_SECOND = 1000


@dataclass(frozen=True)
class Policy:
    """A rate of `per_second` requests, with bursts of what that makes in `burst_seconds`."""

    name: str
    per_second: int
    burst_seconds: int

    @property
    def quota(self) -> int:
        """Returns how many requests a full bucket holds."""
        return self.per_second * self.burst_seconds

    @property
    def burst(self) -> int:
        """Returns how many milliseconds an empty bucket takes to fill."""
        return self.burst_seconds * _SECOND

    def cost(self, requests: int) -> float:
        """Returns how many milliseconds the bucket takes to refill so many requests."""
        return requests * _SECOND / self.per_second


@dataclass(frozen=True)
class Budget:
    """A policy, and the row in which its requests are counted."""

    key: Key
    policy: Policy


@dataclass(frozen=True)
class Standing:
    """What is left of a budget, as far as the container knows."""

    policy: Policy
    remaining: int
    """How many requests are left."""
    wait: float
    """Milliseconds until one more request fits; 0 where it fits now."""


@dataclass(frozen=True)
class Usage:
    """Requests that a container answered since its last report."""

    since: int
    """The moment of the first one. The refill since then belongs to them, so it may be old."""
    cost: int
    """Milliseconds of refill."""


@dataclass
class Bucket:
    """What one container knows of a budget."""

    policy: Policy
    stored: int = 0
    """When the bucket will be full again, by the row when last seen; it never goes back."""
    _full_at: float = 0.0
    """The same, with this container's requests that the row doesn't count yet."""
    _since: float = 0.0
    _used: int = 0
    _seen: int = 0
    _due: int = LEASE

    def required_wait(self, now: float) -> float:
        """Returns the milliseconds that a request has to wait; 0 where it may run."""
        self._seen += 1
        after = max(self._full_at, now) + self.policy.cost(1)
        return max(0.0, after - now - self.policy.burst)

    def take(self, now: float) -> None:
        """Counts a request that runs."""
        if not self._used:
            self._since = now
        self._used += 1
        self._full_at = max(self._full_at, now) + self.policy.cost(1)

    def unreported(self) -> Usage | None:
        """Returns the usage that is to be reported now; None while the lease lasts.

        Refused requests count towards the lease, so that a caller past the budget is counted more
        exactly at the same cost.
        """
        if not self._used or self._seen < self._due:
            return None
        return Usage(int(self._since), ceil(self.policy.cost(self._used)))

    def reported(self, stored: int, writes: int) -> None:
        """Notes the row's value after the usage was added, and how many writes that took."""
        self.stored, self._full_at = stored, stored
        self._used, self._seen, self._due = 0, 0, writes * LEASE

    def invalidate(self) -> None:
        """Drops what is known of the row: requests pass, and the next lease reads it again."""
        self.reported(0, 1)

    def standing(self, now: float, wait: float) -> Standing:
        """Returns what is left of the bucket now."""
        available = self.policy.burst - max(0.0, self._full_at - now)
        return Standing(self.policy, max(0, int(available / self.policy.cost(1))), wait)
