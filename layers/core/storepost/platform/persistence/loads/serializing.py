"""Makes rows directly in DynamoDB's notation, without a PynamoDB object for each.

They equal what `Changes.create` writes for the same values; `tests/platform/persistence/loads`
compares the two.
"""

from collections.abc import Callable, Mapping
from typing import Any

from storepost.platform.persistence.item import Item, Key, Raw, VersionedItem
from storepost.platform.persistence.write_marks import MarkedItem, written_by

_FIRST_VERSION = {"version": {"N": "1"}}
_KEYS = frozenset({"pk", "sk", "kind"})


class RowSerializer:
    """Makes new rows of one model."""

    def __init__(self, model: type[Item]) -> None:
        """Looks up once what PynamoDB looks up for each row."""
        versioned = issubclass(model, VersionedItem)
        self._is_marked = issubclass(model, MarkedItem)
        own = {
            name: attribute
            for name, attribute in model.get_attributes().items()
            if name not in _KEYS and not (versioned and name == "version")
        }
        self._kind = {"kind": {"S": Item.kind.get_discriminator(model)}} | (
            _FIRST_VERSION if versioned else {}
        )
        self._attributes: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
            name: (each.attr_name, each.attr_type, each.serialize) for name, each in own.items()
        }
        self._defaults = {
            name: each.default() if callable(each.default) else each.default
            for name, each in own.items()
            if each.default is not None
        }
        self._required = frozenset(each.attr_name for each in own.values() if not each.null)

    def row(self, key: Key, values: Mapping[str, Any]) -> Raw:
        """Returns a row of attributes by their names in the model; None is left out.

        Raises KeyError for a name that the model doesn't have, ValueError for a missing attribute.
        """
        raw: dict[str, Any] = {"pk": {"S": key[0]}, "sk": {"S": key[1]}, **self._kind}
        for name, value in {**self._defaults, **values}.items():
            if value is not None:
                stored_name, kind, serialize = self._attributes[name]
                raw[stored_name] = {kind: serialize(value)}
        if not self._required <= raw.keys():
            raise ValueError(f"there is no {sorted(self._required - raw.keys())}")
        mark = written_by() if self._is_marked else None
        return {**raw, "written_by": {"S": mark}} if mark else raw
