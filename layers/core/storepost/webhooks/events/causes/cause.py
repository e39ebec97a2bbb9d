"""The events that a comparison of a row's two images finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from storepost.platform.persistence.item import Item
from storepost.webhooks.events.model import Resource


@dataclass(frozen=True)
class Cause:
    """The event of one change of a row."""

    types: tuple[str, ...]
    """The event's types, the most specific first; at least one."""
    resource: Resource
    ids: Mapping[str, object] = field(default_factory=dict)
    always: bool = False


type Comparison = Callable[[Item | None, Item | None], list[Cause]]
"""Compares a row before and after a write; None means that there is no row. Most comparisons find
one event or none.
"""

type Comparisons = Mapping[type[Item], Comparison]
"""The comparison of each row."""


def one_cause(compare: Callable[[Item | None, Item | None], Cause | None]) -> Comparison:
    """Returns a comparison that finds one event at most."""

    def compare_all(old: Item | None, new: Item | None) -> list[Cause]:
        cause = compare(old, new)
        return [cause] if cause else []

    return compare_all
