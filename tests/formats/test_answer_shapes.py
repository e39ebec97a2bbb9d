"""Shapes that requests and answers share: an answer has the stored value, despite current rules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, StringConstraints
from pydantic.fields import FieldInfo
from pydantic.types import Strict

from openapi.groups import ROOT, groups
from storepost.values import wire

_TIMESTAMP: Any = wire.Timestamp
_ANY_MOMENT = {id(each) for each in _TIMESTAMP.__metadata__}
"""Checks that accept every time that a row can have."""


def _checks(annotation: Any) -> Iterator[object]:
    for each in getattr(annotation, "__metadata__", ()):
        yield from [each] if id(each) not in _ANY_MOMENT else []
    for inner in get_args(getattr(annotation, "__value__", annotation)):
        yield from _checks(inner)


def _of_field(field: FieldInfo) -> list[object]:
    own = [each for each in field.metadata if id(each) not in _ANY_MOMENT]
    return [each for each in (*own, *_checks(field.annotation)) if _refuses(each)]


def _refuses(check: object) -> bool:
    known = isinstance(check, AfterValidator | BeforeValidator | StringConstraints)
    return (known or hasattr(check, "__slots__")) and not isinstance(check, Strict | FieldInfo)


def _shapes(annotation: Any, seen: set[type[BaseModel]]) -> None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.add(annotation)
            for field in annotation.model_fields.values():
                _shapes(field.annotation, seen)
        return
    for inner in get_args(getattr(annotation, "__value__", annotation)):
        _shapes(inner, seen)


def answered() -> set[type[BaseModel]]:
    """Returns every shape of an answer."""
    seen = set[type[BaseModel]]()
    for operation in (each for group in groups() for each in group.operations):
        _shapes(get_type_hints(operation.function, include_extras=True).get("return"), seen)
    return seen


def _modules_of_shapes() -> Iterator[Path]:
    """Yields the modules with shapes; other modules have models of the same names."""
    for path in (ROOT / "layers/core/storepost").rglob("*.py"):
        if path.stem in {"wire", "bodies"} or path.stem.endswith("schemas"):
            yield path


CHECKED = sorted(
    {shape.__name__ for shape in answered() if any(map(_of_field, shape.model_fields.values()))}
)


def test_some_shapes_are_checked_in_requests() -> None:
    assert {"MoneyShape", "StoreLocale", "PriorityRules", "Coupon"} <= set(CHECKED)
    assert len(answered()) > 100


@pytest.mark.parametrize("name", CHECKED)
def test_shapes_with_checks_are_made_by_of_stored(name: str) -> None:
    """If it fails, make the shape by `of_stored`: a stored value may break a current rule."""
    for path in _modules_of_shapes():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if name in text else ():
            if isinstance(node, ast.Call):
                made = ast.unparse(node.func)
                assert made not in {name, f"{name}.from_model"}, f"{path}:{node.lineno}"
            if isinstance(node, ast.ClassDef) and node.name == name:
                validated = re.search(r"cls(\.from_model)?\(", ast.unparse(node))
                assert not validated, f"{path}:{node.lineno}"
