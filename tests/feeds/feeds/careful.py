"""What a careful reader finds in the samples of makers' formats, written by hand from the files."""

from dataclasses import dataclass, field
from typing import Any

type Fields = dict[str, Any]

EAN = "4006381333931"


@dataclass
class Variant:
    """A variant; amounts are in minor units."""

    price: int | None = None
    was: int | None = None
    title: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    stock: int | None = None
    sells: bool | None = None
    sells_on: bool = False
    sku: str | None = None
    code: str | None = None
    image: str | None = None

    def fields(self, product: "Product", currency: str) -> Fields:
        """As an import keeps it."""

        def money(amount: int | None) -> Fields | None:
            return None if amount is None else {"amount": amount, "currency": currency}

        fields = {
            "title": self.title or product.title,
            "options": [{"name": n, "value": v} for n, v in self.options.items()] or None,
            "sku": self.sku,
            "barcode": self.code,
            "image": _image(self.image),
            "price": money(self.price),
            "compareAtPrice": money(self.was),
            "inventoryQuantity": self.stock,
            "availableForSale": self.sells,
            "continueSellingWhenOutOfStock": self.sells_on or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass
class Product:
    """A product and its variants."""

    title: str | None
    variants: dict[str, Variant]
    description: str | None = None
    link: str | None = None
    vendor: str | None = None
    type: str | None = None
    mpn: str | None = None
    images: list[str] = field(default_factory=list)
    """The first is the image, the others are further ones."""

    def fields(self, currency: str) -> Fields:
        """As an import keeps it, with its variants."""
        fields = {
            "title": self.title,
            "description": self.description,
            "link": self.link,
            "vendor": self.vendor,
            "productType": self.type,
            "mpn": self.mpn,
            "image": _image(next(iter(self.images), None)),
            "further": self.images[1:] or None,
        }
        variants = {name: each.fields(self, currency) for name, each in self.variants.items()}
        filled = {name: value for name, value in fields.items() if value is not None}
        return {**filled, "variants": variants}


@dataclass
class Sample:
    """A file of a maker's format, and its content."""

    currency: str
    products: dict[str, Product]
    listed: list[tuple[int, str | None, str]] = field(default_factory=list)


def _image(url: str | None) -> Fields | None:
    return {"url": url, "alt": None} if url else None


def left_out(currency: str) -> str:
    """Why a price in that currency is left out."""
    return f"The price is in {currency}, not in the store's currency; it was left out."
