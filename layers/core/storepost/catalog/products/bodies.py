"""A custom store's products as it sends them."""

from collections.abc import Iterable
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
from storepost.values.external_ids import ExternalId
from storepost.values.field_errors import wrong_field
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import (
    TEXT_LENGTH,
    Name,
    NonNegativeMoney,
    RequestBody,
    Text,
    Timestamp,
    Url,
    few_names,
)

MAX_VARIANTS = 2_000
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


def _first_repeated(names: Iterable[str]) -> int | None:
    """The number, from 0, of the first name that stands there before."""
    seen = set[str]()
    for number, name in enumerate(names):
        if name in seen:
            return number
        seen.add(name)
    return None


class ProductImageBody(RequestBody):
    """An image of a product or a variant, at an address that anybody can read."""

    url: Url = Field(
        description="Where the image is. Storepost shows this address and keeps no copy."
    )
    alt: Annotated[str, StringConstraints(max_length=TEXT_LENGTH)] | None = Field(
        default=None, description="What the image shows, for people who can't see it."
    )

    def value(self) -> tuple[str, str | None]:
        """Returns the value that the service works with."""
        return (self.url, self.alt)


class ProductOptionBody(RequestBody):
    """What distinguishes a variant from the others, such as its size."""

    name: Name = Field(description="What is chosen, such as `Size`.")
    value: Name = Field(description="Which one the variant is, such as `M`.")


class ProductTexts(RequestBody):
    """What the store says of a product in one locale."""

    locale: LocaleCode = Field(
        description="The locale of these texts, as a BCP 47 tag such as `de-AT`. Each locale "
        "appears once."
    )
    title: Name = Field(description="What the product is called in this locale.")
    description: Description | None = Field(
        default=None,
        description="The product's description in this locale, as text or HTML, at most 64 KB in "
        "UTF-8.",
    )

    def texts(self) -> IncomingTexts:
        """Returns the value that the service works with."""
        return IncomingTexts(self.locale, self.title, self.description)


class ProductVariantBody(RequestBody):
    """A variant of a product; its price in the store's currency."""

    external_id: ExternalId = Field(
        description="The store's own id of the variant, kept as it is sent. Each variant of a "
        "product has its own."
    )
    title: Name = Field(
        description="The variant's title, such as `M / Red`. It is the same in every locale."
    )
    sku: Text | None = Field(
        default=None,
        description="The stock keeping unit. Rows of feeds are matched by it, too.",
    )
    barcode: Text | None = Field(
        default=None,
        description="The number under the barcode, such as a GTIN. Rows of feeds are matched by "
        "it, too.",
    )
    options: list[ProductOptionBody] = Field(
        default_factory=list,
        max_length=MAX_OPTIONS,
        description="What distinguishes the variant from the product's others, such as its size.",
    )
    image: ProductImageBody | None = Field(
        default=None,
        description="The variant's own image. Leave it out where it has none of its own.",
    )
    price: NonNegativeMoney = Field(
        description="What the variant costs now, in the store's currency and not negative, with "
        "or without tax as your shop shows it."
    )
    compare_at_price: NonNegativeMoney | None = Field(
        default=None,
        description="The former price, shown crossed out. Leave it out where the variant isn't "
        "reduced.",
    )
    inventory: Annotated[StrictInt, Field(ge=-MAX_UNITS, le=MAX_UNITS)] | None = Field(
        default=None,
        description="How many pieces there are, below 0 where too many were sold. Where it is "
        "left out, the stock isn't counted and the variant can always be bought.",
    )
    continue_selling_when_out_of_stock: StrictBool = Field(
        default=False,
        description="True where the variant is sold when there are no pieces left.",
    )
    position: Annotated[StrictInt, Field(ge=0, le=MAX_UNITS)] | None = Field(
        default=None,
        description="The variant's place among the product's, the smallest first. Where it is "
        "left out, its place in the list counts, from 1.",
    )

    def variant(self, number: int) -> IncomingVariant:
        """Returns the value for the service; `number` is its place in the request, from 1."""
        return self.to_model(
            IncomingVariant,
            options=tuple((option.name, option.value) for option in self.options),
            image=self.image.value() if self.image else None,
            price=self.price.value(),
            compare_at_price=self.compare_at_price.value() if self.compare_at_price else None,
            sells_on=self.continue_selling_when_out_of_stock,
            position=number if self.position is None else self.position,
        )


