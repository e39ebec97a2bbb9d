"""Which products and variants the rows of a feed are about (docs/semantics.md, section 5.3)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.catalog.products.contents import ProductContents, read_contents
from storepost.catalog.products.model import product_id
from storepost.catalog.products.naming import Called, Name, NameKind, candidates, name_key
from storepost.catalog.products.rows import NameItem
from storepost.catalog.products.store_names import StoreNames
from storepost.platform.persistence.item import find_all, find_in
from storepost.stores.stores.model import Store


@dataclass(frozen=True)
class MatchKey:
    """The names that a row states of its product or variant."""

    id: str
    sku: str | None = None
    gtin: str | None = None


@dataclass(frozen=True)
class Match:
    """The product and the variant that a row is about."""

    product: str
    """The product's external id."""
    variant: str | None
    """The variant's key; None for the product itself, unless it has just one variant."""


def products_among(match_key: MatchKey, among: StoreNames) -> set[UUID]:
    """Returns the products that a row may be about; if there are none, `match` has none."""
    found = {each.product for name in _names(match_key) for each in among.candidates(name)}
    named = among.product(match_key.id)
    return found if named is None else found | {named}


def match(
    store: Store,
    match_keys: Sequence[MatchKey],
    *,
    without: Collection[UUID] = (),
    among: StoreNames | None = None,
) -> list[Match | None]:
    """Returns each row's match, in order; None if only sources of `without`, or none, have it.

    `without` has at least the rows' own sources: what they said before doesn't decide what they say
    now.

    For 25 rows it reads the names in one batch get, the products in another, and the layers in a
    third; names that are passed as `among` aren't read again. A name that several variants have
    matches none of them.
    """
    ids = {each.id: product_id(store.id, each.id) for each in match_keys}
    called = _called(store, [n for each in match_keys for n in _names(each)], among)
    product_ids = [each for each in ids.values() if among is None or among.has_product(each)]
    product_ids += [each.product for some in called.values() for each in some]
    known = read_contents(store.workspace, product_ids, without)
    return [_match(each, ids[each.id], called, known) for each in match_keys]


def _called(
    store: Store, names: Sequence[Name], among: StoreNames | None
) -> Mapping[Name, Sequence[Called]]:
    if among is not None:
        return {name: among.candidates(name) for name in names}
    keys = {name: name_key(store, name) for name in names}
    rows = find_all(keys.values())
    found = {name: find_in(rows, NameItem, key) for name, key in keys.items()}
    return {name: candidates(item) for name, item in found.items() if item is not None}


def _names(match_key: MatchKey) -> Iterable[Name]:
    yield Name(NameKind.EXTERNAL_ID, match_key.id)
    # If a file has SKUs alone, they are the ids.
    yield Name(NameKind.SKU, match_key.sku or match_key.id)
    if match_key.gtin:
        yield Name(NameKind.BARCODE, match_key.gtin)


def _match(
    match_key: MatchKey,
    product: UUID,
    called: Mapping[Name, Sequence[Called]],
    known: Mapping[UUID, ProductContents],
) -> Match | None:
    by_id, *more = _names(match_key)
    found = _only(by_id, called, known)
    if found is None and product in known:
        return _by_product(match_key, known[product])
    for name in more:
        found = found or _only(name, called, known)
    return Match(known[found.product].external_id, found.variant) if found else None


def _by_product(match_key: MatchKey, product: ProductContents) -> Match:
    """Returns the product with the row's id, and its variant with that id or its only one."""
    variants = product.variants
    alone = next(iter(variants)) if len(variants) == 1 else None
    return Match(product.external_id, match_key.id if match_key.id in variants else alone)


def _only(
    name: Name,
    called: Mapping[Name, Sequence[Called]],
    known: Mapping[UUID, ProductContents],
) -> Called | None:
    """Returns the variant with this name, if exactly one has it."""
    found = [
        each
        for each in called.get(name, ())
        if each.product in known and known[each.product].is_called(each.variant, name)
    ]
    return found[0] if len(found) == 1 else None
