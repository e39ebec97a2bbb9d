"""Where the stream's readers stand, as AWS keeps it for each event source."""

import threading
from collections.abc import Callable, Mapping


class StreamPositions:
    """By reader and shard, the number of the last record that was handed on.

    A run that is killed after handing something on and before it noted so hands that on again.
    """

    def __init__(
        self,
        stood: Mapping[str, str] | None = None,
        keep: Callable[[dict[str, str]], None] | None = None,
    ) -> None:
        """`stood` is where an earlier run's readers did; `keep` is given the whole at each note."""
        self._positions = dict(stood or {})
        self._keep = keep
        self._lock = threading.Lock()

    def of(self, reader: str, shard: str) -> str | None:
        """Where the reader stands, None at the stream's beginning."""
        return self._positions.get(f"{reader}/{shard}")

    def note(self, reader: str, shard: str, number: str) -> None:
        """Moves the reader on; each has a thread of its own."""
        with self._lock:
            self._positions[f"{reader}/{shard}"] = number
            if self._keep:
                self._keep(self._positions)
