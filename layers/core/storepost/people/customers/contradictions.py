"""How often a store contradicts a no that it took (docs/semantics.md, section 2.7 h)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

MAX_CONTRADICTIONS = 5
"""So often in a row a store may have somebody as subscribed again after it took a no from here."""

CONTRADICTIONS_END = timedelta(days=30)
"""After the last one: longer than any sync, so that a loop that is slow ends too."""


@dataclass(frozen=True)
class Contradictions:
    """Says how often a store took a no from here, and then gave something else."""

    count: int = 0
    last_at: datetime | None = None

    def counted(self, now: datetime) -> int:
        """Returns how many there are in a row."""
        is_over = self.last_at is None or self.last_at + CONTRADICTIONS_END < now
        return 0 if is_over else self.count

    def are_too_many(self, now: datetime) -> bool:
        """Returns whether what the store says doesn't end a no any more."""
        return self.counted(now) > MAX_CONTRADICTIONS

    def with_one(self, now: datetime) -> "Contradictions":
        """Returns the count after one more contradiction."""
        return Contradictions(self.counted(now) + 1, now)


NO_CONTRADICTIONS = Contradictions()
