"""Writes products from all sources: a store's own requests, its imports, and feeds.

A source has a layer of each product and writes no other. What it sends is resolved with the other
layers; the product's row, the lists, the names and the store's marks are written in the unit of
work's transaction. A unit can write several products, each of them once. A repetition of what a
source said writes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.catalog.products import fields as names
from storepost.catalog.products import trees
from storepost.catalog.products.assembling import mark_of, parts_of, product_of, stated_names
from storepost.catalog.products.in_force import InForce, RulesRepository, marking
from storepost.catalog.products.keys import custom_fields_key, product_key, rules_key
from storepost.catalog.products.model import LayerMark, Product, product_id
from storepost.catalog.products.naming import give_names, names_of
from storepost.catalog.products.packing import digest_of, layer_parts
from storepost.catalog.products.records import Layer, SourceValues
from storepost.catalog.products.repository import ProductRepository, rows_of
from storepost.catalog.products.repository import keys_behind as layer_keys
from storepost.catalog.products.rows import ProductItem
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.trees import reindex
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.values import clock


class WriteOutcome(StrEnum):
    """The effect of writing a product."""

    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Written:
    """A product as it is after it was written."""

    product: Product
    outcome: WriteOutcome
    layers: Mapping[UUID, Layer] | None = None
    """What all sources say of it then; None if that wasn't read."""


@dataclass(frozen=True)
class ProductSource:
    """A source of a store's products: the store itself, or one of its feeds."""

    store: Store
    source_id: UUID
    """The store's id, or that of a feed that was added to the store's sources before."""

    @property
    def source(self) -> UUID:
        """Returns the id under which rules and records name the source."""
        return product_source_id(self.store.id, self.source_id)


@dataclass(frozen=True)
class SourceProduct:
    """A product as a source has it."""

    external_id: str
    """The store's name for the product, or the feed's if the store doesn't know it."""
    values: tuple[SourceValues, ...]
    """Records of the product itself and of its variants, one for each place."""
    updated_at: datetime | None = None
    """The source's own time, if it has one: older data is refused."""
    keeps_others: bool = False
    """Whether the source's records in locales that aren't sent stay."""
    kept_variants: frozenset[str] = frozenset()
    """The variants that the source has and doesn't send: their records stay."""

    def with_others(self, layer: Layer) -> tuple[SourceValues, ...]:
        """Returns the records to store: these, and the stored ones that the source keeps."""
        locales = {each.locale for each in self.values}
        live = (record.values for record in layer.records if record.is_live)
        return (*self.values, *(values for values in live if self._keeps(values, locales)))

    def _keeps(self, stored: SourceValues, locales: Collection[str | None]) -> bool:
        """Returns whether the stored record stays beside those in these locales."""
        is_kept_variant = stored.variant in self.kept_variants
        return is_kept_variant or (self.keeps_others and stored.locale not in locales)


def keys_of(store: Store, external_ids: Iterable[str]) -> list[Key]:
    """Returns the keys of the rows that a unit of work reads of the store and these products."""
    common = (rules_key(store.workspace, store.id), custom_fields_key(store.workspace, store.id))
    own = (product_key(store.workspace, product_id(store.id, each)) for each in external_ids)
    return [*common, *own]


def keys_behind(store: Store, external_ids: Iterable[str], reads: ReadAhead) -> list[Key]:
    """Returns the keys of the rows to read next, once `keys_of` are read."""
    ids = (product_id(store.id, each) for each in external_ids)
    return layer_keys(store.workspace, ids, reads)


def read_places_ahead(store: Store, external_ids: Iterable[str], reads: ReadAhead) -> None:
    """Reads the nodes that lead to the products' list entries, which move when they are changed.

    Their `keys_of` must have been read. Raises LostRace as the reads do.
    """
    workspace, stored_at = store.workspace, ProductItem.changed_at.attr_name
    ids = [product_id(store.id, each) for each in external_ids]
    found = [(reads.text(product_key(workspace, each), stored_at), each) for each in ids]
    places = [(clock.from_text(at), each) for at, each in found if at]
    trees.read_places_ahead(workspace, store.id, places, reads)


