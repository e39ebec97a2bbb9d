"""The shapes of a product's records, source by source, and of the winners of its fields."""

import json
from collections.abc import Iterable
from itertools import accumulate, chain
from typing import Any
from uuid import UUID

from pydantic import Field

from storepost.catalog.products.details import ProductDetails
from storepost.catalog.products.fields import can_be_ruled, rule_name
from storepost.catalog.products.model import Product as ProductValue
from storepost.catalog.products.model import record_id, variant_id
from storepost.catalog.products.problems import SourcesTooLarge
from storepost.catalog.products.records import Record
from storepost.catalog.products.resolution import Resolved
from storepost.catalog.products.rules import SourceKind
from storepost.values.pagination import encoded_size
from storepost.values.wire import Shape, Timestamp

MAX_BYTES = 5_800_000
"""The most bytes of records and winners in the body; the function's answer may have 6 MB."""


class ProductSourceReference(Shape):
    """The store or the feed that a record is from."""

    id: UUID = Field(description="The id of the store or of the feed.")
    name: str = Field(description="What the store or the feed is called today.")


class ProductSourceRecord(Shape):
    """What one source says of a product or of a variant in one locale."""

    id: UUID = Field(description="The record's id, which `winners` and `variantWinners` name.")
    kind: SourceKind = Field(description="Whether the source is the store itself or a feed.")
    source: ProductSourceReference = Field(description="The store or the feed.")
    variant_id: UUID | None = Field(
        description="The variant that the record is about; null where it is about the product."
    )
    locale: str = Field(
        description="The locale that the record is written in; the store's primary one where the "
        "source names none, and the record then counts in every locale."
    )
    external_id: str | None = Field(
        description="What the source calls the product or the variant. It is always set at present."
    )
    fields: dict[str, Any] = Field(
        description="What the source says: field names such as `title` or `price`, and "
        "`custom.<key>` for custom fields, each with its value. Fields without a value are left "
        "out."
    )
    first_seen_at: Timestamp = Field(description="When the source first had this record.")
    seen_at: Timestamp = Field(
        description="When the source last had the record: for a feed its last completed import, "
        "for a store the last time when the record changed."
    )
    removed_at: Timestamp | None = Field(
        description="When the source gave the record up; null where it still has it. A removed "
        "record wins no field."
    )

    @classmethod
    def of(cls, details: ProductDetails, record: Record) -> "ProductSourceRecord":
        """Returns the record in this shape; a missing locale becomes the store's primary one."""
        source, values, product = details.rules.by_id[record.source], record.values, details.product
        key = values.variant
        default_external_id = product.external_id if key is None else key
        return cls(
            id=_id_of(product, record),
            kind=source.kind,
            source=ProductSourceReference(id=source.source_id, name=source.name),
            variant_id=None if key is None else variant_id(product.id, key),
            locale=values.locale or details.store.primary_locale,
            external_id=values.external_id or default_external_id,
            fields=dict(values.fields),
            first_seen_at=record.first_seen_at,
            seen_at=details.seen_at(record),
            removed_at=record.removed_at,
        )


class ProductSources(Shape):
    """What each source says of a product, and whose word counts in one locale."""

    locale: str = Field(description="The locale that the winners are worked out for.")
    items: list[ProductSourceRecord] = Field(
        description="The records of all sources in all locales, removed ones too, in the order "
        "of the store's sources; where `variantId` names a variant, those of the product itself "
        "and of that variant."
    )
    winners: dict[str, UUID] = Field(
        description="The record that each field of the product is taken from, by the field's name "
        "in the rules, such as `product.title` or `custom.color`. A field without a value is left "
        "out."
    )
    variant_winners: dict[str, dict[str, UUID]] = Field(
        description="The same for each variant that isn't removed, or for the one that "
        "`variantId` names: by the variant's id, the record of each field, such as `variant.price`."
    )

    @classmethod
    def of(
        cls, details: ProductDetails, locale: str | None, variant: UUID | None = None
    ) -> "ProductSources":
        """Returns the records and the winners in that locale, of all variants or of one.

        The product's own records are always included.
        Raises LocaleNotFound and SourcesTooLarge.
        """
        resolved, product = details.in_locale(locale), details.product
        ranks = {source: rank for rank, source in enumerate(details.rules.ranked)}
        records = [
            record
            for record in details.records
            if record.source in ranks and _is_about(product, record, variant)
        ]
        records.sort(key=lambda r: (ranks[r.source], r.values.variant or "", r.values.locale or ""))
        items = [ProductSourceRecord.of(details, record) for record in records]
        variants = {variant_id(product.id, each.key): each for each in resolved.live_variants}
        variant_winners = {
            str(identifier): _winners(product, each.resolved, of_variant=True)
            for identifier, each in variants.items()
            if variant in {None, identifier}
        }
        _check_size(items, variant_winners)
        return cls(
            locale=resolved.locale,
            items=items,
            winners=_winners(product, resolved.resolved, of_variant=False),
            variant_winners=variant_winners,
        )


def _check_size(items: Iterable[ProductSourceRecord], winners: object) -> None:
    """Raises SourcesTooLarge if an answer can't hold the records and the variants' winners."""
    texts = chain(
        [json.dumps(winners, default=str)], (i.model_dump_json(by_alias=True) for i in items)
    )
    sizes = accumulate(map(encoded_size, texts))
    if any(size > MAX_BYTES for size in sizes):
        raise SourcesTooLarge()


def _is_about(product: ProductValue, record: Record, variant: UUID | None) -> bool:
    """Returns whether a record is included; without a variant all are."""
    key = record.values.variant
    return variant is None or key is None or variant_id(product.id, key) == variant


def _winners(product: ProductValue, resolved: Resolved, *, of_variant: bool) -> dict[str, UUID]:
    winners = {rule_name(n, of_variant=of_variant): won for n, won in resolved.winners.items()}
    return {name: _id_of(product, record) for name, record in winners.items() if can_be_ruled(name)}


def _id_of(product: ProductValue, record: Record) -> UUID:
    return record_id(product.id, record.source, record.values.variant, record.values.locale)
