"""What rows have that this release doesn't know: attributes and kinds of a release beside it.

Two releases run side by side while one is deployed, and an older one runs again after a step back.
A row that was read and is saved whole keeps the attributes that the other release gave it.
"""

from collections import OrderedDict
from collections.abc import Mapping, Set
from typing import Any

from pynamodb.attributes import DiscriminatorAttribute

type Place = tuple[str, tuple[str, str]]
"""A row's table and key."""

MAX_ROWS = 10_000
"""Rows with unknown attributes that are remembered at once; beyond, the oldest are forgotten."""


class UnknownAttributes:
    """The unknown attributes of the rows that the request or run has read, in DynamoDB's notation.

    Repositories make a row anew from a model to save it, so what it had besides is looked up here.
    """

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._rows: OrderedDict[Place, tuple[object, Mapping[str, Any]]] = OrderedDict()

    def note(self, place: Place, kind: object, raw: Mapping[str, Any], known: Set[str]) -> None:
        """Notes what a row that was read has besides the attributes that are known."""
        self.forget(place)
        if others := {name: raw[name] for name in raw.keys() - known}:
            self._rows[place] = (kind, others)
            if len(self._rows) > MAX_ROWS:
                self._rows.popitem(last=False)

    def of(self, place: Place, kind: object) -> Mapping[str, Any]:
        """Returns what the row had besides as it was read; nothing where it was of another kind."""
        read_kind, others = self._rows.get(place, (kind, {}))
        return others if read_kind == kind else {}

    def forget(self, place: Place) -> None:
        """Forgets a row: it is deleted, or written for the first time."""
        self._rows.pop(place, None)

    def clear(self) -> None:
        """Forgets all, for another request or run."""
        self._rows.clear()


unknown_attributes = UnknownAttributes()
"""Those of this container, which does one request or run at a time."""


class KindAttribute(DiscriminatorAttribute):
    """The kind of a row; `unknown` is what stands for a kind that this release doesn't know."""

    unknown: type | None = None

    def is_known(self, kind: str) -> bool:
        """Whether a row of this kind has a class here."""
        return kind in self._discriminator_map

    def deserialize(self, value: str) -> type:
        """The row's class."""
        if self.unknown is not None and not self.is_known(value):
            return self.unknown
        found: type = super().deserialize(value)
        return found
