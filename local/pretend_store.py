"""A pretend custom store that accepts and keeps all consent write-backs."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from storepost.values import clock


@dataclass(frozen=True)
class Received:
    """A write-back as it arrived; the body is the text that was signed."""

    received_at: datetime
    headers: Mapping[str, str]
    body: str


class PretendStore:
    """Keeps write-backs, oldest first. It verifies nothing; a test that reads them may."""

    def __init__(self) -> None:
        """Begins without write-backs."""
        self._lock = threading.Lock()
        self._received: list[Received] = []

    def receive(self, headers: Mapping[str, str], body: str) -> None:
        """Keeps a write-back."""
        with self._lock:
            self._received.append(Received(clock.now(), dict(headers), body))

    def received(self) -> list[Received]:
        """Returns all write-backs so far."""
        with self._lock:
            return list(self._received)
