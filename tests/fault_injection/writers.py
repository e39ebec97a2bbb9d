"""Clients that write, and retry unacknowledged requests as the service's answers say."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.concurrency.requests import request
from tests.fault_injection.acknowledged_writes import Facts
from tests.fault_injection.processes import GATEWAY, Died, Process
from tests.fault_injection.requests import Sent
from tests.harness.world import Someone

TRIES = 200
"""The most tries of one request: a killed run's key is free only after half a minute."""

_REPEATED = frozenset({"busy", "conflict", "idempotency_in_progress"})
_PLAIN_WAIT_SECONDS = 0.2


@dataclass
class Writer:
    """A client whose requests one process answers."""

    process: Process
    owner: Someone
    facts: Facts

    def write(self, requests: Iterable[Sent]) -> None:
        """Sends the requests, one after the other."""
        for sent in requests:
            self._send(sent)
        self.process.stop()

    def _send(self, sent: Sent) -> None:
        event = request(sent.method, sent.path, self.owner, sent.body, sent.key)
        was_killed = False
        for _ in range(TRIES):
            wait = _PLAIN_WAIT_SECONDS
            try:
                answer = self.process.run(GATEWAY, event)
            except Died:
                was_killed = True
                self.facts.count("killed")
            else:
                if self._is_done(sent, answer, after_kill=was_killed):
                    return
                wait = _retry_after(answer.headers)
            time.sleep(wait * random.uniform(0.5, 1))
        self.facts.refuse(f"{sent.kind} {sent.key}: no answer after {TRIES} tries")

    def _is_done(self, sent: Sent, answer: Any, *, after_kill: bool) -> bool:
        """Records the answer; returns whether it is final, so that the request isn't retried."""
        body = json.loads(answer.body)
        if answer.status < 300:
            self.facts.count(str(answer.status))
            self.facts.add(sent, body)
            return True
        code = str(body["code"])
        self.facts.count(f"{answer.status} {code}" + (" after a kill" if after_kill else ""))
        if code in _REPEATED:
            return False
        self.facts.refuse(f"{sent.kind} {sent.key}: {answer.status} {answer.body.decode()}")
        return bool(answer.status < 500)


def _retry_after(headers: Mapping[str, str]) -> float:
    found = (value for name, value in headers.items() if name.lower() == "retry-after")
    return float(next(found, _PLAIN_WAIT_SECONDS))


def write_at_once(writers: list[Writer], requests: list[Iterable[Sent]]) -> Counter[str]:
    """Runs all writers at once; returns the faults that they met, and the number of kills."""
    threads = [
        threading.Thread(target=writer.write, args=(own,))
        for writer, own in zip(writers, requests, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    met = sum((writer.process.met for writer in writers), Counter[str]())
    met["killed"] = sum(writer.process.starts - 1 for writer in writers)
    return met
