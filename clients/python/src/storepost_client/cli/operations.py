"""The operations that the command line offers, from the service's description."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation, under its name in a request."""

    name: str
    place: Literal["path", "query", "header"]
    required: bool
    description: str

    @property
    def option(self) -> str:
        """The option's name after the two dashes: `store-id` for `storeId`."""
        return kebab(self.name)


@dataclass(frozen=True)
class Operation:
    """An operation: `orders.list` is the command `orders list`."""

    id: str
    method: str
    path: str
    summary: str
    parameters: tuple[Parameter, ...]
    body: str | None
    """The body's media type."""
    body_required: bool

    @property
    def group(self) -> str:
        """The first word of the command."""
        return kebab(self.id.partition(".")[0])

    @property
    def verb(self) -> str:
        """The second word of the command."""
        return kebab(self.id.partition(".")[2])

    @property
    def is_paged(self) -> bool:
        """Whether it returns a list in pages."""
        return any((p.place, p.name) == ("query", "page") for p in self.parameters)

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent twice and takes effect once."""
        return self.method == "GET" or any(p.name == "idempotency-key" for p in self.parameters)


def kebab(name: str) -> str:
    """`writeBack` as `write-back`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


@cache
def operations() -> tuple[Operation, ...]:
    """Returns all operations, in the description's order."""
    text = (files("storepost_client") / "generated" / "operations.json").read_text("utf-8")
    return tuple(_operation(row) for row in json.loads(text))


def _operation(row: dict[str, Any]) -> Operation:
    return Operation(
        id=row["id"],
        method=row["method"],
        path=row["path"],
        summary=row["summary"],
        parameters=tuple(
            Parameter(p["name"], p["in"], p["required"], p["description"])
            for p in row["parameters"]
        ),
        body=row["body"],
        body_required=row["bodyRequired"],
    )
