"""The positions of the stream's readers, as AWS keeps them for each event source."""

import threading
from collections.abc import Callable, Mapping


class StreamPositions:
    """The sequence number of the last delivered record, by reader and shard.

    A run that is killed after a delivery and before recording it leaves that batch to be delivered
    again.
    """

    def __init__(
        self,
        stood: Mapping[str, str] | None = None,
        keep: Callable[[dict[str, str]], None] | None = None,
    ) -> None:
        """`stood` has an earlier run's positions; `keep` gets all positions at each change."""
        self._positions = dict(stood or {})
        self._keep = keep
        self._lock = threading.Lock()

    def of(self, reader: str, shard: str) -> str | None:
        """Returns the reader's position; None at the stream's beginning."""
        return self._positions.get(f"{reader}/{shard}")

    def note(self, reader: str, shard: str, number: str) -> None:
        """Advances the reader; each reader has a thread of its own."""
        with self._lock:
            self._positions[f"{reader}/{shard}"] = number
            if self._keep:
                self._keep(self._positions)