def replace_layer(
    changes: Changes,
    product_source: ProductSource,
    product: SourceProduct,
) -> Written:
    """Adds that the source says this of the product, and nothing else.

    Raises StaleUpdate, having added nothing, if what is stored is newer, or as old and removed.
    """
    digest = digest_of(product.values, product.updated_at)
    writing = _Writing(changes, product_source, product.external_id)
    mark = writing.mark
    if writing.before and mark and mark.is_live and mark.digest == digest:
        return Written(writing.before, WriteOutcome.UNCHANGED)

    def replaced(layer: Layer, now: datetime) -> Layer:
        _refuse_stale(layer, product.updated_at)
        return layer.replaced(product.with_others(layer), product.updated_at, now)

    return writing.write(replaced)


def remove_layer(
    changes: Changes,
    product_source: ProductSource,
    external_id: str,
    *,
    at: datetime | None = None,
) -> Written | None:
    """Adds that the source no longer has the product; returns None if it never had it.

    `at` is the source's own time of the removal, if it has one: older data is then refused.

    The product falls back to what other sources say, or is removed if none has it any more.
    """
    writing = _Writing(changes, product_source, external_id)
    if writing.before is None or writing.mark is None:
        writing.delete_unlisted()
        return None
    return writing.write(lambda layer, now: layer.emptied(now, at))


def tombstone_layer(
    changes: Changes, product_source: ProductSource, external_id: str, at: datetime
) -> None:
    """Adds that a store has no longer had the product since then, whether it is stored or not.

    Older data of the store is refused, even if it has said nothing yet.
    """
    writing = _Writing(changes, product_source, external_id)
    if writing.before is None:
        writing.tombstone(at)
    else:
        writing.write(lambda layer, now: layer.emptied(now, at))


def resolve_again(changes: Changes, store: Store, product: Product) -> Written:
    """Adds the product as it is under the rules in force; nothing if it is that already.

    This unit of work must have read it.
    """
    writing = _Writing(changes, ProductSource(store, store.id), product.external_id)
    return writing.resolve_again()


