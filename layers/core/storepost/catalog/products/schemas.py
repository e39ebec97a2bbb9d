"""Products on the wire."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from storepost.catalog.products.details import ProductDetails
from storepost.catalog.products.fields import CUSTOM, can_be_ruled, is_custom, rule_name
from storepost.catalog.products.model import (
    MissingField,
    ProductStatus,
    Stock,
    Summary,
    record_id,
    variant_id,
)
from storepost.catalog.products.model import Product as ProductValue
from storepost.catalog.products.records import Record
from storepost.catalog.products.resolution import Resolved, ResolvedProduct, ResolvedVariant
from storepost.catalog.products.rules import SourceKind
from storepost.catalog.products.summing import (
    is_for_sale,
    sells_on,
    stock_of,
    summary_of,
    title_of,
)
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import Json, MoneyShape, Shape, Timestamp, Uri


class ProductImage(Shape):
    """An image."""

    url: Uri
    alt: str | None

    @classmethod
    def of(cls, image: Mapping[str, Any] | None) -> "ProductImage | None":
        """The image in this shape."""
        return cls(url=image["url"], alt=image.get("alt")) if image else None


class ProductPrice(Shape):
    """The least and the greatest price of a product's variants."""

    min: MoneyShape
    max: MoneyShape


class ProductSummary(Shape):
    """A product in a list, in one locale."""

    id: UUID
    store_id: UUID
    external_id: str
    locale: str
    title: str | None
    missing: list[MissingField]
    published: bool
    handle: str | None
    status: ProductStatus
    removed_at: Timestamp | None
    vendor: str | None
    product_type: str | None
    image: ProductImage | None
    price: ProductPrice | None
    compare_at_price: MoneyShape | None
    variant_count: int
    stock: Stock
    inventory: int | None
    changed_at: Timestamp | None

    @classmethod
    def of(cls, product: ProductValue, locale: str | None = None) -> "ProductSummary":
        """The product in this shape, in a locale that it has or the store's primary one."""
        locale_code = locale or product.primary_locale
        return cls(**_summary(product, locale_code, product.summaries[locale_code]))


class Product(ProductSummary):
    """A product whole, in one locale."""

    store: StoreReference
    locales: list[str]
    description: str | None
    link: Uri | None
    admin_url: Uri | None
    tags: list[str]
    custom_fields: dict[str, str]
    published_at: Timestamp | None
    created_at: Timestamp | None
    added_at: Timestamp
    synced_at: Timestamp

    @classmethod
    def of(cls, details: ProductDetails, resolved: ResolvedProduct) -> "Product":  # type: ignore[override]
        """The product in this shape, in one of its locales."""
        product = details.product
        values = resolved.resolved.values
        return cls(
            **_summary(product, resolved.locale, summary_of(resolved)),
            store=StoreReference.of(details.store),
            locales=list(details.resolution.locales),
            description=values.get("description"),
            link=values.get("link"),
            admin_url=values.get("adminUrl"),
            tags=values.get("tags", []),
            custom_fields={
                name.removeprefix(CUSTOM): str(value)
                for name, value in values.items()
                if is_custom(name)
            },
            published_at=values.get("publishedAt"),
            created_at=values.get("createdAt"),
            added_at=product.added_at,
            synced_at=details.synced_at,
        )


class ProductOption(Shape):
    """What tells a variant from the others, such as its size."""

    name: str
    value: str


class ProductVariant(Shape):
    """A variant of a product, in one locale."""

    id: UUID
    external_id: str
    locale: str
    title: str
    sku: str | None
    barcode: str | None
    options: list[ProductOption]
    image: ProductImage | None
    price: MoneyShape | None
    compare_at_price: MoneyShape | None
    stock: Stock
    inventory: int | None
    continue_selling_when_out_of_stock: bool
    available_for_sale: bool
    position: int
    removed_at: Timestamp | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

    @classmethod
    def in_locale(
        cls, details: ProductDetails, product: ResolvedProduct
    ) -> "Callable[[ResolvedVariant], ProductVariant]":
        """What puts a variant of the product in this shape."""
        return lambda variant: cls.of(details, product, variant)

    @classmethod
    def of(
        cls, details: ProductDetails, product: ResolvedProduct, variant: ResolvedVariant
    ) -> "ProductVariant":
        """The variant in this shape."""
        values = variant.resolved.values
        return cls(
            id=variant_id(details.product.id, variant.key),
            external_id=variant.key,
            locale=product.locale,
            title=title_of(variant, product),
            sku=values.get("sku"),
            barcode=values.get("barcode"),
            options=[ProductOption(**option) for option in values.get("options", ())],
            image=ProductImage.of(values.get("image")),
            price=values.get("price"),
            compare_at_price=values.get("compareAtPrice"),
            stock=stock_of(variant.resolved),
            inventory=values.get("inventoryQuantity"),
            continue_selling_when_out_of_stock=sells_on(variant.resolved),
            available_for_sale=is_for_sale(variant.resolved),
            position=values.get("position", product.variants.index(variant) + 1),
            removed_at=variant.removed_at,
            created_at=values.get("createdAt"),
            updated_at=values.get("updatedAt"),
        )