class ProductBody(RequestBody):
    """A product whole, as its store has it now, in each of its locales and with its variants.

    What is left out, the store doesn't say; feeds may.
    """

    updated_at: Timestamp = Field(
        description="When the product last changed in the store. A request that is older than "
        "what is stored is refused with `stale_update`; one of the same time is taken."
    )
    status: Literal[
        ProductStatus.ACTIVE, ProductStatus.UNLISTED, ProductStatus.DRAFT, ProductStatus.ARCHIVED
    ] = Field(
        description="`active`: on sale. `unlisted`: on sale for people who have its address. "
        "`draft`: not on sale yet. `archived`: not on sale any more."
    )
    published: StrictBool | None = Field(
        default=None,
        description="Whether buyers can see the product. Where it is left out, they can while it "
        "is `active` or `unlisted`.",
    )
    handle: Text | None = Field(
        default=None,
        description="The last part of the product's address in the shop, such as `linen-cushion`.",
    )
    vendor: Name | None = Field(default=None, description="The maker or brand.")
    product_type: Name | None = Field(
        default=None, description="The product's kind in your own words, such as `Cushions`."
    )
    tags: list[Text] = Field(
        default_factory=list,
        max_length=MAX_TAGS,
        description="Words that you sort products by. One that appears twice counts once.",
    )
    published_at: Timestamp | None = Field(
        default=None,
        description="When the product was published. It is shown, and publishes nothing: "
        "`published` does.",
    )
    created_at: Timestamp | None = Field(
        default=None, description="When the product was made in the store."
    )
    link: Url | None = Field(
        default=None,
        description="The product's page in the shop. Without it `missing` names `link`.",
    )
    image: ProductImageBody | None = Field(
        default=None,
        description="The product's image. Without it `missing` names `image`.",
    )
    custom_fields: Annotated[dict[CustomKey, Text], few_names(MAX_CUSTOM_FIELDS)] = Field(
        default_factory=dict,
        max_length=MAX_CUSTOM_FIELDS,
        description="Fields of your own: keys of 1 to 200 characters, each with a text.",
    )
    admin_url: Url | None = Field(
        default=None,
        description="Where the shop's staff see the product. Where it is left out, the store's "
        "`adminUrl` is shown.",
    )
    locales: list[ProductTexts] = Field(
        min_length=1,
        max_length=MAX_LOCALES,
        description="The product's texts, by locale. Send the store's primary locale among them: "
        "lists show it.",
    )
    variants: list[ProductVariantBody] = Field(
        max_length=MAX_VARIANTS,
        description="All variants of the product. One that is left out is removed. A product "
        "without any has no price.",
    )

    @model_validator(mode="after")
    def _unique_variants(self) -> "ProductBody":
        number = _first_repeated(each.locale for each in self.locales)
        if number is not None:
            raise wrong_field("Must be named only once", "locales", number, "locale")
        number = _first_repeated(each.external_id for each in self.variants)
        if number is not None:
            message = "Must be another one than those of the variants before it"
            raise wrong_field(message, "variants", number, "externalId")
        return self

    def product(self, external_id: str) -> IncomingProduct:
        """Returns the value that the service works with."""
        return self.to_model(
            IncomingProduct,
            external_id=external_id,
            tags=tuple(dict.fromkeys(self.tags)),
            image=self.image.value() if self.image else None,
            texts=tuple(each.texts() for each in self.locales),
            variants=tuple(each.variant(n) for n, each in enumerate(self.variants, 1)),
        )
