"""What rows and values have under the same name has the same type in both, as nothing converts it.

So have requests and what `to_model` makes of them. mypy can't know that, so each call of these
functions is looked at here.
"""

import ast
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import pytest
from pydantic import AwareDatetime
from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from openapi.groups import ROOT
from storepost.platform.persistence.item import Identifier, Item, UtcDateTimeAttribute
from storepost.platform.persistence.mapping import enums_of, shared_names
from storepost.values.wire import RequestBody

LAYER = ROOT / "layers/core"
ARGUMENTS = {"as_row": (0, 2), "write_to": (0, 1), "attributes_of": (0, 1), "as_value": (1, 0)}
"""Where each function takes the row or its model, and the value or its class."""

PLAIN: dict[type, type] = {
    UnicodeAttribute: str,
    NumberAttribute: int,
    BooleanAttribute: bool,
    Identifier: UUID,
    UtcDateTimeAttribute: datetime,
}


@dataclass(frozen=True)
class Call:
    """A call that copies fields of a class of values between it and a model of rows."""

    place: str
    function: str
    model: type[Item]
    kind: Any
    others: frozenset[str | None]


def _calls_in(path: Path) -> Iterator[Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = import_module(".".join(path.relative_to(LAYER).with_suffix("").parts))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            arguments = {
                a.arg: ast.unparse(a.annotation) for a in function.args.args if a.annotation
            }
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ARGUMENTS:
                    row, value = (
                        _named(module, ast.unparse(node.args[place]), arguments)
                        for place in ARGUMENTS[ast.unparse(node.func)]
                    )
                    if row and value:
                        place = f"{path.relative_to(LAYER)}:{node.lineno}"
                        others = frozenset(each.arg for each in node.keywords)
                        yield Call(place, ast.unparse(node.func), row, value, others)


def _bodies() -> Iterator[tuple[type[RequestBody], Any, frozenset[str | None]]]:
    """Yields the class of each request that becomes a model, that model, and what is converted."""
    for path in LAYER.rglob("*.py"):
        if "self.to_model(" in (text := path.read_text(encoding="utf-8")):
            module = import_module(".".join(path.relative_to(LAYER).with_suffix("").parts))
            for body in ast.parse(text).body:
                for node in ast.walk(body):
                    if isinstance(node, ast.Call) and ast.unparse(node.func) == "self.to_model":
                        assert isinstance(body, ast.ClassDef)
                        others = frozenset(each.arg for each in node.keywords)
                        model = getattr(module, ast.unparse(node.args[0]))
                        yield getattr(module, body.name), model, others


def _named(module: ModuleType, name: str, arguments: dict[str, str]) -> Any:
    """Returns the class, or that of the argument of this name; None for another variable."""
    found = getattr(module, arguments.get(name, name), None)
    return found if isinstance(found, type) else None


CALLS = sorted(
    (
        call
        for path in LAYER.rglob("*.py")
        if "persistence.mapping import" in path.read_text(encoding="utf-8")
        for call in _calls_in(path)
    ),
    key=lambda call: call.place,
)


def test_most_calls_are_looked_at() -> None:
    assert len(CALLS) > 50
    assert all(is_dataclass(each.kind) and issubclass(each.model, Item) for each in CALLS)


@pytest.mark.parametrize(
    "call", [each for each in CALLS if each.function == "as_value"], ids=lambda call: call.place
)
def test_value_gets_every_field_that_has_no_default(call: Call) -> None:
    demanded = {each.name for each in fields(call.kind) if _is_demanded(each)}
    assert demanded <= shared_names(call.kind, call.model) | call.others


def _is_demanded(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.place)
def test_what_is_copied_has_the_same_type(call: Call) -> None:
    hints, attributes = get_type_hints(call.kind), call.model.get_attributes()
    for name in shared_names(call.kind, call.model) - call.others:
        stored = PLAIN.get(type(attributes[name]))
        hint = hints[name]
        options = get_args(hint) if get_origin(hint) is UnionType else (hint,)
        if stored and name not in enums_of(call.kind):
            assert stored in options, f"{name} is {stored} in the row and {hint} in the value"


@pytest.mark.parametrize(
    ("body", "model", "others"), [*_bodies()], ids=lambda each: getattr(each, "__name__", "")
)
def test_what_a_request_says_has_the_type_of_the_model(
    body: type[RequestBody], model: Any, others: frozenset[str | None]
) -> None:
    hints = get_type_hints(model)
    for name in body.model_fields.keys() & hints.keys() - others:
        said, taken = _plain(body.model_fields[name].annotation), _plain(hints[name])
        fits = all(any(issubclass(each, kind) for kind in taken) for each in said)
        assert fits, f"{name} is {said} in the request and {taken} in the model"


def _plain(hint: Any) -> set[Any]:
    """Returns the classes of a type; the items of a list, a tuple or an object don't count."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return set(map(type, get_args(hint)))
    if get_origin(hint) in {UnionType, Union}:
        return set().union(*map(_plain, get_args(hint)))
    return {datetime if hint is AwareDatetime else get_origin(hint) or hint}
