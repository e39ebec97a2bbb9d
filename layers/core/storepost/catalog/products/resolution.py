"""Resolves what the sources say: for each field, the first source with a value wins.

docs/semantics.md, section 4 has the rules.

These are functions of values alone. A source's records are tried by the nearness of their locales
before the next source is: the exact locale, the same language, no locale, the store's primary one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from uuid import UUID

from storepost.catalog.products import fields as names
from storepost.catalog.products.records import Record, Value
from storepost.catalog.products.rules import Rules


@dataclass(frozen=True)
class StoreTerms:
    """What a store's own settings say: its primary locale and the currency of each locale."""

    primary_locale: str
    currency: str
    currencies: Mapping[str, str] = field(default_factory=dict)

    def currency_of(self, locale: str) -> str:
        """Returns the currency in which prices are shown in a locale."""
        return self.currencies.get(locale, self.currency)


@dataclass(frozen=True)
class Resolved:
    """The fields of a product, or of a variant, in one locale."""

    values: Mapping[str, Value]
    winners: Mapping[str, Record]
    """The live record that wins each field, by the field's own name."""


@dataclass(frozen=True)
class ResolvedVariant:
    """A variant in one locale."""

    key: str
    resolved: Resolved
    removed_at: datetime | None


@dataclass(frozen=True)
class ResolvedProduct:
    """A product in one locale."""

    locale: str
    resolved: Resolved
    variants: Sequence[ResolvedVariant]
    """Removed ones too, by position."""
    removed_at: datetime | None

    @property
    def live_variants(self) -> list[ResolvedVariant]:
        """Returns the variants that a source still has."""
        return [variant for variant in self.variants if variant.removed_at is None]


class Resolution:
    """What all sources say of one product, under the rules of its store."""

    def __init__(self, records: Iterable[Record], rules: Rules, terms: StoreTerms) -> None:
        """Ranks the records; those of unknown sources count as removed, and come last."""
        self._rules = rules
        self._terms = terms
        self._own: list[Record] = []
        self._variants: dict[str, list[Record]] = defaultdict(list)
        unranked = set[UUID]()
        for record in records:
            known = record
            if record.source not in rules.by_id:
                unranked.add(record.source)
                known = replace(record, removed_at=record.removed_at or record.seen_at)
            key = record.values.variant
            (self._own if key is None else self._variants[key]).append(known)
        self._unranked = tuple(sorted(unranked))

    @cached_property
    def locales(self) -> tuple[str, ...]:
        """Returns the locales that the product has, the store's primary one first."""
        stated = {record.values.locale for record in _counting(self._own)}
        others = sorted(locale for locale in stated if locale and locale != self._primary)
        return (self._primary, *others)

    @cached_property
    def custom_names(self) -> tuple[str, ...]:
        """Returns the custom fields that any source states."""
        stated = {name for record in _counting(self._own) for name in record.values.fields}
        return tuple(sorted(filter(names.is_custom, stated)))

    @cached_property
    def removed_at(self) -> datetime | None:
        """Returns when the last record of the product itself was removed; None if one is live."""
        return _removed_at(self._own)

    @property
    def has_product(self) -> bool:
        """Returns whether any source ever stated the product itself."""
        return bool(self._own)

    def in_locale(self, locale: str) -> ResolvedProduct:
        """Returns the product and its variants in that locale."""
        variants = [
            ResolvedVariant(key, self._variant(records, locale), _removed_at(records))
            for key, records in self._variants.items()
        ]
        return ResolvedProduct(
            locale, self._product(locale), sorted(variants, key=_place), self.removed_at
        )

    @property
    def _primary(self) -> str:
        return self._terms.primary_locale

    def _product(self, locale: str) -> Resolved:
        field_names = (*names.PRODUCT, *names.PRODUCT_FACTS, *self.custom_names)
        return self._resolve(self._own, field_names, locale, of_variant=False)

    def _variant(self, records: Sequence[Record], locale: str) -> Resolved:
        field_names = (*names.VARIANT, *names.VARIANT_FACTS)
        return self._resolve(records, field_names, locale, of_variant=True)

    def _resolve(
        self,
        records: Sequence[Record],
        field_names: Iterable[str],
        locale: str,
        *,
        of_variant: bool,
    ) -> Resolved:
        """Returns the winning values; a removed product keeps its last values, without winners."""
        by_source = self._by_source(_counting(records), locale)
        in_order = list(_of_sources((*self._rules.ranked, *self._unranked), by_source))
        values: dict[str, Value] = {}
        winners: dict[str, Record] = {}
        stated = set[str]().union(*(record.values.fields for record in in_order))
        for name in filter(stated.__contains__, field_names):
            for record in self._candidates(name, by_source, in_order, of_variant=of_variant):
                if self._has(record, name, locale):
                    values[name] = record.values.fields[name]
                    if record.is_live:
                        winners[name] = record
                    break
        return Resolved(values, winners)

    def _by_source(self, records: Sequence[Record], locale: str) -> Mapping[UUID, Sequence[Record]]:
        """Returns each source's records that apply to a locale, the nearest first."""
        by_source: dict[UUID, list[tuple[tuple[int, str], Record]]] = defaultdict(list)
        for record in records:
            nearness = _nearness(record.values.locale, locale, self._primary)
            if nearness is not None:
                place = (nearness, record.values.locale or "")
                by_source[record.source].append((place, record))
        for found in by_source.values():
            if len(found) > 1:
                found.sort(key=itemgetter(0))
        return {source: [each for _, each in found] for source, found in by_source.items()}

    def _candidates(
        self,
        name: str,
        by_source: Mapping[UUID, Sequence[Record]],
        in_order: Sequence[Record],
        *,
        of_variant: bool,
    ) -> Iterable[Record]:
        if not self._rules.fields:
            return in_order
        rule = names.rule_name(name, of_variant=of_variant)
        if rule not in self._rules.fields:
            return in_order
        return _of_sources((*self._rules.order_of(rule), *self._unranked), by_source)

    def _has(self, record: Record, name: str, locale: str) -> bool:
        value = record.values.fields.get(name)
        if is_empty(value):
            return False
        return name not in names.PRICES or _currency(value) == self._terms.currency_of(locale)


def is_empty(value: Value) -> bool:
    """Returns whether the value counts as none: null, "", [] and {} do, false and 0 don't."""
    return value is None or value in ("", [], {})


def _currency(price: Value) -> str:
    return str(price["currency"])


def _of_sources(
    order: Iterable[UUID], by_source: Mapping[UUID, Sequence[Record]]
) -> Iterator[Record]:
    for source in order:
        yield from by_source.get(source, ())


def _nearness(record_locale: str | None, locale: str, primary: str) -> int | None:
    """Returns how near a record's locale is, from 0 (the same); None if it doesn't apply."""
    if record_locale == locale:
        return 0
    if record_locale is None:
        return 2
    if _language(record_locale) == _language(locale):
        return 1
    return 3 if record_locale == primary else None


def _language(locale: str) -> str:
    return locale.partition("-")[0].lower()


def _counting(records: Sequence[Record]) -> Sequence[Record]:
    """Returns the records that count: the live ones, or all if none is live."""
    return [record for record in records if record.is_live] or records


def _removed_at(records: Sequence[Record]) -> datetime | None:
    moments = [record.removed_at for record in records]
    return max((m for m in moments if m is not None), default=None) if all(moments) else None


def _place(variant: ResolvedVariant) -> tuple[int, str]:
    position = variant.resolved.values.get("position")
    return (position if isinstance(position, int) else _LAST, variant.key)


_LAST = 2**31
