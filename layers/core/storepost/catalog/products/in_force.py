"""What is in force in a store: its sources and rules, and the counters that each write increases.

A writer resolves a product under the rules that it read. So its transaction increases one of the
store's marks, on the condition that those rules are still in force; a change of the rules rewrites
all marks. A writer takes any of eight marks, so that writers seldom conflict. The sum of the marks
says whether anything changed since it was last read.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.catalog.products.keys import COUNTERS, custom_fields_key, mark_key, rules_key
from storepost.catalog.products.model import LayerMark
from storepost.catalog.products.resolution import StoreTerms
from storepost.catalog.products.rows import (
    CustomFieldsItem,
    MarkItem,
    RulesItem,
    as_rules,
    as_terms,
    rules_attributes,
    terms_row,
)
from storepost.catalog.products.rules import RankedSource, Rules, SourceKind, product_source_id
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find_in, find_raw
from storepost.platform.persistence.optional_attributes import is_as_read
from storepost.platform.persistence.reads import Reads
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope

_KIND = Path("kind").set("product_mark")
# An update that creates a row doesn't set its kind.

MAX_CUSTOM_FIELDS = 500
"""Custom fields that a store's rules list; further ones work, but aren't listed."""


def terms_of(store: Store) -> StoreTerms:
    """Returns the store's settings by which its products are resolved."""
    currencies = {row.locale: row.currency for row in store.locales}
    return StoreTerms(store.primary_locale, store.currency, currencies)


def store_source(store: Store) -> RankedSource:
    """Returns the store as a source of its own products: the first, which needn't be added."""
    return RankedSource(
        id=product_source_id(store.id, store.id),
        kind=SourceKind.STORE,
        source_id=store.id,
        name=store.name,
        number=0,
        added_at=datetime.min.replace(tzinfo=UTC),
    )


@dataclass(frozen=True)
class InForce:
    """A store's rules with the names of its custom fields, as they were read."""

    rules: Rules
    custom_names: frozenset[str]
    terms: StoreTerms
    """The store's terms under these rules; the store may have been read long before or after."""


@dataclass(frozen=True)
class Marked:
    """The sums of a store's marks."""

    changes: int
    each: Mapping[int, int]
    """How many writes each mark has counted, by its number."""
    products: Mapping[int, int]
    """How many products each source has, by the source's number."""
    locales: Mapping[int, Sequence[str]]
    """The locales in which each source says something, by the source's number."""


class RulesRepository:
    """The rules in force of one store."""

    def __init__(self, store: Store, reads: Reads | None = None) -> None:
        """Makes the repository of a store; `reads` is a unit of work's own."""
        self._store = store
        self._reads = reads or Reads()
        self._read: RulesItem | None = None
        self._fields: CustomFieldsItem | None = None

    def get(self) -> InForce:
        """Returns the rules; the store is the only source if no feed was ever added."""
        rules, fields = rules_key(*self._of), custom_fields_key(*self._of)
        found = self._reads.find_all([rules, fields])
        self._read = find_in(found, RulesItem, rules)
        self._fields = find_in(found, CustomFieldsItem, fields)
        names = frozenset(self._fields.names) if self._fields else frozenset()
        rules_in_force = self._with_store(as_rules(self._read) if self._read else None)
        terms = self._read.terms if self._read else None
        return InForce(rules_in_force, names, as_terms(terms) if terms else terms_of(self._store))

    def save(
        self, changes: Changes, rules: Rules, *, unless_changed_since: Marked | None = None
    ) -> None:
        """Puts other rules in force: writes under those read here fail from then on.

        A write since `unless_changed_since` was read makes this a lost race.
        """
        self._put(changes, rules)
        for number in range(COUNTERS):
            mark = MarkItem(*mark_key(*self._of, number))
            now = MarkItem.rules.set(rules.revision)
            since = unless_changed_since
            same = is_as_read(MarkItem.changes, since.each.get(number)) if since else None
            changes.update(mark, [_KIND, now, MarkItem.changes.add(1)], same)

    def save_terms(self, changes: Changes) -> None:
        """Stores the store's current terms: writes under its former ones fail from then on."""
        rules = self.get().rules
        self._read = self._read or RulesItem(*rules_key(*self._of))
        self._read.terms = terms_row(terms_of(self._store))
        self.save(changes, replace(rules, revision=rules.revision + 1))

    def note(
        self,
        changes: Changes,
        feed_id: UUID,
        *,
        name: str | None = None,
        imported_at: datetime | None = None,
    ) -> None:
        """Records a feed's name or latest import, which changes no product."""
        rules = self.get().rules
        sources = [
            replace(source, name=name or source.name, imported_at=imported_at or source.imported_at)
            if source.source_id == feed_id
            else source
            for source in rules.sources
        ]
        self._put(changes, replace(rules, sources=tuple(sources)))

    def add_custom_names(self, changes: Changes, names: Iterable[str]) -> None:
        """Lists custom fields that are new among the store's products."""
        item = self._fields or CustomFieldsItem(*custom_fields_key(*self._of), names=[])
        known = set(item.names)
        item.names = sorted(known.union(names))[:MAX_CUSTOM_FIELDS]
        if set(item.names) != known:
            changes.save(item)

    def marked(self) -> Marked:
        """Returns the sums of the marks."""
        keys = [mark_key(*self._of, number) for number in range(COUNTERS)]
        found = find_raw(keys)
        return _together({n: found[key] for n, key in enumerate(keys) if key in found})

    def _put(self, changes: Changes, rules: Rules) -> None:
        item = self._read or RulesItem(*rules_key(*self._of))
        own = product_source_id(self._store.id, self._store.id)
        without_store = replace(rules, sources=tuple(s for s in rules.sources if s.id != own))
        for name, value in rules_attributes(without_store).items():
            setattr(item, name, value)
        changes.save(item)

    def _with_store(self, stored: Rules | None) -> Rules:
        own = store_source(self._store)
        if stored is None:
            return Rules((own,), (own.id,))
        return replace(stored, sources=(own, *stored.sources))

    @property
    def _of(self) -> tuple[WorkspaceScope, UUID]:
        return (self._store.workspace, self._store.id)


