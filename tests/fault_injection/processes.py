"""Processes that run functions, as Lambda's containers do, with a faulty connection to DynamoDB.

A killed process is restarted for the next event. Processes are forked from one that has imported
everything.
"""

import multiprocessing
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from local import functions, gateway, template
from storepost.platform.persistence import sealing
from storepost.platform.persistence.item import dynamodb_client
from tests.concurrency import container
from tests.fault_injection.transport import FaultyTransport, Rates

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([container.__name__])
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)

GATEWAY = ""
"""In place of a function's name: the function of the request's path."""


class Died(Exception):  # noqa: N818 - it is what happened
    """The process was killed before it answered."""


@dataclass
class Process:
    """One container, which has one process at a time."""

    environment: Mapping[str, str]
    rates: Rates
    seed: int
    log: str
    """The file that its output is appended to."""
    starts: int = 0
    met: Counter[str] = field(default_factory=Counter)
    """The faults, except those of killed runs."""
    _pipe: Connection | None = None
    _process: BaseProcess | None = None

    def run(self, function: str, event: dict[str, Any]) -> Any:
        """Returns the function's answer. Raises Died, and RuntimeError if the function raised."""
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send((function, event))
            answer, error, met = self._pipe.recv()
        except (EOFError, OSError) as gone:
            self.stop()
            raise Died() from gone
        self.met += met
        if error:
            raise RuntimeError(error)
        return answer

    def stop(self) -> None:
        """Ends the process if it is running."""
        if self._pipe is not None and self._process is not None:
            self._pipe.close()
            self._process.join(10)
        self._pipe = self._process = None

    def _start(self) -> None:
        self._pipe, theirs = _processes.Pipe()
        self.starts += 1
        seed = self.seed * 10_000 + self.starts
        arguments = (theirs, dict(self.environment), self.rates, seed, self.log)
        self._process = _processes.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()


def _serve(
    pipe: Connection, environment: dict[str, str], rates: Rates, seed: int, log: str
) -> None:
    """Runs events from the pipe until it closes; sends each answer with the faults that it met."""
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
    os.environ.update(environment)
    sealing._kms()
    endpoint = dynamodb_client()._endpoint
    transport = FaultyTransport(endpoint.http_session, rates, random.Random(seed))
    endpoint.http_session = transport
    while True:
        try:
            function, event = pipe.recv()
        except EOFError:
            return
        answer, error = None, ""
        try:
            answer = _run(function, event)
        except Exception as failure:
            error = repr(failure)
        pipe.send((answer, error, transport.met))
        transport.met.clear()


def _run(function: str, event: dict[str, Any]) -> Any:
    if function == GATEWAY:
        return gateway.handle(event)
    declared = next(each for each in template.functions() if each.name == function)
    return functions.invoke(declared, event)
