"""The rules of a store: its sources, and the order in which they count for each field."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from uuid import UUID

from storepost.values.ids import derived_id
from storepost.values.stored_enum import StoredEnum


class SourceKind(StoredEnum):
    """What a source of products is: the `store` itself, or a `feed` that is imported into it."""

    STORE = "store"
    FEED = "feed"


@dataclass(frozen=True)
class RankedSource:
    """A store or a feed, as a source of records of products."""

    id: UUID
    kind: SourceKind
    source_id: UUID
    """The store's or the feed's own id."""
    name: str
    number: int
    """A small number, unique among the store's sources and never used again."""
    added_at: datetime
    imported_at: datetime | None = None
    """When a feed's last import was completed, which saw all of the feed's live records."""


def product_source_id(store_id: UUID, source_id: UUID) -> UUID:
    """Returns the id under which a store's rules and records name a source."""
    return derived_id(store_id, "product_source", str(source_id))


@dataclass(frozen=True)
class Rules:
    """What is in force in a store."""

    sources: tuple[RankedSource, ...]
    order: tuple[UUID, ...] = ()
    fields: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    revision: int = 0
    """Counts each change of sources, order and fields."""
    next_number: int = 1

    @cached_property
    def by_id(self) -> Mapping[UUID, RankedSource]:
        """Returns the sources by their ids."""
        return {source.id: source for source in self.sources}

    @cached_property
    def ranked(self) -> tuple[UUID, ...]:
        """Returns all sources: those that `order` names, then the others, oldest first."""
        named = [each for each in dict.fromkeys(self.order) if each in self.by_id]
        others = sorted(self.sources, key=lambda source: (source.added_at, source.id))
        return tuple(dict.fromkeys([*named, *(source.id for source in others)]))

    def order_of(self, field_name: str) -> Sequence[UUID]:
        """Returns the sources in the order in which they count for one field."""
        own = self.fields.get(field_name)
        if not own:
            return self.ranked
        named = [each for each in own if each in self.by_id]
        return tuple(dict.fromkeys([*named, *self.ranked]))

    def rank_of(self, source_id: UUID) -> int | None:
        """Returns the rank of a store or feed among the sources, from 1; None if it is none."""
        ids = (s.id for s in self.sources if s.source_id == source_id)
        return next((self.ranked.index(each) + 1 for each in ids), None)

    def with_source(self, source: RankedSource) -> "Rules":
        """Returns the rules with one more source, which comes last."""
        return replace(
            self,
            sources=(*self.sources, source),
            order=(*self.ranked, source.id),
            revision=self.revision + 1,
            next_number=self.next_number + 1,
        )

    def without_source(self, source: UUID) -> "Rules":
        """Returns the rules without a source; a field with only that one loses its own order."""
        fields = {name: _without(ids, source) for name, ids in self.fields.items()}
        return replace(
            self,
            sources=tuple(each for each in self.sources if each.id != source),
            order=_without(self.order, source),
            fields={name: ids for name, ids in fields.items() if ids},
            revision=self.revision + 1,
        )

    def with_order(self, order: Iterable[UUID], fields: Mapping[str, Iterable[UUID]]) -> "Rules":
        """Returns the rules with another general order, and other orders of single fields."""
        return replace(
            self,
            order=tuple(order),
            fields={name: tuple(ids) for name, ids in fields.items()},
            revision=self.revision + 1,
        )


def _without(ids: Iterable[UUID], source: UUID) -> tuple[UUID, ...]:
    return tuple(each for each in ids if each != source)
