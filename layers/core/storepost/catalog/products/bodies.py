"""A custom store's products as it sends them."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_validator,
)

from storepost.catalog.products.fields import MAX_KEY
from storepost.catalog.products.incoming import IncomingProduct, IncomingTexts, IncomingVariant
from storepost.catalog.products.model import ProductStatus
from storepost.catalog.products.writing import MAX_VARIANTS
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import TEXT_LENGTH, NonNegativeMoney, RequestBody, Text, Timestamp, Url

ExternalId = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_LENGTH)]
"""A store's own id of a product or a variant, as it is: nothing is trimmed."""

MAX_TAGS = 250
MAX_LOCALES = 40
MAX_OPTIONS = 20
MAX_CUSTOM_FIELDS = 100
MAX_UNITS = 1_000_000_000
DESCRIPTION_BYTES = 64 * 1024


def _description(text: str) -> str:
    if len(text.encode()) > DESCRIPTION_BYTES:
        raise ValueError("Must be at most 64 KB")
    return text


Description = Annotated[str, AfterValidator(_description)]
CustomKey = Annotated[str, StringConstraints(min_length=1, max_length=MAX_KEY)]


class ProductImageBody(RequestBody):
    """An image of a product or a variant."""

    url: Url
    alt: Annotated[str, StringConstraints(max_length=TEXT_LENGTH)] | None = None

    def value(self) -> tuple[str, str | None]:
        """Returns the value that the service works with."""
        return (self.url, self.alt)


class ProductOptionBody(RequestBody):
    """What tells a variant from the others, such as its size."""

    name: Text
    value: Text


class ProductTexts(RequestBody):
    """What the store says of a product in one locale."""

    locale: LocaleCode
    title: Text
    description: Description | None = None

    def texts(self) -> IncomingTexts:
        """Returns the value that the service works with."""
        return IncomingTexts(self.locale, self.title, self.description)


class ProductVariantBody(RequestBody):
    """A variant of a product; its price in the store's currency."""

    external_id: ExternalId
    title: Text
    sku: Text | None = None
    barcode: Text | None = None
    options: Annotated[list[ProductOptionBody], Field(max_length=MAX_OPTIONS)] = Field(
        default_factory=list
    )
    image: ProductImageBody | None = None
    price: NonNegativeMoney
    compare_at_price: NonNegativeMoney | None = None
    inventory: Annotated[StrictInt, Field(ge=-MAX_UNITS, le=MAX_UNITS)] | None = None
    continue_selling_when_out_of_stock: StrictBool = False
    position: Annotated[StrictInt, Field(ge=0, le=MAX_UNITS)] | None = None

    def variant(self, number: int) -> IncomingVariant:
        """Returns the value for the service; `number` is its place in the request, from 1."""
        return IncomingVariant(
            external_id=self.external_id,
            title=self.title,
            sku=self.sku,
            barcode=self.barcode,
            options=tuple((option.name, option.value) for option in self.options),
            image=self.image.value() if self.image else None,
            price=self.price.value(),
            compare_at_price=self.compare_at_price.value() if self.compare_at_price else None,
            inventory=self.inventory,
            sells_on=self.continue_selling_when_out_of_stock,
            position=number if self.position is None else self.position,
        )


class ProductBody(RequestBody):
    """A product as its store has it, in each of its locales, with its variants."""

    updated_at: Timestamp
    status: Literal[
        ProductStatus.ACTIVE, ProductStatus.UNLISTED, ProductStatus.DRAFT, ProductStatus.ARCHIVED
    ]
    published: StrictBool | None = None
    handle: Text | None = None
    vendor: Text | None = None
    product_type: Text | None = None
    tags: Annotated[list[Text], Field(max_length=MAX_TAGS)] = Field(default_factory=list)
    published_at: Timestamp | None = None
    created_at: Timestamp | None = None
    link: Url | None = None
    image: ProductImageBody | None = None
    custom_fields: Annotated[dict[CustomKey, Text], Field(max_length=MAX_CUSTOM_FIELDS)] = Field(
        default_factory=dict
    )
    admin_url: Url | None = None
    locales: Annotated[list[ProductTexts], Field(min_length=1, max_length=MAX_LOCALES)]
    variants: Annotated[list[ProductVariantBody], Field(max_length=MAX_VARIANTS)]

    @model_validator(mode="after")
    def _unique_variants(self) -> "ProductBody":
        if len({each.locale for each in self.locales}) < len(self.locales):
            raise ValueError("Each of the locales stands there once")
        if len({each.external_id for each in self.variants}) < len(self.variants):
            raise ValueError("Each variant has an externalId of its own")
        return self

    def product(self, external_id: str) -> IncomingProduct:
        """Returns the value that the service works with."""
        return IncomingProduct(
            external_id=external_id,
            updated_at=self.updated_at,
            status=self.status,
            published=self.published,
            handle=self.handle,
            vendor=self.vendor,
            product_type=self.product_type,
            tags=tuple(dict.fromkeys(self.tags)),
            published_at=self.published_at,
            created_at=self.created_at,
            link=self.link,
            image=self.image.value() if self.image else None,
            custom_fields=self.custom_fields,
            admin_url=self.admin_url,
            texts=tuple(each.texts() for each in self.locales),
            variants=tuple(each.variant(n) for n, each in enumerate(self.variants, 1)),
        )