class _Writing:
    """One product in one unit of work."""

    def __init__(
        self,
        changes: Changes,
        product_source: ProductSource,
        external_id: str,
    ) -> None:
        self._changes = changes
        self._product_source = product_source
        self._external_id = external_id
        self._id = product_id(product_source.store.id, external_id)
        self._repository = ProductRepository(product_source.store.workspace, changes.reads)
        self.before = self._repository.get(self._id)

    @property
    def mark(self) -> LayerMark | None:
        """Returns the mark of the source's layer in the product's row."""
        return self.before.layers.get(self._product_source.source) if self.before else None

    def write(self, change: Callable[[Layer, datetime], Layer]) -> Written:
        """Adds the product with the source's layer changed, unless that changes nothing."""
        before, source, now = self.before, self._product_source.source, clock.now()
        layers = self._layers()
        stored = layers.get(source, Layer(source)).seen_until(self._imported_at)
        layer = change(stored, now)
        if before and layer == stored:
            return Written(before, WriteOutcome.UNCHANGED, layers)
        if before and layer.says_the_same(stored):
            return self._note_time(before, layer, layers)
        own_parts = parts_of(layer)
        all_layers = {**layers, source: layer}
        # A new product may have the time at which its store deleted it before.
        written = {source: layer} if before else all_layers
        others = {each: layer_parts(written[each]) for each in written if each != source}
        parts = {**others, source: own_parts}
        after = self._resolved(all_layers, now)
        layer_marks = {
            each: mark_of(written[each], rows_of(self.mark, parts[each])) for each in written
        }
        after = replace(after, layers={**after.layers, **layer_marks})
        self._repository.save(self._changes, before, after, parts)
        self._update_indexes(after, layers, layer)
        outcome = WriteOutcome.CHANGED if before else WriteOutcome.CREATED
        return Written(after, outcome, all_layers)

    def _note_time(self, before: Product, layer: Layer, layers: Mapping[UUID, Layer]) -> Written:
        """Adds only when it was seen, and the source's own time, which tells older data."""
        parts = layer_parts(layer)
        rows = rows_of(self.mark, parts)
        layer_marks = {**before.layers, layer.source: mark_of(layer, rows)}
        after = replace(before, layers=layer_marks)
        self._repository.save(self._changes, before, after, {layer.source: parts})
        return Written(after, WriteOutcome.UNCHANGED, {**layers, layer.source: layer})

    def delete_unlisted(self) -> None:
        """Adds the deletion of what the source's load staged and never listed."""
        self._repository.delete_unlisted(self._changes, self._id, self._product_source.source)

    def tombstone(self, at: datetime) -> None:
        """Adds only the tombstone of a product that isn't stored."""
        self._repository.tombstone(self._changes, self._id, at)

    def resolve_again(self) -> Written:
        """Adds the product as it is under the rules in force."""
        before, now = self.before, clock.now()
        if before is None:
            raise LookupError("a product that isn't there can't be resolved again")
        after = self._resolved(self._layers(), now)
        if replace(after, changed_at=before.changed_at) == before:
            return Written(before, WriteOutcome.UNCHANGED)
        self._repository.save(self._changes, before, after, {})
        store = self._product_source.store
        reindex(self._changes, store.workspace, before, after)
        marking(self._changes, store, self._in_force.rules)
        return Written(after, WriteOutcome.CHANGED)

    def _layers(self) -> Mapping[UUID, Layer]:
        if self.before:
            return self._repository.layers(self.before)
        deleted_at, store = self._repository.deleted_at(self._id), self._product_source.store
        own = product_source_id(store.id, store.id)
        return {own: Layer(own, updated_at=deleted_at)} if deleted_at else {}

    @property
    def _in_force(self) -> InForce:
        store, changes = self._product_source.store, self._changes
        return changes.shared(
            ("product_rules", store.id), lambda: RulesRepository(store, changes.reads).get()
        )

    @property
    def _imported_at(self) -> datetime | None:
        """Returns when the source, if it is a feed, was last imported, and its records seen."""
        source = self._in_force.rules.by_id.get(self._product_source.source)
        return source.imported_at if source else None

    def _resolved(self, layers: Mapping[UUID, Layer], now: datetime) -> Product:
        identity = (self._id, self._product_source.store.id, self._external_id)
        return product_of(identity, self.before, list(layers.values()), self._in_force, now)

    def _update_indexes(self, after: Product, layers: Mapping[UUID, Layer], layer: Layer) -> None:
        """Updates the lists, the names, the marks and the store's custom fields."""
        store, changes = self._product_source.store, self._changes
        known = names_of(self._external_id, layers.values())
        layer_names = names_of(self._external_id, [layer])
        new_names = [each for each in layer_names.items() if each[0] not in known]
        reindex(changes, store.workspace, self.before, after)
        give_names(changes, store, self._id, new_names)
        in_force = self._in_force
        before = self.before.layers.values() if self.before else ()
        marking(changes, store, in_force.rules).add(before, after.layers.values())
        list_custom_fields(changes, store, [layer], in_force)


def list_custom_fields(
    changes: Changes, store: Store, layers: Iterable[Layer], in_force: InForce
) -> None:
    """Adds the custom fields of these layers that are new in the store."""
    stated = {name for name in stated_names(layers) if names.is_custom(name)}
    if unknown := stated - in_force.custom_names:
        new_names(changes, store).update(unknown)


def new_names(changes: Changes, store: Store) -> set[str]:
    """Returns the custom fields that are new in the store; the commit adds them to its list."""

    def gather() -> set[str]:
        found = set[str]()
        changes.before_commit(lambda: _list(found), lambda: 1)
        return found

    def _list(found: set[str]) -> None:
        repository = RulesRepository(store)
        repository.get()
        repository.add_custom_names(changes, found)

    return changes.shared(("product_custom_names", store.id), gather)


def _refuse_stale(layer: Layer, updated_at: datetime | None) -> None:
    stored_at = layer.updated_at
    if stored_at is None or updated_at is None:
        return
    if updated_at < stored_at or (updated_at == stored_at and not layer.is_live):
        raise StaleUpdate()
