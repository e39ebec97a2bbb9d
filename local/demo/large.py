"""`DEMO=large`: two years of the demo shop's history, imported by the service itself.

The shop sends it in batches, as any store does, while the run serves requests. The progress is
stored: a run that continues with an earlier run's data sends the remaining batches.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from local import aws
from local.console import say
from local.demo import Api, Credentials
from local.demo.large_shop import BATCH, Batch, History
from local.events.pumps import read_queues
from storepost.values import clock

END = timedelta(days=91)
"""How long ago the history ends; the demo's other records are newer."""
AHEAD = 2
"""Batches in flight at once: with another one queued, a batch's last orders are packed, too."""
MAX_WAITING = 400
"""No further batch is sent while the queues hold more messages: they are in memory."""
SAY_SECONDS = 5
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Loaded:
    """How far the history is imported."""

    orders: int
    until: str
    """The history's end."""
    batch: int = BATCH
    """How many records one batch has."""
    batches: int = 0
    """How many batches are completed, in order."""

    def as_json(self) -> dict[str, Any]:
        """Returns what a run stores for the next run."""
        return asdict(self)

    @property
    def history(self) -> History:
        """The history to import."""
        return History(self.orders, clock.from_text(self.until), self.batch)


def begin(orders: int, batch: int = BATCH) -> Loaded:
    """Returns the state before anything is imported."""
    return Loaded(orders, clock.to_text(clock.now() - END), batch)


@dataclass
class Loading:
    """Imports the rest of a history."""

    api: Api
    credentials: Credentials
    loaded: Loaded
    keep: Callable[[Loaded], None] = lambda _loaded: None
    """Stores the progress after each completed batch."""
    _sent: deque[tuple[str, Batch]] = field(default_factory=deque)
    _began: float = field(default_factory=time.monotonic)
    _reported_at: float = field(default_factory=time.monotonic)
    _records_sent: int = 0

    def run(self, stopped: threading.Event) -> None:
        """Returns when everything is imported, or `stopped` is set."""
        batches = self.loaded.history.batches()
        remaining = deque(batches[self.loaded.batches :])
        if not remaining:
            return
        done = sum(len(batch.numbers) for batch in batches[: self.loaded.batches])
        self._say(done)
        while (remaining or self._sent) and not stopped.is_set():
            if remaining and len(self._sent) < AHEAD and _waiting() < MAX_WAITING:
                self._send(remaining.popleft())
                continue
            while self._sent and self._is_done(self._sent[0][0]):
                done += self._note(self._sent.popleft()[1])
            if time.monotonic() - self._reported_at >= SAY_SECONDS:
                self._say(done)
            stopped.wait(_LOOK_SECONDS)
        self._say(done)

    def _send(self, batch: Batch) -> None:
        key, store = self.credentials.api_keys["write"], self.credentials.store_id
        made = self.api.call("POST", f"/stores/{store}/batches", key, batch.body())
        self._sent.append((str(made["id"]), batch))

    def _is_done(self, import_id: str) -> bool:
        key, store = self.credentials.api_keys["read"], self.credentials.store_id
        shown = self.api.call("GET", f"/stores/{store}/imports/{import_id}", key)
        return shown["status"] not in {"queued", "running"}

    def _note(self, batch: Batch) -> int:
        self.loaded = replace(self.loaded, batches=self.loaded.batches + 1)
        self.keep(self.loaded)
        self._records_sent += len(batch.numbers)
        return len(batch.numbers)

    def _say(self, done: int) -> None:
        self._reported_at = time.monotonic()
        records = self.loaded.history.records
        line = f"{done:,} of {records:,} records of the large demo"
        if self._records_sent and done < records:
            rate = self._records_sent / (self._reported_at - self._began)
            line += f", {rate:.0f} a second, {(records - done) / rate / 60:.0f} minutes left"
        say(line)


def _waiting() -> int:
    return sum(sum(aws.queue_depth(queue).values()) for queue in read_queues())
