"""Between rows and values: what both have under the same name is copied.

`tests/platform/persistence/test_mapping.py` checks that it has the same type in both.
"""

from dataclasses import fields
from enum import Enum
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from storepost.platform.persistence.item import Item, Key

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_OF_ROWS = {"kind", "version"}
"""Attributes that a new row sets by itself."""


def as_row[T: Item](
    model: type[T],
    key: Key,
    value: "DataclassInstance",
    /,
    **others: Any,  # noqa: ANN401 - each attribute's own type
) -> T:
    """Returns a value as a new row; the others are attributes that aren't the value's fields."""
    return model(*key, **attributes_of(model, value, **others))


def write_to(row: Item, value: "DataclassInstance", /, **others: Any) -> None:  # noqa: ANN401
    """Sets the attributes of a row that was read as `as_row` sets those of a new one."""
    for name, attribute in attributes_of(type(row), value, **others).items():
        setattr(row, name, attribute)


def attributes_of(
    model: type[Item],
    value: "DataclassInstance",
    /,
    **others: Any,  # noqa: ANN401 - each attribute's own type
) -> dict[str, Any]:
    """Returns a value's fields as attributes of the same names, and the others."""
    names = shared_names(type(value), model) - _OF_ROWS - others.keys()
    return {name: getattr(value, name) for name in names} | others


def as_value[T: "DataclassInstance"](kind: type[T], row: Item, /, **others: Any) -> T:  # noqa: ANN401
    """Returns a row's value: its fields from attributes of the same names, and the others.

    A text becomes the member of the field's enum. Raises TypeError if a field without a default is
    in neither the row nor the others.
    """
    stored = row.attribute_values
    values = {name: stored.get(name) for name in shared_names(kind, type(row)) - others.keys()}
    for name, member in enums_of(kind).items():
        if values.get(name) is not None:
            values[name] = member(values[name])
    return kind(**values, **others)


@cache
def shared_names(kind: type["DataclassInstance"], model: type[Item]) -> frozenset[str]:
    """Returns the names that a class of values and a model of rows have both."""
    return frozenset(each.name for each in fields(kind)) & model.get_attributes().keys()


@cache
def enums_of(kind: type["DataclassInstance"]) -> dict[str, type[Enum]]:
    """Returns the enums of the fields of a class of values that have one, by field."""
    found = {}
    for name, hint in get_type_hints(kind).items():
        for option in get_args(hint) if get_origin(hint) is UnionType else (hint,):
            if isinstance(option, type) and issubclass(option, Enum):
                found[name] = option
    return found
