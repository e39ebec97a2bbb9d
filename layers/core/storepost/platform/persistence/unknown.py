"""Attributes and kinds of rows that this release doesn't know: those of a release beside it.

Two releases run side by side during a deployment, and an older one runs again after a rollback. A
row that is read and then saved whole keeps the attributes that the other release gave it.
"""

from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from typing import Any

from pynamodb.attributes import DiscriminatorAttribute
from pynamodb.models import Model

from storepost.platform.persistence.pynamodb_private import models_by_kind
from storepost.platform.persistence.records import Record

type Place = tuple[str, tuple[str, str]]
"""A row's table and key."""

MAX_ROWS = 10_000
"""How many rows with unknown attributes are remembered; beyond that the oldest are dropped."""


class UnknownAttributes:
    """The unknown attributes of the rows that the request or run has read, in DynamoDB's notation.

    To save a row, repositories make it anew from a model; its unknown attributes are looked up
    here.
    """

    def __init__(self) -> None:
        """Begins with no rows."""
        self._rows: OrderedDict[Place, tuple[object, Mapping[str, Any]]] = OrderedDict()

    def note(self, place: Place, kind: object, others: Mapping[str, Any]) -> None:
        """Notes the unknown attributes of a row that was read."""
        self.forget(place)
        if others:
            self._rows[place] = (kind, others)
            if len(self._rows) > MAX_ROWS:
                self._rows.popitem(last=False)

    def of(self, place: Place, kind: object) -> Mapping[str, Any]:
        """Returns the row's unknown attributes when it was read; none if it was of another kind."""
        read_kind, others = self._rows.get(place, (kind, {}))
        return others if read_kind == kind else {}

    def forget(self, place: Place) -> None:
        """Drops a row that is deleted, or written for the first time."""
        self._rows.pop(place, None)

    def clear(self) -> None:
        """Drops all rows, for another request or run."""
        self._rows.clear()


unknown_attributes = UnknownAttributes()
"""The unknown attributes of this container, which does one request or run at a time."""


@cache
def _names(model: type[Model]) -> frozenset[str]:
    """Returns the names of a row's attributes in DynamoDB."""
    return frozenset(attribute.attr_name for attribute in model.get_attributes().values())


@cache
def _records(model: type[Model]) -> Mapping[str, Record]:
    """Returns the attributes that store records, by their names in DynamoDB."""
    found = model.get_attributes().values()
    return {each.attr_name: each for each in found if isinstance(each, Record)}


def unknown_of(model: type[Model], raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a row's unknown attributes, and known ones whose records have unknown elements."""
    further = {
        name: raw[name]
        for name, attribute in _records(model).items()
        if "S" in raw.get(name, ()) and attribute.has_further(raw[name]["S"])
    }
    return {**{name: raw[name] for name in raw.keys() - _names(model)}, **further}


def with_unknown(
    model: type[Model], saved: Mapping[str, dict[str, Any]], unknown: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Returns the saved attributes with the unknown ones; a removed record stays removed."""
    known = {
        name: {"S": record.with_further(saved[name]["S"], unknown[name]["S"])}
        for name, record in _records(model).items()
        if name in unknown and name in saved
    }
    others = {name: unknown[name] for name in unknown.keys() - _names(model)}
    return {**others, **saved, **known}


class KindAttribute(DiscriminatorAttribute):
    """The kind of a row; `unknown` is the class for a kind that this release doesn't know."""

    unknown: type | None = None

    @property
    def known(self) -> Mapping[str, type[Model]]:
        """Returns the kinds that this release knows, each with its class."""
        return models_by_kind(self)

    def is_known(self, kind: str) -> bool:
        """Returns whether a row of this kind has a class here."""
        return kind in self.known

    def deserialize(self, value: str) -> type:
        """Returns the row's class."""
        found: type | None = self.known.get(value, self.unknown)
        if found is None:
            raise ValueError(f"no kind of row is called {value!r}")
        return found
