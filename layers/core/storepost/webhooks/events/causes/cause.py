"""What a comparison of two images of a row finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from storepost.platform.persistence.item import Item
from storepost.webhooks.events.model import Resource


@dataclass(frozen=True)
class Cause:
    """What one change of a row tells."""

    types: tuple[str, ...]
    """The event's types, the most telling first; at least one."""
    resource: Resource
    ids: Mapping[str, object] = field(default_factory=dict)
    always: bool = False


type Comparison = Callable[[Item | None, Item | None], list[Cause]]
"""Compares a row before and after a write; None stands for no row. Mostly it tells one thing or
nothing.
"""

type Comparisons = Mapping[type[Item], Comparison]
"""By the row."""


def one_cause(compare: Callable[[Item | None, Item | None], Cause | None]) -> Comparison:
    """Returns the comparison of a row whose change tells one thing at most."""

    def compare_all(old: Item | None, new: Item | None) -> list[Cause]:
        cause = compare(old, new)
        return [cause] if cause else []

    return compare_all
