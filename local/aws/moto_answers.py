"""Speeds up how moto serializes answers: no search for ten kinds of value in each attribute.

moto's serializer looks in every DynamoDB attribute for each member of its shape under several
spellings. A string, a number, a boolean or null needs no conversion.

The methods of a service's class are looked up once instead of at each request.
"""

from functools import cache
from typing import Any

from moto.core import responses, serialize
from moto.core.utils import method_names_from_class

_PLAIN = {"S", "N", "BOOL", "NULL"}
_original = serialize.BaseJSONSerializer._serialize_type_structure


def install() -> None:
    """Replaces moto's serializer by the faster one."""
    serialize.BaseJSONSerializer._serialize_type_structure = _serialize  # type: ignore[method-assign]
    setattr(responses, "method_names_from_class", cache(method_names_from_class))  # noqa: B010


def _serialize(
    self: serialize.BaseJSONSerializer,
    serialized: Any,  # noqa: ANN401 - moto's own shapes
    value: Any,  # noqa: ANN401
    shape: Any,  # noqa: ANN401
    key: str,
) -> None:
    if shape.name == "AttributeValue" and isinstance(value, dict) and value.keys() <= _PLAIN:
        plain = {kind: str(v) if kind in {"S", "N"} else v for kind, v in value.items()}
        self._default_serialize(serialized, plain, shape, key)
    else:
        _original(self, serialized, value, shape, key)
