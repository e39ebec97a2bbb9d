"""Finds the problems that an operation may answer, by the names in the code behind its route.

From the route on it follows the functions, classes and methods of `storepost` that a function's
code names. It follows a method if the code names both the method and its class; the class may also
be a parameter's type or the return type of a named function. Problems that a function declares as
handled (`handles`) are removed from those that it can raise. So a problem may be listed that never
occurs, if one function serves several operations; the tests check on every answer that none is
missing.
"""

import dis
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from storepost.values.problems import HANDLED, Problem

_LOADS_VARIABLE = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"}


def problems_of(function: Callable[..., Any]) -> set[type[Problem]]:
    """Returns the problems that the function, or the code that it calls, can raise."""
    found: set[type[Problem]] = set()
    seen: set[object] = set()
    waiting: list[object] = [function]
    while waiting:
        thing = waiting.pop()
        if thing in seen:
            continue
        seen.add(thing)
        handled = getattr(thing, HANDLED, None)
        if isinstance(thing, type):
            found |= {thing} if _is_answer(thing) else set()
        elif handled and isinstance(thing, FunctionType) and thing is not function:
            found |= problems_of(thing) - handled
        elif isinstance(thing, FunctionType):
            waiting += _named_by(thing)
    return found


def _is_answer(thing: type) -> bool:
    return issubclass(thing, Problem) and hasattr(thing, "code")


def _named_by(function: FunctionType) -> Iterator[object]:
    names = set(_names(function.__code__))
    holders = list(_holders(function))
    for holder in [*holders, *_returned(holders, names)]:
        if isinstance(holder, ModuleType):
            yield from _own(getattr(holder, name, None) for name in names)
        elif isinstance(holder, type) and not issubclass(holder, Problem):
            yield from _methods(holder, names)
        else:
            yield from _own([holder, *_contents(holder)])


def _holders(function: FunctionType) -> Iterator[object]:
    """Yields the values of the function's variables, its own imports and its parameters' types."""
    variables = set(_variables(function.__code__))
    known = {**function.__globals__, **_closure(function)}
    yield from (known[name] for name in variables if name in known)
    imported = (name for name in _names(function.__code__) if name.startswith("storepost."))
    yield from map(import_module, imported)
    for annotation in inspect.get_annotations(function).values():
        if isinstance(annotation, type) and _is_ours(annotation):
            yield annotation


def _returned(holders: Iterable[object], names: set[str]) -> Iterator[type]:
    """Yields our classes that are return types of the named functions."""
    for holder in holders:
        in_it = isinstance(holder, ModuleType)
        for each in (getattr(holder, name, None) for name in names) if in_it else (holder,):
            if isinstance(each, FunctionType) and _is_ours(each):
                returned = inspect.get_annotations(each).get("return")
                if isinstance(returned, type) and _is_ours(returned):
                    yield returned


def _contents(holder: object) -> Iterator[object]:
    """Yields the fields of one of our values, such as a limit's problem."""
    if is_dataclass(holder) and not isinstance(holder, type):
        yield from (getattr(holder, each.name) for each in fields(holder))


def _closure(function: FunctionType) -> dict[str, object]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _variables(code: CodeType) -> Iterator[str]:
    """Yields variable names, not attributes: one may have the name of a function of the module."""
    for step in dis.get_instructions(code):
        if step.opname in _LOADS_VARIABLE:
            yield step.argval
        elif isinstance(step.argval, CodeType):
            yield from _variables(step.argval)


def _methods(holder: type, names: set[str]) -> Iterator[object]:
    for name in {"__init__", "__post_init__", *names}:
        yield from _own([inspect.getattr_static(holder, name, None)])


def _own(things: Any) -> Iterator[object]:  # noqa: ANN401 - whatever a name can mean
    for thing in things:
        bare = _bare(thing)
        if isinstance(bare, type | FunctionType) and _is_ours(bare):
            yield bare


def _bare(thing: object) -> object:
    """Returns the function behind a property, a method's wrapper or a cache."""
    if isinstance(thing, property):
        return thing.fget
    if isinstance(thing, cached_property):
        return thing.func
    if isinstance(thing, classmethod | staticmethod):
        return thing.__func__
    return inspect.unwrap(thing) if callable(thing) else thing


def _is_ours(thing: type | FunctionType) -> bool:
    return thing.__module__.partition(".")[0] in {"storepost", "functions"}
