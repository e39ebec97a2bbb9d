"""Products on the wire."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import Field

from storepost.catalog.products.details import ProductDetails
from storepost.catalog.products.fields import CUSTOM, is_custom
from storepost.catalog.products.model import MissingField, ProductStatus, Stock, Summary
from storepost.catalog.products.model import Product as ProductValue
from storepost.catalog.products.resolution import ResolvedProduct
from storepost.catalog.products.summaries import summary_of
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import MoneyShape, Shape, Timestamp, Uri


class ProductImage(Shape):
    """An image of a product or a variant, at its source's address."""

    url: Uri = Field(description="Where the image is, at its source. Storepost keeps no copy.")
    alt: str | None = Field(
        description="What the image shows, for people who can't see it; null where nobody says it."
    )

    @classmethod
    def of(cls, image: Mapping[str, Any] | None) -> "ProductImage | None":
        """Returns the image in this shape."""
        return cls(url=image["url"], alt=image.get("alt")) if image else None


class ProductPrice(Shape):
    """The least and the greatest price of a product's variants."""

    min: MoneyShape = Field(description="The price of the cheapest variant.")
    max: MoneyShape = Field(
        description="The price of the dearest variant; the same as `min` where all cost the same."
    )


class ProductSummary(Shape):
    """A product in a list, in one locale."""

    id: UUID = Field(
        description="Storepost's id of the product. It stays the same when the product is removed "
        "and comes back."
    )
    store_id: UUID = Field(description="The store that sells the product, or whose feeds have it.")
    external_id: str = Field(
        description="The store's own id of the product, or the feed's where the store doesn't "
        "have it."
    )
    locale: str = Field(
        description="The locale that the product is shown in: the requested one, else the store's "
        "primary one."
    )
    title: str | None = Field(description="The product's title; null where no source has one.")
    missing: list[MissingField] = Field(
        description="What the product lacks to be shown in an email; empty where it has all."
    )
    published: bool = Field(
        description="Whether buyers can see the product: as a source says, or else while it is "
        "`active` or `unlisted`. False for a removed product."
    )
    handle: str | None = Field(
        description="The last part of the product's address in the shop, such as `linen-cushion`; "
        "null where no source has one."
    )
    status: ProductStatus = Field(
        description="Whether the product is sold, as a source says; `active` where none does."
    )
    removed_at: Timestamp | None = Field(
        description="When the last source that had the product gave it up; null where one has it."
    )
    vendor: str | None = Field(description="The maker or brand; null where no source has one.")
    product_type: str | None = Field(
        description="The product's kind in the shop's own words; null where no source has one."
    )
    image: ProductImage | None = Field(
        description="The product's first image; null where no source has one."
    )
    price: ProductPrice | None = Field(
        description="From the cheapest to the dearest variant, with or without tax as the source "
        "states prices; null where no variant has a price in the locale's currency."
    )
    compare_at_price: MoneyShape | None = Field(
        description="The former price of the cheapest variant, shown crossed out; null where that "
        "variant isn't reduced."
    )
    variant_count: int = Field(description="How many variants there are, without removed ones.")
    stock: Stock = Field(
        description="The best of the variants' stock: `in_stock`, else `not_tracked`, else "
        "`out_of_stock`. It is `not_tracked` where there are no variants."
    )
    inventory: int | None = Field(
        description="The pieces of all variants that are counted, together; null where none is "
        "counted."
    )
    changed_at: Timestamp | None = Field(
        description="When anything of the product last changed in Storepost, in any locale. It is "
        "always set at present."
    )

    @classmethod
    def of(cls, product: ProductValue, locale: str | None = None) -> "ProductSummary":
        """Returns the product in this shape, in a locale that it has or the store's primary one."""
        locale_code = locale or product.primary_locale
        return cls(**_summary(product, locale_code, product.summaries[locale_code]))


class Product(ProductSummary):
    """A product with all its own fields, in one locale. Variants are listed by themselves."""

    store: StoreReference = Field(
        description="The store that sells the product, or whose feeds have it."
    )
    locales: list[str] = Field(
        description="The locales that the product can be requested in, the store's primary one "
        "first."
    )
    description: str | None = Field(
        description="The product's description as its source has it, which may be HTML; null "
        "where no source has one."
    )
    link: Uri | None = Field(
        description="The product's page in the shop; null where no source has one."
    )
    admin_url: Uri | None = Field(
        description="Where the shop's staff see the product, the store's `adminUrl` where the "
        "store gave none; null where only feeds have the product."
    )
    tags: list[str] = Field(
        description="The tags of the first source that has any; empty where none has."
    )
    custom_fields: dict[str, str] = Field(
        description="Fields of your own, by their keys: from the store's `customFields`, and from "
        "columns that a feed maps to `custom`. Each is taken from the first source that has it."
    )
    published_at: Timestamp | None = Field(
        description="When the product was published, as its source says; null where none says it."
    )
    created_at: Timestamp | None = Field(
        description="When the product was made in the shop; null where the shop doesn't say it."
    )
    added_at: Timestamp = Field(
        description="When Storepost first had the product. It stays when the product is removed "
        "and comes back."
    )
    synced_at: Timestamp = Field(
        description="When the product was last synchronized: for a feed that has it, by its last "
        "completed import; for a store, when it last sent something new."
    )

    @classmethod
    def of(cls, details: ProductDetails, resolved: ResolvedProduct) -> "Product":  # type: ignore[override]
        """Returns the product in this shape, in one of its locales."""
        product = details.product
        values = resolved.resolved.values
        return cls(
            **_summary(product, resolved.locale, summary_of(resolved)),
            store=StoreReference.from_model(details.store),
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
