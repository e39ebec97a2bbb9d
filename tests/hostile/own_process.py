"""Events for a function in a process of its own, and what each took there."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.measure.apart import aws_for_all


@dataclass(frozen=True)
class EventOutcome:
    """What one event took."""

    status: int
    body: str
    cpu: float
    """Seconds."""
    before: float
    """Megabytes that the process had when the event came."""
    most: float
    """Megabytes that it had at most while it was at it."""


class FunctionApart:
    """The process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, event: dict[str, Any]) -> EventOutcome:
        """Runs one event there."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(event) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith('{"status"'):
                return EventOutcome(**json.loads(line))
        raise AssertionError(f"the process ended: {self._process.wait()}")


@contextmanager
def function_apart() -> Iterator[FunctionApart]:
    """Starts it with this process's moto behind it, and ends it."""
    with aws_for_all() as address:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.function"],
            env={**os.environ, "AWS_ENDPOINT_URL": address},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield FunctionApart(process)
        finally:
            assert process.stdin
            process.stdin.close()
            process.wait()
