"""Which products and variants the rows of a feed are about (docs/semantics.md, section 5.3)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.catalog.products.keys import product_key
from storepost.catalog.products.model import Product, product_id
from storepost.catalog.products.naming import Called, Name, NameKind, candidates, name_key
from storepost.catalog.products.records import Layer
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rows import NameItem
from storepost.platform.persistence.item import find_in
from storepost.platform.persistence.reads import Reads
from storepost.stores.stores.model import Store


@dataclass(frozen=True)
class MatchKey:
    """What a row says of whom it is about."""

    id: str
    sku: str | None = None
    gtin: str | None = None


@dataclass(frozen=True)
class Match:
    """Whom a row is about."""

    product: Product
    variant: str | None
    """The variant's key; None for the product itself, where it has not just one variant."""


def match(
    store: Store,
    match_keys: Sequence[MatchKey],
    reads: Reads,
    *,
    without: Collection[UUID] = (),
) -> list[Match | None]:
    """Whom each row is about, in order; None where it is nobody's, or only of sources `without`.

    Those are at least the sources that the rows are of: what they said before is no word on what
    they say now.

    Of 25 rows it reads the names and the products in one batch get each, and the layers in another.
    A name that several have matches none of them.
    """
    names = {n: name_key(store, n) for each in match_keys for n in _names(each)}
    ids = {each.id: product_id(store.id, each.id) for each in match_keys}
    keys = [product_key(store.workspace, each) for each in ids.values()]
    rows = reads.find_all([*names.values(), *keys])
    called = {
        name: candidates(item)
        for name, key in names.items()
        if (item := find_in(rows, NameItem, key)) is not None
    }
    known = _Known.read(store, reads, [*ids.values(), *_products(called.values())]).but(without)
    return [_match(each, ids[each.id], called, known) for each in match_keys]


def _names(match_key: MatchKey) -> Iterable[Name]:
    yield Name(NameKind.EXTERNAL_ID, match_key.id)
    # Of a file that has SKUs alone, they are the ids.
    yield Name(NameKind.SKU, match_key.sku or match_key.id)
    if match_key.gtin:
        yield Name(NameKind.BARCODE, match_key.gtin)


def _products(called: Iterable[Sequence[Called]]) -> Iterable[UUID]:
    return (each.product for some in called for each in some)


@dataclass(frozen=True)
class _Known:
    """The products that may be meant, with what their variants are called now."""

    products: Mapping[UUID, Product]
    layers: Mapping[UUID, Mapping[UUID, Layer]]

    @classmethod
    def read(cls, store: Store, reads: Reads, ids: Iterable[UUID]) -> "_Known":
        repository = ProductRepository(store.workspace, reads)
        found = repository.get_many(dict.fromkeys(ids))
        live = {product.id: product for product in found if product.removed_at is None}
        return cls(live, repository.layers_of(live.values()))

    def but(self, sources: Collection[UUID]) -> "_Known":
        """What there is without what these sources say."""
        layers = {
            product: {source: layer for source, layer in some.items() if source not in sources}
            for product, some in self.layers.items()
        }
        products = {
            each: product
            for each, product in self.products.items()
            if any(layer.has_product for layer in layers[each].values())
        }
        return _Known(products, layers)

    def variants(self, product: UUID) -> set[str]:
        """The keys of the product's variants that any source has."""
        return {
            record.values.variant
            for layer in self.layers[product].values()
            for record in layer.records
            if record.is_live and record.values.variant is not None
        }

    def is_called(self, called: Called, name: Name) -> bool:
        """Whether the variant is called so now."""
        if called.product not in self.products:
            return False
        if name.kind is NameKind.EXTERNAL_ID:
            return called.variant == name.value and name.value in self.variants(called.product)
        field = "sku" if name.kind is NameKind.SKU else "barcode"
        return any(
            record.is_live
            and record.values.variant == called.variant
            and record.values.fields.get(field) == name.value
            for layer in self.layers[called.product].values()
            for record in layer.records
        )


def _match(
    match_key: MatchKey, product: UUID, called: Mapping[Name, Sequence[Called]], known: _Known
) -> Match | None:
    by_id, *more = _names(match_key)
    found = _only(by_id, called, known)
    if found is None and product in known.products:
        return _by_product(match_key, product, known)
    for name in more:
        found = found or _only(name, called, known)
    return Match(known.products[found.product], found.variant) if found else None


def _by_product(match_key: MatchKey, product: UUID, known: _Known) -> Match:
    """The product of the row's id, and its variant of that id or its only one."""
    variants = known.variants(product)
    alone = next(iter(variants)) if len(variants) == 1 else None
    return Match(known.products[product], match_key.id if match_key.id in variants else alone)


def _only(name: Name, called: Mapping[Name, Sequence[Called]], known: _Known) -> Called | None:
    """Who is called so, if it is one alone."""
    found = [each for each in called.get(name, ()) if known.is_called(each, name)]
    return found[0] if len(found) == 1 else None
