"""Runs the template's functions in this process, found by folder, one invocation of each at a time.

`run_elsewhere` replaces the place where they run.
"""

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import uuid4

from local.template import Function, functions

REQUEST_BYTES = 6 * 1024 * 1024
"""Lambda's limit on the size of an event and of an answer (its quotas, synchronous calls)."""


@dataclass
class Context:
    """The context that Lambda passes to an invocation."""

    function_name: str
    remaining_milliseconds: int
    memory_limit_in_mb: int = 1024
    invoked_function_arn: str = "arn:aws:lambda:eu-central-1:123456789012:function:local"
    aws_request_id: str = field(default_factory=lambda: str(uuid4()))

    def get_remaining_time_in_millis(self) -> int:
        """How long the invocation may still take."""
        return self.remaining_milliseconds


@cache
def handler_of(function: str) -> Callable[[Any, Any], Any]:
    """Returns the function's handler, imported as Lambda imports it."""
    declared = next(f for f in functions() if f.name == function)
    module = importlib.import_module(declared.folder.strip("/").replace("/", ".") + ".handler")
    return module.lambda_handler  # type: ignore[no-any-return]


type Invoke = Callable[[Function, dict[str, Any]], Any]
"""Runs a function on an event and returns its answer."""

_elsewhere: Invoke | None = None


def run_elsewhere(invoke_there: Invoke | None) -> None:
    """Has `invoke_there` run functions from now on; None runs them in this process again."""
    global _elsewhere  # noqa: PLW0603 - every pump and endpoint invokes in the same way
    _elsewhere = invoke_there


def are_here() -> bool:
    """Whether functions run in this process, and so use its clock."""
    return _elsewhere is None


_running: list[str] = []


class _Own(threading.local):
    """Thread-local state: whether the thread belongs to the local run and not to a function."""

    apart = False


_own = _Own()
_function: ContextVar[str | None] = ContextVar("function", default=None)
"""The function that this thread runs, or that started this thread with its context."""
_NOBODYS = ""
_API = "the API"


def running() -> str | None:
    """Returns the logical id of the function that runs in this thread.

    A thread that a function started counts as that function's. A thread inside `apart` counts only
    as that of a function that it runs itself. In any other thread without a function's context it
    is the function that began last.
    """
    function = _function.get()
    if function is not None or _own.apart:
        return function or None
    return _running[-1] if _running else None


@contextmanager
def apart() -> Iterator[None]:
    """Marks this thread as the local run's own, while functions run in other threads."""
    before, _own.apart = _own.apart, True
    try:
        yield
    finally:
        _own.apart = before


@contextmanager
def outside() -> Iterator[None]:
    """Attributes this thread's calls to no function, except inside functions that it invokes."""
    token = _function.set(_NOBODYS)
    try:
        yield
    finally:
        _function.reset(token)


def invoke(function: Function, event: dict[str, Any]) -> Any:  # noqa: ANN401 - its own answer
    """Runs the function on the event."""
    return _elsewhere(function, event) if _elsewhere else invoke_here(function, event)


def invoke_here(function: Function, event: dict[str, Any]) -> Any:  # noqa: ANN401 - its own answer
    """Runs the function in this process on the event."""
    context = Context(function.name, function.timeout_seconds * 1000)
    with _lock(_lock_name(function)):
        _running.append(function.name)
        token = _function.set(function.name)
        try:
            return handler_of(function.name)(event, context)
        finally:
            _running.remove(function.name)
            _function.reset(token)


@contextmanager
def none_running() -> Iterator[None]:
    """Waits until no function runs in this process, and blocks new invocations in the block."""
    with ExitStack() as locks:
        names = {_lock_name(function) for function in functions()}
        # The API's last: a worker that runs may wait for it over HTTP.
        for name in sorted(names, key=lambda name: (name == _API, name)):
            locks.enter_context(_lock(name))
        yield


_locks: dict[str, threading.RLock] = {}


def _lock(name: str) -> threading.RLock:
    return _locks.setdefault(name, threading.RLock())


def _lock_name(function: Function) -> str:
    """Returns the name of the lock that an invocation holds.

    Each function has a lock of its own, as its modules keep state during an invocation. The API's
    functions share one: Powertools' resolvers share the current event on their class.
    """
    return _API if function.events_of("HttpApi") else function.name
