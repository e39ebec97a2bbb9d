"""Suggests the known name that an unknown one in a request probably means."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAliasType, get_args

from pydantic import BaseModel, RootModel

_NAME_LENGTH = 64
"""Characters of an unknown name that are compared with the known ones, in quadratic time."""

type _Shapes = list[type[BaseModel]]


def suggestion(name: str, known: Iterable[str]) -> str:
    """Returns the sentence that names the most similar known name; empty where none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    folded = {each.lower(): each for each in known}
    close = get_close_matches(name[:_NAME_LENGTH].lower(), folded, 1)
    return f". Did you mean `{folded[close[0]]}`?" if close else ""


def names_at(annotation: object, place: Iterable[str | int]) -> list[str]:
    """Returns the names of fields that an object at this place in a value may have.

    `annotation` is the value's type. Of the shapes that an object may have, pydantic's place names
    the one that was tried, or the value of the field that chooses it.
    """
    shapes = list(_shapes_in(annotation))
    for part in place:
        inner = [each for shape in shapes for each in _types_of(shape, part)]
        if inner:
            shapes = [shape for each in inner for shape in _shapes_in(each)]
        else:
            shapes = [shape for shape in shapes if _is_called(shape, part)] or shapes
    return [name for shape in shapes for name, _ in _fields_of(shape)]


def _shapes_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, TypeAliasType):
        annotation = annotation.__value__
    if isinstance(annotation, type) and issubclass(annotation, RootModel):
        annotation = annotation.model_fields["root"].annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _shapes_in(inner)


def _fields_of(shape: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    for name, field in shape.model_fields.items():
        yield field.alias or name, field.annotation


def _types_of(shape: type[BaseModel], part: str | int) -> Iterator[object]:
    return (annotation for name, annotation in _fields_of(shape) if name == part)


def _is_called(shape: type[BaseModel], part: str | int) -> bool:
    """Returns whether the part is the shape's name, or a value that one of its fields has alone."""
    literals = (get_args(annotation) for _, annotation in _fields_of(shape))
    return part == shape.__name__ or any(part in values for values in literals)
