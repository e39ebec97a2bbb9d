"""Variants of products in answers."""

from collections.abc import Callable
from uuid import UUID

from pydantic import Field

from storepost.catalog.products.details import ProductDetails
from storepost.catalog.products.model import Stock, variant_id
from storepost.catalog.products.resolution import ResolvedProduct, ResolvedVariant
from storepost.catalog.products.schemas import ProductImage
from storepost.catalog.products.summaries import is_for_sale, sells_on, stock_of, title_of
from storepost.values.wire import MoneyShape, Shape, Timestamp


class ProductOption(Shape):
    """What distinguishes a variant from the others, such as its size."""

    name: str = Field(description="What is chosen, such as `Size`.")
    value: str = Field(description="Which one the variant is, such as `M`.")


class ProductVariant(Shape):
    """A variant of a product, such as one of its sizes, in one locale."""

    id: UUID = Field(
        description="Storepost's id of the variant. It stays the same when the variant is removed "
        "and comes back."
    )
    external_id: str = Field(
        description="The store's own id of the variant, or the feed's where the store doesn't "
        "have it."
    )
    locale: str = Field(description="The locale that the texts and prices are shown in.")
    title: str = Field(
        description="The variant's own title; where no source has one, its option values, or else "
        "the product's title."
    )
    sku: str | None = Field(description="The stock keeping unit; null where no source has one.")
    barcode: str | None = Field(
        description="The number under the barcode, such as a GTIN; null where no source has one."
    )
    options: list[ProductOption] = Field(
        description="What distinguishes the variant from the product's others; empty where nothing "
        "does."
    )
    image: ProductImage | None = Field(
        description="The variant's own image; null where it has none. The product's own isn't "
        "repeated."
    )
    price: MoneyShape | None = Field(
        description="What the variant costs now, with or without tax as its source states prices; "
        "null where no source has a price in the locale's currency."
    )
    compare_at_price: MoneyShape | None = Field(
        description="The former price, shown crossed out beside `price`; null where the variant "
        "isn't reduced."
    )
    stock: Stock = Field(description="Whether there is any of the variant.")
    inventory: int | None = Field(
        description="How many pieces there are, below 0 where too many were sold; null where "
        "nobody counts them."
    )
    continue_selling_when_out_of_stock: bool = Field(
        description="True where the variant is sold when there are no pieces left; false where "
        "no source says so."
    )
    available_for_sale: bool = Field(
        description="Whether the variant can be bought: as a source says, or else because it is "
        "in stock, isn't counted, or is sold on without stock."
    )
    position: int = Field(
        description="The variant's place among the product's, the smallest first. It usually "
        "begins at 1."
    )
    removed_at: Timestamp | None = Field(
        description="When the last source that had the variant gave it up; null where one has it."
    )
    created_at: Timestamp | None = Field(
        description="When the variant was made in the shop; null unless the shop says it, as "
        "Shopify does."
    )
    updated_at: Timestamp | None = Field(
        description="When the variant last changed in the shop; null unless the shop says it, as "
        "Shopify does."
    )

    @classmethod
    def in_locale(
        cls, details: ProductDetails, product: ResolvedProduct
    ) -> "Callable[[ResolvedVariant], ProductVariant]":
        """Returns the function that puts a variant of the product in this shape."""
        return lambda variant: cls.of(details, product, variant)

    @classmethod
    def of(
        cls, details: ProductDetails, product: ResolvedProduct, variant: ResolvedVariant
    ) -> "ProductVariant":
        """Returns the variant in this shape."""
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
