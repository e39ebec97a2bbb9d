"""Many containers at once, as Lambda runs them: processes that share one dynoxide and one moto.

A function handles one event at a time, so races are between processes. They are forked from one
that has imported everything; their calls to SQS, SES and KMS go to the moto of the tests' own
process, through a server in it.
"""

import multiprocessing
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from local.containers.aws_server import AwsServer
from tests.concurrency import container
from tests.concurrency.container import Done, Event, Task

HOST = "127.0.0.1"

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["__main__", container.__name__])
# The fork server finds these modules only by this variable.
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)


@dataclass
class Containers:
    """A number of running containers."""

    pipes: list[Connection]
    refused: Counter[str] = field(default_factory=Counter)
    """The writes that DynamoDB refused so far, by operation: the lost races."""
    again: Counter[str] = field(default_factory=Counter)
    """Retries so far, by the problem's code."""

    def at_once(self, events: Sequence[Event], **how: Any) -> list[Any]:
        """Runs one event in each container, all at once; returns the answers in the events' order.

        `function` is the function for all events, or one for each; an empty name is the gateway.
        `again` are codes of problems after which a request is retried. `within_seconds` is the most
        time between their starts, for other interleavings.
        """
        return [answer for (answer,) in self.in_turn([[event] for event in events], **how)]

    def in_turn(
        self,
        events: Sequence[Iterable[Event]],
        *,
        function: str | Sequence[str] = "",
        again: Iterable[str] = (),
        within_seconds: float = 0,
    ) -> list[list[Any]]:
        """Runs a list of events in each container; returns the answers in the same order."""
        assert len(events) == len(self.pipes)
        named = [function] * len(events) if isinstance(function, str) else function
        for pipe, own, name in zip(self.pipes, events, named, strict=True):
            pipe.send(Task(name, list(own), frozenset(again), within_seconds))
        done: list[Done] = [pipe.recv() for pipe in self.pipes]
        assert [each.error for each in done if each.error] == []
        for each in done:
            self.refused += each.refused
            self.again += each.again
        return [each.answers for each in done]


@contextmanager
def containers(number: int, **environment: str) -> Iterator[Containers]:
    """Runs containers during the block; `environment` is set in all of them."""
    with _moto_for_all() as moto:
        together = _processes.Barrier(number)
        made, pipes = [], []
        for _ in range(number):
            parent_end, child_end = _processes.Pipe()
            process = _processes.Process(
                target=container.run,
                args=(child_end, together, {"AWS_ENDPOINT_URL": moto, **environment}),
                daemon=True,
            )
            process.start()
            child_end.close()
            made.append(process)
            pipes.append(parent_end)
        try:
            yield Containers(pipes)
        finally:
            for pipe in pipes:
                pipe.close()
            for process in made:
                process.join(10)
                process.close()


@contextmanager
def _moto_for_all() -> Iterator[str]:
    server = make_server(HOST, 0, AwsServer(), threaded=True, request_handler=_Quiet)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:
        pass
