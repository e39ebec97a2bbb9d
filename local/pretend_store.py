"""A custom store's end of consent write-backs: it takes whatever comes and keeps it to be seen."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from storepost.values import clock


@dataclass(frozen=True)
class Received:
    """A write-back as it arrived; the body is the text that its signature was made over."""

    received_at: datetime
    headers: Mapping[str, str]
    body: str


class PretendStore:
    """What the store received, oldest first. It verifies nothing: a test that looks at it may."""

    def __init__(self) -> None:
        """A store that has received nothing yet."""
        self._lock = threading.Lock()
        self._received: list[Received] = []

    def receive(self, headers: Mapping[str, str], body: str) -> None:
        """Keeps a write-back."""
        with self._lock:
            self._received.append(Received(clock.now(), dict(headers), body))

    def received(self) -> list[Received]:
        """Everything so far."""
        with self._lock:
            return list(self._received)
