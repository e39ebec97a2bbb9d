"""Calls and capacity units of what the service asks DynamoDB, as the engine counts them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from storepost.persistence.item import dynamodb_client

_TOKENS = "token#"


@dataclass
class Tally:
    """What some work asked of the tables."""

    calls: int = 0
    reads: float = 0
    writes: float = 0

    def add(self, capacity: dict[str, Any], *, is_write: bool) -> None:
        """One table's part of a call."""
        units = float(capacity["CapacityUnits"])
        if is_write:
            self.writes += units
        else:
            self.reads += units


@dataclass
class Measured[T]:
    """What some work gave, and what it asked of the tables for that."""

    result: T
    authentication: Tally
    """The rows of tokens: what every request reads first."""
    work: Tally
    """All the rest."""


@dataclass
class Meter:
    """Asks for the consumed capacity of each call of the service's one client, and sums it up."""

    _authentication: Tally = field(default_factory=Tally)
    _work: Tally = field(default_factory=Tally)
    _asked: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hangs on to the client, for good."""
        events = dynamodb_client().meta.events
        events.register("before-parameter-build.dynamodb", self._ask)
        events.register("after-call.dynamodb", self._count)

    def measured[T](self, work: Callable[[], T]) -> Measured[T]:
        """What the work gives and takes."""
        self._authentication, self._work = Tally(), Tally()
        result = work()
        return Measured(result, self._authentication, self._work)

    def _ask(self, params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"
        self._asked = params

    def _count(self, model: Any, parsed: dict[str, Any], **_: object) -> None:  # noqa: ANN401
        pk = self._asked.get("Key", {}).get("pk", {}).get("S", "")
        tally = self._authentication if pk.startswith(_TOKENS) else self._work
        tally.calls += 1
        consumed = parsed.get("ConsumedCapacity", [])
        is_write = model.name not in {"GetItem", "BatchGetItem", "Query"}
        for capacity in consumed if isinstance(consumed, list) else [consumed]:
            tally.add(capacity, is_write=is_write)