class ProductSourceReference(Shape):
    """The store or the feed that a record is from."""

    id: UUID
    name: str


class ProductSourceRecord(Shape):
    """What one source says of a product or of a variant in one locale."""

    id: UUID
    kind: SourceKind
    source: ProductSourceReference
    variant_id: UUID | None
    locale: str
    external_id: str | None
    fields: Json
    first_seen_at: Timestamp
    seen_at: Timestamp
    removed_at: Timestamp | None

    @classmethod
    def of(cls, details: ProductDetails, record: Record) -> "ProductSourceRecord":
        """The record in this shape; one in no locale is shown in the store's primary one."""
        source, values, product = details.rules.by_id[record.source], record.values, details.product
        key = values.variant
        own = product.external_id if key is None else key
        return cls(
            id=_id_of(product, record),
            kind=source.kind,
            source=ProductSourceReference(id=source.source_id, name=source.name),
            variant_id=None if key is None else variant_id(product.id, key),
            locale=values.locale or details.store.primary_locale,
            external_id=values.external_id or own,
            fields=dict(values.fields),
            first_seen_at=record.first_seen_at,
            seen_at=details.seen_at(record),
            removed_at=record.removed_at,
        )


class ProductSources(Shape):
    """What each source says of a product, and whose word counts in one locale."""

    locale: str
    items: list[ProductSourceRecord]
    winners: dict[str, UUID]
    variant_winners: dict[str, dict[str, UUID]]

    @classmethod
    def of(cls, details: ProductDetails, locale: str | None) -> "ProductSources":
        """All records, the winners in that locale. Raises LocaleNotFound."""
        resolved, product = details.in_locale(locale), details.product
        ranked = {source: rank for rank, source in enumerate(details.rules.ranked)}
        known = [record for record in details.records if record.source in ranked]
        known.sort(key=lambda r: (ranked[r.source], r.values.variant or "", r.values.locale or ""))
        return cls(
            locale=resolved.locale,
            items=[ProductSourceRecord.of(details, record) for record in known],
            winners=_winners(product, resolved.resolved, of_variant=False),
            variant_winners={
                str(variant_id(product.id, each.key)): _winners(
                    product, each.resolved, of_variant=True
                )
                for each in resolved.live_variants
            },
        )


def _winners(product: ProductValue, resolved: Resolved, *, of_variant: bool) -> dict[str, UUID]:
    named = {rule_name(n, of_variant=of_variant): record for n, record in resolved.winners.items()}
    return {name: _id_of(product, record) for name, record in named.items() if can_be_ruled(name)}


def _id_of(product: ProductValue, record: Record) -> UUID:
    return record_id(product.id, record.source, record.values.variant, record.values.locale)


def _summary(product: ProductValue, locale: str, summary: Summary) -> dict[str, Any]:
    price = summary.price
    return {
        "id": product.id,
        "store_id": product.store_id,
        "external_id": product.external_id,
        "locale": locale,
        "title": summary.title,
        "missing": list(summary.missing),
        "published": summary.published,
        "handle": summary.handle,
        "status": summary.status,
        "removed_at": product.removed_at,
        "vendor": summary.vendor,
        "product_type": summary.product_type,
        "image": ProductImage.of(summary.image),
        "price": ProductPrice(min=MoneyShape.of(price[0]), max=MoneyShape.of(price[1]))
        if price
        else None,
        "compare_at_price": MoneyShape.of(summary.compare_at_price)
        if summary.compare_at_price
        else None,
        "variant_count": summary.variant_count,
        "stock": summary.stock,
        "inventory": summary.inventory,
        "changed_at": product.changed_at,
    }
