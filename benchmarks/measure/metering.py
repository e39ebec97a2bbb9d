"""Counts the service's calls of DynamoDB and their capacity units, as the engine reports them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from storepost.platform.persistence.item import dynamodb_client

_TOKENS = "token#"
_READS = frozenset({"GetItem", "BatchGetItem", "Query"})


@dataclass(frozen=True)
class Call:
    """One call of DynamoDB."""

    operation: str
    units: float
    is_authentication: bool
    """Whether it is for the row of a token, with which every request begins."""

    @property
    def is_read(self) -> bool:
        """Whether its units are read units."""
        return self.operation in _READS


@dataclass
class Measured[T]:
    """The result of some work, and its cost."""

    result: T
    calls: list[Call]
    seconds: float
    cpu_seconds: float
    """User and system time of this process; the engine has its own."""

    @property
    def work(self) -> list[Call]:
        """The calls except authentication's."""
        return [call for call in self.calls if not call.is_authentication]

    @property
    def reads(self) -> float:
        """The read units without authentication."""
        return sum(call.units for call in self.work if call.is_read)

    @property
    def writes(self) -> float:
        """The write units without authentication."""
        return sum(call.units for call in self.work if not call.is_read)

    @property
    def authentication_reads(self) -> float:
        """The read units of authentication, without its write, which happens once a minute."""
        return sum(call.units for call in self.calls if call.is_authentication and call.is_read)


@dataclass
class Meter:
    """Requests the consumed capacity of each call of the service's client."""

    _calls: list[Call] = field(default_factory=list)
    _is_authentication: bool = False

    def __post_init__(self) -> None:
        """Registers handlers at the client, permanently."""
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._ask)
        events.register("after-call.dynamodb", self._count)

    def measured[T](self, work: Callable[[], T]) -> Measured[T]:
        """Runs the work; returns its result and its cost."""
        self._calls = []
        began, cpu_began = time.perf_counter(), time.process_time()
        result = work()
        ended, cpu_ended = time.perf_counter(), time.process_time()
        return Measured(result, self._calls, ended - began, cpu_ended - cpu_began)

    def _ask(self, params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"
        partition = params.get("Key", {}).get("pk", {}).get("S", "")
        self._is_authentication = partition.startswith(_TOKENS)

    def _count(self, model: Any, parsed: dict[str, Any], **_: object) -> None:  # noqa: ANN401
        consumed = parsed.get("ConsumedCapacity", [])
        tables = consumed if isinstance(consumed, list) else [consumed]
        units = sum(float(table["CapacityUnits"]) for table in tables)
        self._calls.append(Call(model.name, units, self._is_authentication))
