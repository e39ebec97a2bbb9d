"""A product as a store sends it, and the store's records that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.resolution import is_empty
from storepost.catalog.products.writing import SourceProduct
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import CurrencyMismatch
from storepost.values import clock
from storepost.values.money import Money
from storepost.values.problems import FieldError


@dataclass(frozen=True)
class IncomingVariant:
    """A variant as its store has it."""

    external_id: str
    title: str
    sku: str | None
    barcode: str | None
    options: tuple[tuple[str, str], ...]
    image: tuple[str, str | None] | None
    price: Money
    compare_at_price: Money | None
    inventory: int | None
    """None if the store doesn't count it."""
    sells_on: bool
    position: int
    available: bool | None = None
    """What the store states itself; None if that follows from the inventory."""
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def values(self) -> SourceValues:
        """Returns the store's record of the variant, the same in every locale."""
        available = self.available
        if available is None and self.inventory is not None:
            available = self.inventory > 0 or self.sells_on
        return SourceValues(
            _non_empty(
                title=self.title,
                sku=self.sku,
                barcode=self.barcode,
                options=[{"name": name, "value": value} for name, value in self.options],
                image=_image(self.image),
                price=_money(self.price),
                compareAtPrice=_money(self.compare_at_price),
                inventoryQuantity=self.inventory,
                availableForSale=available,
                continueSellingWhenOutOfStock=self.sells_on,
                position=self.position,
                createdAt=_moment(self.created_at),
                updatedAt=_moment(self.updated_at),
            ),
            variant=self.external_id,
        )


@dataclass(frozen=True)
class IncomingTexts:
    """What a store says of a product in one locale."""

    locale: str
    title: str
    description: str | None


@dataclass(frozen=True)
class IncomingProduct:
    """A product as its store has it."""

    external_id: str
    updated_at: datetime
    status: str
    published: bool | None
    handle: str | None
    vendor: str | None
    product_type: str | None
    tags: tuple[str, ...]
    published_at: datetime | None
    created_at: datetime | None
    link: str | None
    image: tuple[str, str | None] | None
    custom_fields: Mapping[str, str]
    admin_url: str | None
    texts: tuple[IncomingTexts, ...]
    variants: tuple[IncomingVariant, ...]
    is_in_one_locale: bool = False
    """Whether the store sent it in one of its locales: the texts in others stay."""
    left_out: frozenset[str] = frozenset()
    """The variants that it has and that the store didn't send: what is stored of them stays."""

    def check_currency(self, store: Store) -> None:
        """Raises CurrencyMismatch, naming each price that isn't in the store's currency."""
        errors = [
            FieldError(
                f"/variants/{number}/{name}/currency",
                f"Must be {store.currency}, the store's currency",
            )
            for number, variant in enumerate(self.variants)
            for name, price in (
                ("price", variant.price),
                ("compareAtPrice", variant.compare_at_price),
            )
            if price and price.currency != store.currency
        ]
        if errors:
            raise CurrencyMismatch(errors=errors)

    def as_source_product(self, store: Store) -> SourceProduct:
        """Returns the records that the store has of it: texts by locale, the rest in no locale."""
        own = _non_empty(
            handle=self.handle,
            link=self.link,
            image=_image(self.image),
            vendor=self.vendor,
            productType=self.product_type,
            tags=list(self.tags),
            status=self.status,
            published=self.published,
            publishedAt=_moment(self.published_at),
            adminUrl=self.admin_url or store.admin_url,
            createdAt=_moment(self.created_at),
            **{f"custom.{key}": value for key, value in self.custom_fields.items()},
        )
        texts = (
            SourceValues(
                _non_empty(title=each.title, description=each.description), locale=each.locale
            )
            for each in self.texts
        )
        variants = (variant.values for variant in self.variants)
        records = (SourceValues(own), *texts, *variants)
        return SourceProduct(
            self.external_id, records, self.updated_at, self.is_in_one_locale, self.left_out
        )


def _non_empty(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - what JSON can say
    """Returns the fields that aren't empty."""
    return {name: value for name, value in fields.items() if not is_empty(value)}


def _image(image: tuple[str, str | None] | None) -> dict[str, str | None] | None:
    return {"url": image[0], "alt": image[1]} if image else None


def _money(money: Money | None) -> dict[str, int | str] | None:
    return {"amount": money.amount, "currency": money.currency} if money else None


def _moment(moment: datetime | None) -> str | None:
    return clock.to_text(moment) if moment else None
