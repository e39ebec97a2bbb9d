"""A change of a store's rules as a value, and what it would make of a product."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.catalog.products.rules import Rules
from storepost.values.stored_enum import StoredEnum


class ChangeStatus(StoredEnum):
    """How far a change is.

    `previewing`: Storepost works out what it makes of products. `ready`: it can be applied.
    `applying`: its rules are in force, and products follow. `applied`: all products have followed.
    `failed`: it was abandoned, and `error` says why.
    """

    PREVIEWING = "previewing"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"


WORKED_ON = frozenset({ChangeStatus.PREVIEWING, ChangeStatus.APPLYING})
"""The worker goes on with these."""


@dataclass(frozen=True)
class NewRules:
    """What a change puts in force."""

    order: tuple[UUID, ...]
    fields: Mapping[str, tuple[UUID, ...]]

    def instead_of(self, rules: Rules) -> Rules:
        """Returns the rules once the new ones are in force."""
        return rules.with_order(self.order, self.fields)

    def is_of(self, rules: Rules) -> bool:
        """Returns whether all that it names are sources of the store."""
        return all(
            each in rules.by_id for ids in (self.order, *self.fields.values()) for each in ids
        )


@dataclass(frozen=True)
class Counts:
    """Of the store's products."""

    products: int = 0
    previewed: int = 0
    changed: int = 0
    """Those that would become something else."""
    applied: int = 0
    """Of those, the ones that have."""


@dataclass(frozen=True)
class Walk:
    """How far the worker is with a store's products, by when they changed."""

    after: str | None = None
    """The last key of the list that was dealt with; None before the walk began."""
    began_at: datetime | None = None
    seen: int | None = None
    """What the store's marks said together when the walk began; None where the preview is worth
    nothing, as the rules name a source that is gone.
    """
    revision: int | None = None
    """The rules in force then."""
    rounds: int = 0
    """How often it went back to what changed meanwhile."""
    clears: bool = False
    """Whether products of an earlier preview are to be removed first."""


@dataclass(frozen=True)
class PriorityChange:
    """A change of a store's rules."""

    id: UUID
    store_id: UUID
    status: ChangeStatus
    rules: NewRules
    created_at: datetime
    counts: Counts = Counts()
    walk: Walk = Walk()
    error: str | None = None
    ready_at: datetime | None = None
    applied_at: datetime | None = None
    """When its rules came in force."""
    completed_at: datetime | None = None

    def previewed_anew(self) -> "PriorityChange":
        """Returns the change once its preview begins again."""
        return replace(
            self,
            status=ChangeStatus.PREVIEWING,
            counts=Counts(),
            walk=Walk(clears=True),
            ready_at=None,
        )


@dataclass(frozen=True)
class FieldChange:
    """What becomes of one field."""

    locale: str | None
    """None where it is the same in all of the product's locales."""
    variant: tuple[UUID, str] | None
    """Its id and title; None for a field of the product itself."""
    field: str
    before: tuple[UUID | None, Any]
    """The product source that it is from, and the value."""
    after: tuple[UUID | None, Any]

    @property
    def size(self) -> int:
        """Returns how many bytes of an answer it takes at most."""
        parts = [self.locale, self.variant, self.field, self.before, self.after]
        return _NAMES_BYTES + _bytes_of(parts)


@dataclass(frozen=True)
class ChangedProduct:
    """What a change makes of one product."""

    id: UUID
    external_id: str
    title: str | None
    image: Mapping[str, Any] | None
    changes: tuple[FieldChange, ...]

    @property
    def size(self) -> int:
        """Returns how many bytes of an answer it takes at most."""
        parts = [self.id, self.external_id, self.title, self.image]
        return _NAMES_BYTES + _bytes_of(parts) + sum(each.size for each in self.changes)


_NAMES_BYTES = 150
"""More than what the shapes call the parts of a change, or of a product."""


def _bytes_of(content: object) -> int:
    text = json.dumps(content, ensure_ascii=False, default=str)  # as answers are
    return len(text.encode(errors="surrogatepass"))
