"""Ends a run at any of its calls to AWS, as if the function's process died there."""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, cast
from unittest import mock

from aws_lambda_powertools.event_handler.api_gateway import BaseRouter
from botocore.client import BaseClient

from local import functions as local_functions
from local.template import ROOT, functions
from storepost.platform.persistence.loads import in_flight


class Killed(BaseException):
    """The process died. No `except Exception` of the service may take it for an error."""


class Side(StrEnum):
    """Whether the process dies before or after a call."""

    BEFORE = "before"
    AFTER = "after"


@dataclass
class Calls:
    """The calls to AWS inside a block, by operation."""

    made: list[str] = field(default_factory=list)


type Step = Callable[[int, str, Side], None]
"""A callback around a call, with the call's number from 1, its operation, and the side."""


@contextmanager
def around_calls(step: Step) -> Iterator[Calls]:
    """Runs `step` before and after each call to AWS inside the block.

    Loads make one call at a time inside the block, so that the calls' order is the same each time.
    """
    calls, plain = Calls(), cast(Any, BaseClient)._make_api_call

    def call(self: Any, operation: str, parameters: Any) -> Any:
        calls.made.append(operation)
        number = len(calls.made)
        step(number, operation, Side.BEFORE)
        answer = plain(self, operation, parameters)
        step(number, operation, Side.AFTER)
        return answer

    with (
        mock.patch.object(BaseClient, "_make_api_call", call),
        mock.patch.object(in_flight, "CALLS_IN_FLIGHT", 1),
    ):
        yield calls


def counted(work: Callable[[], object]) -> list[str]:
    """Returns the calls that the work makes if it isn't killed."""
    with around_calls(lambda _number, _operation, _moment: None) as calls:
        work()
    return calls.made


def killed_at(number: int, moment: Side, work: Callable[[], object]) -> bool:
    """Kills the work at that call; returns whether it reached the call."""

    def kill(at: int, _operation: str, side: Side) -> None:
        if (at, side) == (number, moment):
            raise Killed()

    try:
        with around_calls(kill):
            work()
    except Killed:
        return True
    return False


@contextmanager
def another_container() -> Iterator[None]:
    """Serves the block's requests by functions imported anew, as a second container would.

    The block's calls don't count as calls of the function that is suspended meanwhile. That
    function's request is restored at the end, as all resolvers share one current request on their
    class.
    """

    def imported_anew(name: str) -> Any:
        declared = next(function for function in functions() if function.name == name)
        path = ROOT / declared.folder / "handler.py"
        spec = importlib.util.spec_from_file_location(f"another_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.lambda_handler

    event, context = BaseRouter.current_event, BaseRouter.lambda_context
    with (
        mock.patch.object(local_functions, "handler_of", imported_anew),
        local_functions.outside(),
    ):
        try:
            yield
        finally:
            BaseRouter.current_event, BaseRouter.lambda_context = event, context


@contextmanager
def before_the_commit(meanwhile: Callable[[], object], which: int = 1) -> Iterator[Calls]:
    """Runs `meanwhile` in another container just before the `which`th transaction is sent."""
    waiting = [meanwhile]

    def step(_number: int, operation: str, moment: Side) -> None:
        if operation != "TransactWriteItems" or moment is not Side.BEFORE or not waiting:
            return
        if calls.made.count(operation) == which:
            with another_container():
                waiting.pop()()

    with around_calls(step) as calls:
        yield calls


@contextmanager
def at_call(number: int, act: Callable[[], object], when: Side = Side.BEFORE) -> Iterator[None]:
    """Runs `act` before or after the `number`th call in the block, which must make that call."""
    waiting = [act]

    def step(at: int, _operation: str, side: Side) -> None:
        if waiting and (at, side) == (number, when):
            waiting.pop()()

    with around_calls(step):
        yield
    assert not waiting, "the block made fewer calls"


@contextmanager
def before_write(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Runs `act` before the `number`th write in the block, which must make that write."""
    waiting, writes = [act], count(1)

    def step(_number: int, operation: str, side: Side) -> None:
        if waiting and side is Side.BEFORE and "Write" in operation and next(writes) == number:
            waiting.pop()()

    with around_calls(step):
        yield
    assert not waiting, "the block made fewer writes"
