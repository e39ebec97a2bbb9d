"""Counts how often a store contradicts an unsubscription that it accepted.

docs/semantics.md, section 2.7 h has the rule.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_CONTRADICTIONS = 5
"""How often in a row a store may send `subscribed` after it accepted an unsubscription."""

CONTRADICTIONS_END = timedelta(days=30)
"""After the last contradiction: longer than any sync, so that a slow loop ends too."""


@dataclass(frozen=True)
class Contradictions:
    """How often a store accepted an unsubscription, and then sent another state."""

    count: int = 0
    last_at: datetime | None = None

    def counted(self, now: datetime) -> int:
        """Returns how many contradictions in a row there are."""
        is_over = self.last_at is None or self.last_at + CONTRADICTIONS_END < now
        return 0 if is_over else self.count

    def are_too_many(self, now: datetime) -> bool:
        """Returns whether the store's opt-ins no longer end an unsubscription."""
        return self.counted(now) > MAX_CONTRADICTIONS

    def with_one(self, now: datetime) -> "Contradictions":
        """Returns the count after one more contradiction."""
        return Contradictions(self.counted(now) + 1, now)


NO_CONTRADICTIONS = Contradictions()
