"""The catalogue of problems: each kind and its codes, as their classes state them."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import storepost
from storepost.values.problems import Problem, codes_of, kinds


def load_everything() -> None:
    """Imports every module of the package, so that each problem's class exists."""
    for module in pkgutil.walk_packages(storepost.__path__, "storepost."):
        importlib.import_module(module.name)


def all_problems() -> Iterator[type[Problem]]:
    """Yields every problem of the service."""
    load_everything()
    for kind in kinds():
        yield from codes_of(kind)


def catalogue() -> list[dict[str, object]]:
    """Returns the kinds by status, each with its codes: the kind's own first, then by name."""
    load_everything()
    return [_kind(kind) for kind in kinds()]


def _kind(kind: type[Problem]) -> dict[str, object]:
    stated = {problem.code: problem for problem in reversed(list(codes_of(kind)))}
    own = stated.pop(kind.code)
    return {
        "kind": kind.kind,
        "status": kind.status,
        "title": kind.title,
        "meaning": meaning(kind),
        "remedy": kind.remedy,
        "codes": [_code(own), *(_code(stated[code]) for code in sorted(stated))],
    }


def _code(problem: type[Problem]) -> dict[str, str]:
    return {
        "code": problem.code,
        "title": problem.title,
        "meaning": meaning(problem),
        "remedy": problem.remedy,
    }


def meaning(problem: type[Problem]) -> str:
    """The rule behind the problem: the class's docstring as one paragraph."""
    return " ".join(inspect.cleandoc(problem.__doc__ or "").split())