class CounterShards:
    """What one unit of work adds to a store's marks: one update of one of them."""

    def __init__(self, changes: Changes, store: Store, rules: Rules) -> None:
        """Begins with nothing added."""
        self._store = store
        self._rules = rules
        self._changes = changes
        self._counts: Counter[str] = Counter()
        changes.before_commit(self._write, lambda: 1)

    def add(self, before: Iterable[LayerMark], after: Iterable[LayerMark]) -> None:
        """Counts a product's layers, and no longer counts its former ones."""
        for layer_marks, sign in ((before, -1), (after, +1)):
            for mark in layer_marks:
                source = self._rules.by_id.get(mark.source)
                if source is None or not mark.is_live:
                    continue
                for name in _counters(source, mark):
                    self._counts[name] += sign

    def _write(self) -> None:
        number = new_id().int % COUNTERS
        mark = MarkItem(*mark_key(self._store.workspace, self._store.id, number))
        counted = [Path(name).add(n) for name, n in sorted(self._counts.items()) if n]
        actions: list[Action] = [_KIND, MarkItem.changes.add(1), *counted]
        self._changes.update(mark, actions, _is_revision(self._rules.revision))


def marking(changes: Changes, store: Store, rules: Rules) -> CounterShards:
    """Returns what the unit of work adds to the store's marks."""
    return changes.shared(("product_marks", store.id), lambda: CounterShards(changes, store, rules))


def _is_revision(revision: int) -> Condition:
    """Returns the condition that these rules are in force; at first no mark names a revision."""
    if not revision:
        return MarkItem.rules.does_not_exist()
    return MarkItem.rules == revision


_PRODUCTS, _LOCALES = "p", "l"


def _counters(source: RankedSource, mark: LayerMark) -> list[str]:
    locales = [f"{_LOCALES}{source.number}_{locale}" for locale in mark.locales]
    return [f"{_PRODUCTS}{source.number}", *locales]


def _together(counters: Mapping[int, Mapping[str, Any]]) -> Marked:
    sums: Counter[str] = Counter()
    for mark in counters.values():
        sums.update({name: int(value["N"]) for name, value in mark.items() if "N" in value})
    products = {
        int(n[1:]): count for n, count in sums.items() if n[0] == _PRODUCTS and n[1:].isdigit()
    }
    locales = dict[int, list[str]]()
    for name, count in sorted(sums.items()):
        number, separator, locale = name[1:].partition("_")
        if name[0] == _LOCALES and separator and count > 0:
            locales.setdefault(int(number), []).append(locale)
    each = {number: int(mark["changes"]["N"]) for number, mark in counters.items()}
    return Marked(sums["changes"], each, products, locales)
