"""A feed's row as what it says of a product and of a variant, or why it is skipped."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from storepost.feeds.files.numbers import Number
from storepost.feeds.records import values
from storepost.feeds.records.mapping import CUSTOM, FeedMapping, Target
from storepost.feeds.records.prices import price_of, read_price
from storepost.values.money import Money

NO_ID = "The row has no id."
ID_TOO_LONG = "The id is longer than 255 characters."
SEEN_BEFORE = "An earlier row has the same id and locale."
WRONG_COLUMNS = "The row has more or fewer columns than the header."
NO_PRICE = "The price can't be read."
NO_LOCALE = "The locale isn't known."
TOO_MANY_VARIANTS = "Its product has 2,000 variants before it."

type Fields = dict[str, Any]

_OPTIONS = {
    Target.COLOR: "Color",
    Target.SIZE: "Size",
    Target.MATERIAL: "Material",
    Target.PATTERN: "Pattern",
}
_KEPT_AS_CUSTOM = (Target.MPN, Target.ADDITIONAL_IMAGE_LINK)
"""What has no field of its own: custom fields of the same names."""


@dataclass(frozen=True)
class Terms:
    """What the store and the feed say of all rows."""

    currency: str
    """The store's."""
    currencies: Mapping[str, str] = field(default_factory=dict)
    """Of each of the store's locales."""
    locale: str | None = None
    """The feed's own."""


@dataclass(frozen=True)
class Entry:
    """What a row says."""

    id: str
    group: str | None
    locale: str | None
    sku: str | None
    gtin: str | None
    content: str = field(repr=False)
    """The product's fields and the variant's, as JSON."""

    @property
    def digest(self) -> bytes:
        """Of all that it says."""
        return blake2b(f"{self.group}\0{self.content}".encode(), digest_size=16).digest()


class Skipped(Exception):  # noqa: N818 - it is what a row is
    """The row can't be used."""

    def __init__(self, reason: str, row_id: str | None = None) -> None:
        """`row_id` is what the row gives as its id."""
        super().__init__(reason)
        self.reason = reason
        self.id = row_id


class RowReader:
    """Reads rows under one mapping."""

    def __init__(self, mapping: FeedMapping, terms: Terms) -> None:
        """Columns of one target count in the mapping's order: the first that says something."""
        self._terms = terms
        self._columns: dict[str, list[str]] = {}
        for column, target in mapping.items():
            if target != Target.IGNORE:
                self._columns.setdefault(target, []).append(column)
        self._custom = {
            target: columns
            for target, columns in self._columns.items()
            if target.startswith(CUSTOM)
        }

    def read(self, cells: Mapping[str, str] | None) -> Entry:
        """What the row says. Raises Skipped."""
        if cells is None:
            raise Skipped(WRONG_COLUMNS)
        said = {target: text for target in self._columns if (text := self._said(cells, target))}
        identifier = said.get(Target.ID)
        if identifier is None:
            raise Skipped(NO_ID)
        if len(identifier) > values.MAX_TEXT:
            raise Skipped(ID_TOO_LONG, identifier[: values.MAX_TEXT])
        locale = self._locale(said, identifier)
        variant = self._variant(said, locale, identifier)
        content = [self._product(said), variant]
        return Entry(
            identifier,
            _cut(said.get(Target.ITEM_GROUP_ID)),
            locale,
            variant.get("sku"),
            variant.get("barcode"),
            json.dumps(content, ensure_ascii=False, separators=(",", ":")),
        )

    def _said(self, cells: Mapping[str, str], target: str) -> str:
        for column in self._columns[target]:
            cell = cells.get(column, "")
            if text := cell.strip():
                return cell if isinstance(cell, Number) else text
        return ""

    def _locale(self, said: Mapping[str, str], identifier: str) -> str | None:
        text = said.get(Target.LOCALE)
        if text is None:
            return self._terms.locale
        found = values.locale(text)
        if found is None:
            raise Skipped(NO_LOCALE, identifier)
        return found

    def _product(self, said: Mapping[str, str]) -> Fields:
        image = said.get(Target.IMAGE_LINK)
        fields: Fields = {
            "title": _cut(said.get(Target.TITLE)),
            "description": _cut(said.get(Target.DESCRIPTION), values.MAX_DESCRIPTION),
            "link": values.address(said.get(Target.LINK, "")),
            "image": _image(image),
            "vendor": _cut(said.get(Target.BRAND)),
            "productType": _cut(said.get(Target.PRODUCT_TYPE)),
        }
        for target in _KEPT_AS_CUSTOM:
            fields[f"{CUSTOM}{target}"] = _cut(said.get(target), values.MAX_CUSTOM)
        for name in self._custom:
            fields[name] = _cut(said.get(name), values.MAX_CUSTOM)
        return _without_nothing(fields)

    def _variant(self, said: Mapping[str, str], locale: str | None, identifier: str) -> Fields:
        price, compared = self._prices(said, locale, identifier)
        bought = values.availability(said.get(Target.AVAILABILITY, ""))
        options = [
            {"name": name, "value": said[target][: values.MAX_TEXT]}
            for target, name in _OPTIONS.items()
            if target in said
        ]
        return _without_nothing(
            {
                "title": _cut(said.get(Target.TITLE)),
                "options": options or None,
                "sku": _cut(said.get(Target.SKU)),
                "barcode": _cut(said.get(Target.GTIN)),
                "image": _image(said.get(Target.IMAGE_LINK)),
                "price": _money(price),
                "compareAtPrice": _money(compared),
                "inventoryQuantity": values.quantity(said.get(Target.QUANTITY, "")),
                "availableForSale": bought[0] if bought else None,
                "continueSellingWhenOutOfStock": True if bought and bought[1] else None,
            }
        )

    def _prices(
        self, said: Mapping[str, str], locale: str | None, identifier: str
    ) -> tuple[Money | None, Money | None]:
        """The price, and what it is compared at."""
        if Target.PRICE not in said:
            return None, None
        price = self._price(said[Target.PRICE], locale)
        if price is None:
            raise Skipped(NO_PRICE, identifier)
        if price.currency not in self._currencies(locale):
            return None, None
        sale = self._price(said.get(Target.SALE_PRICE, ""), locale)
        if sale and sale.currency == price.currency and 0 < sale.amount < price.amount:
            return sale, price
        return price, None

    def _price(self, text: str, locale: str | None) -> Money | None:
        if isinstance(text, Number):
            return price_of(text, self._terms.currency)
        return read_price(text, self._terms.currency, self._currency_of(locale))

    def _currencies(self, locale: str | None) -> set[str | None]:
        """Those that a price may have in a locale: its own and the store's."""
        return {self._terms.currency, self._currency_of(locale)}

    def _currency_of(self, locale: str | None) -> str | None:
        return self._terms.currencies.get(locale or "")


def _cut(text: str | None, most: int = values.MAX_TEXT) -> str | None:
    return text[:most] if text else None


def _image(text: str | None) -> Fields | None:
    url = values.address(text) if text else None
    return {"url": url, "alt": None} if url else None


def _money(money: Money | None) -> Fields | None:
    return {"amount": money.amount, "currency": money.currency} if money else None


def _without_nothing(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}
