"""Packs layers and summaries as deflated JSON, with their common names in a preset dictionary."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from storepost.catalog.products.model import MissingField, ProductStatus, Stock, Summary
from storepost.catalog.products.records import Layer, Record, SourceValues
from storepost.values import clock
from storepost.values.money import Money

PART_BYTES = 300_000
"""Bytes of a layer in one row: below what a row may have, with room for its key."""

_KNOWN = (
    b'availableForSale":false continueSellingWhenOutOfStock":true not_tracked out_of_stock'
    b' "barcode":"customFields updatedAt":"createdAt":"publishedAt":"2026-adminUrl":"https://www.'
    b'"description":"<p></p>","productType":"vendor":"tags":["handle":"status":"draft"archived"'
    b'unlisted"published":true,"link":"https://","image":{"url":"https://cdn.shopify.com/s/files/'
    b'.jpg","alt":null},"options":[{"name":"Size","value":"M"},{"name":"Color","value":"'
    b'"compareAtPrice":{"amount":"price":{"amount":1999,"currency":"EUR"},"sku":"'
    b'"inventoryQuantity":0,"availableForSale":true,"position":1,"status":"active","title":"'
)
"""A preset dictionary for deflate. It must never change: stored content was written with it."""

# Made once: `json.dumps` would make an encoder for each value.
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ascii = json.JSONEncoder(separators=(",", ":")).encode
_in_order = json.JSONEncoder(sort_keys=True).encode


def packed(value: object) -> bytes:
    """Returns the value as compressed JSON."""
    text = _compact(value).encode()
    deflater = zlib.compressobj(level=6, wbits=-15, zdict=_KNOWN)
    return deflater.compress(text) + deflater.flush()


def unpacked(content: bytes) -> Any:  # noqa: ANN401 - whatever was packed
    """Returns the value that was packed."""
    inflater = zlib.decompressobj(wbits=-15, zdict=_KNOWN)
    return json.loads(inflater.decompress(content) + inflater.flush())


def first_of[T](values: Sequence[T], max_size: int) -> Sequence[T]:
    """Returns the first values, as many as take at most `max_size` bytes packed."""
    if not values:
        return values
    while (size := len(packed(values))) > max_size:
        values = values[: len(values) * max_size // size]
    return values


def layer_parts(layer: Layer) -> list[bytes]:
    """Returns the contents of the rows of a layer; at least one."""
    content = packed(
        [
            clock.to_text(layer.updated_at) if layer.updated_at else None,
            [_record_row(record) for record in layer.records],
        ]
    )
    return [content[i : i + PART_BYTES] for i in range(0, len(content), PART_BYTES)]


def layer_of(source: UUID, parts: Iterable[bytes]) -> Layer:
    """Returns the layer whose rows have these contents."""
    updated_at, rows, *_ = unpacked(b"".join(parts))
    records = tuple(_as_record(source, row) for row in rows)
    return Layer(source, records, clock.from_text(updated_at) if updated_at else None)


class CalledRecord(NamedTuple):
    """A live record: the variant that it is about, and that variant's names."""

    variant: str | None
    sku: str | None
    barcode: str | None


def called_records(parts: Iterable[bytes]) -> list[CalledRecord]:
    """Returns the live records of a layer whose rows have these contents."""
    _, rows = unpacked(b"".join(parts))
    return [
        CalledRecord(variant, fields.get("sku"), fields.get("barcode"))
        for variant, _, _, fields, _, _, removed_at in rows
        if removed_at is None
    ]


def digest_of(records: Iterable[SourceValues], updated_at: datetime | None) -> str:
    """Returns a hash of what a source says, which differs if it says anything else."""
    content = [
        clock.to_text(updated_at) if updated_at else None,
        sorted(_in_order(_values_row(each)) for each in records),
    ]
    text = _ascii(content)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def summaries_row(summaries: Mapping[str, Summary]) -> bytes:
    """Returns the summaries of all locales; beside the first, each has only what differs."""
    rows = {locale: _summary_row(summary) for locale, summary in summaries.items()}
    first, *others = rows.items()
    differing = [
        [locale, {str(n): v for n, v in enumerate(row) if v != first[1][n]}]
        for locale, row in others
    ]
    return packed([first, *differing])


def summaries_of(content: bytes) -> dict[str, Summary]:
    """Returns the summaries that `summaries_row` was given."""
    (primary, first), *others = unpacked(content)
    summaries = {primary: _as_summary(first)}
    for locale, different in others:
        row = [different.get(str(n), value) for n, value in enumerate(first)]
        summaries[locale] = _as_summary(row)
    return summaries


def _values_row(values: SourceValues) -> list[object]:
    return [values.variant, values.locale, values.external_id, dict(values.fields)]


def _record_row(record: Record) -> list[object]:
    return [
        *_values_row(record.values),
        clock.to_text(record.first_seen_at),
        clock.to_text(record.seen_at),
        clock.to_text(record.removed_at) if record.removed_at else None,
    ]


def _as_record(source: UUID, row: Sequence[Any]) -> Record:
    variant, locale, external_id, fields, first_seen_at, seen_at, removed_at, *_ = row
    return Record(
        source,
        SourceValues(fields, locale, variant, external_id),
        clock.from_text(first_seen_at),
        clock.from_text(seen_at),
        clock.from_text(removed_at) if removed_at else None,
    )


def _summary_row(summary: Summary) -> list[object]:
    price = summary.price
    return [
        summary.title,
        summary.missing,
        summary.published,
        summary.handle,
        summary.status,
        summary.vendor,
        summary.product_type,
        summary.tags,
        summary.image,
        [price[0].amount, price[1].amount, price[0].currency] if price else None,
        _money_row(summary.compare_at_price),
        summary.variant_count,
        summary.stock,
        summary.inventory,
    ]


def _money_row(money: Money | None) -> list[object] | None:
    return [money.amount, money.currency] if money else None


def _as_summary(row: Sequence[Any]) -> Summary:
    title, missing, published, handle, status, vendor, product_type, tags, *more = row
    image, price, compare_at, variant_count, stock, inventory, *_ = more
    return Summary(
        title=title,
        missing=tuple(map(MissingField, missing)),
        published=published,
        handle=handle,
        status=ProductStatus(status),
        vendor=vendor,
        product_type=product_type,
        tags=tuple(tags),
        image=image,
        price=(Money(price[0], price[2]), Money(price[1], price[2])) if price else None,
        compare_at_price=Money(*compare_at[:2]) if compare_at else None,
        variant_count=variant_count,
        stock=Stock(stock),
        inventory=inventory,
    )
