"""Rows of products, of their layers and of what a store's products have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute

from storepost.catalog.products.model import LayerMark, Product
from storepost.catalog.products.packing import packed, summaries_of, summaries_row, unpacked
from storepost.catalog.products.resolution import StoreTerms
from storepost.catalog.products.rules import RankedSource, Rules, SourceKind
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.mapping import as_value, attributes_of
from storepost.platform.persistence.records import Json, Record, Records
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.values import clock
from storepost.values.ids import from_short, short


class ProductItem(VersionedItem, MarkedItem, discriminator="product"):
    """A product as lists show it, and which layers it has."""

    id = Identifier()
    store_id = Identifier()
    external_id = UnicodeAttribute()
    added_at = UtcDateTimeAttribute()
    changed_at = UtcDateTimeAttribute()
    removed_at = UtcDateTimeAttribute(null=True)
    summaries = BinaryAttribute(legacy_encoding=False)
    layers = Records("source", "rows", "digest", "locales", "is_live", named_by=["source"])
    skus = BinaryAttribute(legacy_encoding=False, null=True)
    layer = BinaryAttribute(legacy_encoding=False, null=True)
    """The content of the layer that has no rows of its own, if there is one."""
    staged = UnicodeAttribute(null=True)
    """In a row that a load wrote before the lists: the load's id and the row's place in it."""


class DeletedProductItem(VersionedItem, discriminator="deleted_product"):
    """Records that a store deleted a product that has no row; it has that row's key."""

    at = UtcDateTimeAttribute()


class LayerItem(Item, discriminator="product_layer"):
    """A part of what one source says of a product."""

    content = BinaryAttribute(legacy_encoding=False)


class RulesItem(VersionedItem, discriminator="product_rules"):
    """The rules in force of a store."""

    revision = NumberAttribute()
    next_number = NumberAttribute()
    sources = Records(
        *("id", "kind", "source_id", "name", "number", "added_at", "imported_at"), named_by=["id"]
    )
    order = Json()
    fields = Json()
    terms = Record("primary_locale", "currency", "currencies", null=True)
    """Stored since the store's terms first changed; `currencies` are those of its locales."""


class MarkItem(Item, discriminator="product_mark"):
    """One of a store's counters: of writes, and of what each source has."""

    changes = NumberAttribute(null=True)
    rules = NumberAttribute(null=True)
    """The revision under which products may be written."""


class ProductLoadItem(Item, discriminator="product_load"):
    """How many products of one load are listed, and how often other writers took some of them."""

    listed = NumberAttribute()
    taken = NumberAttribute()


class StagedProductsItem(Item, discriminator="staged_products"):
    """The ids of products that one source's load staged together, written before they are."""

    source = Identifier()
    ids = BinaryAttribute(legacy_encoding=False)


class CustomFieldsItem(VersionedItem, discriminator="product_custom_fields"):
    """The custom fields that the store's products have."""

    names = Json()


class NameItem(Item, discriminator="product_name"):
    """The variants with a name: the first that got it, and the latest."""

    first = UnicodeAttribute()
    last = UnicodeAttribute()


def product_attributes(product: Product) -> Mapping[str, Any]:
    """Returns a product as its row's attributes."""
    return attributes_of(
        ProductItem,
        product,
        summaries=summaries_row(product.summaries),
        layers=[
            [short(mark.source), mark.rows, mark.digest, list(mark.locales), int(mark.is_live)]
            for mark in product.layers.values()
        ],
        skus=packed(product.skus) if product.skus else None,
    )


def as_product(item: ProductItem) -> Product:
    """Returns the product of a row."""
    summaries = summaries_of(item.summaries)
    return as_value(
        Product,
        item,
        primary_locale=next(iter(summaries)),
        summaries=summaries,
        layers={mark.source: mark for mark in layer_marks(item)},
        skus=tuple(unpacked(item.skus)) if item.skus else (),
    )


def layer_marks(item: ProductItem) -> list[LayerMark]:
    """Returns what a product's row says of each layer."""
    return [
        LayerMark(from_short(source), rows, digest, tuple(locales), bool(is_live))
        for source, rows, digest, locales, is_live in item.layers
    ]


def rules_attributes(rules: Rules) -> Mapping[str, Any]:
    """Returns rules as their row's attributes."""
    return {
        "revision": rules.revision,
        "next_number": rules.next_number,
        "sources": [
            [
                short(source.id),
                source.kind,
                short(source.source_id),
                source.name,
                source.number,
                clock.to_text(source.added_at),
                clock.to_text(source.imported_at) if source.imported_at else None,
            ]
            for source in rules.sources
        ],
        "order": [short(each) for each in rules.order],
        "fields": {name: [short(each) for each in ids] for name, ids in rules.fields.items()},
    }


def terms_row(terms: StoreTerms) -> list[object]:
    """Returns a store's terms as its rules' row has them."""
    return [terms.primary_locale, terms.currency, dict(terms.currencies)]


def as_terms(row: Sequence[Any]) -> StoreTerms:
    """Returns the terms that `terms_row` was given."""
    primary_locale, currency, currencies = row
    return StoreTerms(primary_locale, currency, currencies)


def as_rules(item: RulesItem) -> Rules:
    """Returns the rules of a row."""
    sources = [
        RankedSource(
            id=from_short(identifier),
            kind=SourceKind(kind),
            source_id=from_short(source_id),
            name=name,
            number=number,
            added_at=clock.from_text(added_at),
            imported_at=clock.from_text(imported_at) if imported_at else None,
        )
        for identifier, kind, source_id, name, number, added_at, imported_at in item.sources
    ]
    return Rules(
        sources=tuple(sources),
        order=tuple(map(from_short, item.order)),
        fields={name: tuple(map(from_short, ids)) for name, ids in item.fields.items()},
        revision=int(item.revision),
        next_number=int(item.next_number),
    )
