"""Records by source, variant (or none) and locale, and the layer of all records of a source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

type Value = Any
"""Any JSON value."""
type Fields = Mapping[str, Value]
type Place = tuple[str | None, str | None]
"""The product's variant that a record is about (None for the product itself), and its locale."""


@dataclass(frozen=True)
class SourceValues:
    """What a source says of one thing in one locale."""

    fields: Fields
    locale: str | None = None
    variant: str | None = None
    """The variant's key in the product: its external id; None for the product itself."""
    external_id: str | None = None
    """The source's own name for it, if that differs from the key."""

    @property
    def place(self) -> Place:
        """Returns the variant and the locale, which identify a record within its source."""
        return (self.variant, self.locale)


@dataclass(frozen=True)
class Record:
    """What a source says, and since when."""

    source: UUID
    """The product source."""
    values: SourceValues
    first_seen_at: datetime
    seen_at: datetime
    removed_at: datetime | None = None

    @property
    def is_live(self) -> bool:
        """Returns whether the source still has the record."""
        return self.removed_at is None

    @property
    def place(self) -> Place:
        """Returns the variant and the locale, which identify a record within its source."""
        return self.values.place


MAX_REMOVED = 2000
"""Removed records that a layer keeps, the latest ones."""


@dataclass(frozen=True)
class Layer:
    """All that one source says of one product."""

    source: UUID
    records: tuple[Record, ...] = ()
    updated_at: datetime | None = None
    """The source's own time of its latest change, if it sends one."""

    @classmethod
    def of_new(
        cls,
        source: UUID,
        values: Iterable[SourceValues],
        updated_at: datetime | None,
        now: datetime,
    ) -> "Layer":
        """Returns the layer of a source that says something of the product for the first time."""
        records = {each.place: Record(source, each, now, now) for each in values}
        return cls(source, tuple(records.values()), updated_at)

    @property
    def is_live(self) -> bool:
        """Returns whether the source still says anything of the product."""
        return any(record.is_live for record in self.records)

    @property
    def has_product(self) -> bool:
        """Returns whether the source still has a record of the product itself."""
        return any(record.is_live and record.values.variant is None for record in self.records)

    def replaced(
        self, records: Sequence[SourceValues], updated_at: datetime | None, now: datetime
    ) -> "Layer":
        """Returns the layer with these records, all seen now; all other records are removed.

        If that changes nothing, not even the source's time, the layer stays as it is.
        """
        present = {each.place for each in records}
        missing = [record.place for record in self.records if record.place not in present]
        layer = replace(self._merged(records, now)._without(missing, now), updated_at=updated_at)
        return layer if layer == self else layer.seen_until(now)

    def says_the_same(self, other: "Layer") -> bool:
        """Returns whether both have the same records, whenever these were seen."""
        return self._statements == other._statements

    @property
    def _statements(self) -> list[tuple[SourceValues, datetime | None]]:
        return [(record.values, record.removed_at) for record in self.records]

    def seen_until(self, moment: datetime | None) -> "Layer":
        """Returns the layer with all live records seen at the moment, or later."""
        if moment is None:
            return self
        records = (
            replace(each, seen_at=max(each.seen_at, moment)) if each.is_live else each
            for each in self.records
        )
        return replace(self, records=tuple(records))

    def emptied(self, now: datetime, at: datetime | None = None) -> "Layer":
        """Returns the layer with all records removed."""
        emptied = self._without([record.place for record in self.records], now)
        times = [time for time in (self.updated_at, at) if time is not None]
        return replace(emptied, updated_at=max(times, default=None))

    def _merged(self, values: Iterable[SourceValues], now: datetime) -> "Layer":
        """Returns the layer with these values added, or in place of those at the same places."""
        records = {record.place: record for record in self.records}
        for each in values:
            before = records.get(each.place)
            if before and before.is_live and before.values == each:
                continue
            first = before.first_seen_at if before else now
            records[each.place] = Record(self.source, each, first, now)
        return replace(self, records=tuple(records.values()))

    def _without(self, removed_places: Iterable[Place], now: datetime) -> "Layer":
        """Returns the layer with the records at these places removed."""
        removing = set(removed_places)
        records = [
            replace(record, removed_at=now)
            if record.is_live and record.place in removing
            else record
            for record in self.records
        ]
        return replace(self, records=_pruned(records))


def _pruned(records: Sequence[Record]) -> tuple[Record, ...]:
    """Returns the records without the oldest removed variants, if these are too many."""
    removed = [r for r in records if r.removed_at and r.values.variant is not None]
    if len(removed) <= MAX_REMOVED:
        return tuple(records)
    removed.sort(key=_newest_first, reverse=True)
    dropped = {record.place for record in removed[MAX_REMOVED:]}
    return tuple(record for record in records if record.place not in dropped)


def _newest_first(record: Record) -> tuple[datetime | None, str, str]:
    return (record.removed_at, record.values.variant or "", record.values.locale or "")
