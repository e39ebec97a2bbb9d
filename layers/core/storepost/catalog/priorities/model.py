"""A change of a store's rules as a value, and how it would change a product."""

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
"""The statuses of changes that the worker works on."""


@dataclass(frozen=True)
class NewRules:
    """The rules that a change puts in force."""

    order: tuple[UUID, ...]
    fields: Mapping[str, tuple[UUID, ...]]

    def instead_of(self, rules: Rules) -> Rules:
        """Returns the rules once the new ones are in force."""
        return rules.with_order(self.order, self.fields)

    def is_of(self, rules: Rules) -> bool:
        """Returns whether all sources that it names are the store's."""
        return all(
            each in rules.by_id for ids in (self.order, *self.fields.values()) for each in ids
        )


@dataclass(frozen=True)
class Counts:
    """Numbers of the store's products."""

    products: int = 0
    previewed: int = 0
    changed: int = 0
    """Products that would change."""
    applied: int = 0
    """Of those, the ones that have changed."""


@dataclass(frozen=True)
class Walk:
    """How far the worker is with a store's products, in the order of their last changes."""

    after: str | None = None
    """The last key of the list that was handled; None before the walk began."""
    began_at: datetime | None = None
    seen: int | None = None
    """The sum of the store's marks when the walk began; None if the preview is void, as the rules
    name a source that is gone.
    """
    revision: int | None = None
    """The revision of the rules in force then."""
    rounds: int = 0
    """How often the worker went back to products that changed meanwhile."""
    clears: bool = False
    """Whether products of an earlier preview must be removed first."""


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
    """When its rules came into force."""
    completed_at: datetime | None = None

    def previewed_anew(self) -> "PriorityChange":
        """Returns the change with its preview beginning again."""
        return replace(
            self,
            status=ChangeStatus.PREVIEWING,
            counts=Counts(),
            walk=Walk(clears=True),
            ready_at=None,
        )


@dataclass(frozen=True)
class FieldChange:
    """How one field changes."""

    locale: str | None
    """None if the change is the same in all of the product's locales."""
    variant: tuple[UUID, str] | None
    """The variant's id and title; None for a field of the product itself."""
    field: str
    before: tuple[UUID | None, Any]
    """The product source that the value is from, and the value."""
    after: tuple[UUID | None, Any]

    @property
    def size(self) -> int:
        """Returns how many bytes of an answer it takes at most."""
        parts = [self.locale, self.variant, self.field, self.before, self.after]
        return _NAMES_BYTES + _bytes_of(parts)


@dataclass(frozen=True)
class ChangedProduct:
    """How a change alters one product."""

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
"""Bytes for names: more than the shapes' names of a change's parts, or of a product's."""


def _bytes_of(content: object) -> int:
    text = json.dumps(content, ensure_ascii=False, default=str)  # as answers are
    return len(text.encode(errors="surrogatepass"))
