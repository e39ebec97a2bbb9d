"""The API's groups of operations, found by their folders."""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storepost.api.http.app import Resolver

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Operation:
    """A route of a group."""

    id: str
    method: str
    path: str
    """The function's path, with `/v1` and with parameters in braces."""
    function: Callable[..., Any]


@dataclass(frozen=True)
class Group:
    """A function of the API."""

    name: str
    description: str
    app: Resolver

    @property
    def operations(self) -> list[Operation]:
        """The routes that the interface describes, in the order of the handler's code.

        Pages for people aren't described.
        """
        routes = [*self.app._static_routes, *self.app._dynamic_routes]
        return [
            Operation(route.operation_id, route.method, route.openapi_path, route.func)
            for route in sorted(routes, key=lambda route: route.func.__code__.co_firstlineno)
            if route.include_in_schema
        ]


def groups() -> list[Group]:
    """All groups, by name."""
    names = sorted(path.parent.name for path in (ROOT / "functions/api").glob("*/handler.py"))
    return [_group(name) for name in names]


def _group(name: str) -> Group:
    module = importlib.import_module(f"functions.api.{name}.handler")
    about, _, _ = inspect.cleandoc(module.__doc__ or "").partition("\n\n")
    return Group(name, " ".join(about.split()), module.app)
