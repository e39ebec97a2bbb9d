"""What a row's variant costs: its price and sale price, in the currency that applies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from storepost.feeds.files.objects import Number
from storepost.feeds.records.currency_signs import currency_of
from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.names import compared_name, compared_names, is_compare_at_price
from storepost.feeds.records.prices import price_of, read_price
from storepost.feeds.records.sales import SaleTimes
from storepost.values import clock
from storepost.values.money import Money

NO_PRICE = "The price can't be read."
OTHER_CURRENCY = "The price is in {currency}, not in the store's currency; it was left out."
NO_SALE_PRICE = "The sale price can't be read; it was left out."
OTHER_SALE_CURRENCY = (
    "The sale price is in {currency}, not in the price's currency; it was left out."
)

_CURRENCIES = compared_names(
    "currency", "currency_id", "currency_code", "price_currency", "waehrung", "devise", "moneda"
)
_USUAL = ("currency", "currencyId", "currency_code")
"""Columns that count even if the mapping doesn't name them."""


@dataclass(frozen=True)
class FeedDefaults:
    """Holds what the store and the feed state for all rows: currencies and the locale."""

    currency: str
    """The store's currency."""
    currencies: Mapping[str, str] = field(default_factory=dict)
    """The currency of each of the store's locales."""
    locale: str | None = None
    """The feed's own locale."""


class UnreadablePrice(ValueError):  # noqa: N818 - it is what the price is
    """Says that a price can't be read, so that its row can't be used."""


@dataclass(frozen=True)
class RowPrices:
    """Holds what a row's variant costs, as its fields, and why a price was left out."""

    fields: Mapping[str, Any]
    left_out: str | None = None


_NO_PRICES = RowPrices({})


class Prices:
    """Reads prices of rows under one mapping."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[str]],
        all_columns: Sequence[str],
        defaults: FeedDefaults,
        points: Mapping[str, str],
    ) -> None:
        """`columns` are the columns of each target, `points` the decimal separators of some."""
        self._defaults = defaults
        self._points = {
            target: next((points[each] for each in columns.get(target, ()) if each in points), None)
            for target in (FeedField.PRICE, FeedField.SALE_PRICE)
        }
        prices = columns.get(FeedField.PRICE, ())
        self._is_former = bool(prices) and all(map(is_compare_at_price, prices))
        named = dict.fromkeys((*all_columns, *_USUAL))
        self._currencies = [each for each in named if compared_name(each) in _CURRENCIES]
        self._sales = SaleTimes(all_columns)
        self._now = clock.now()

    def read(
        self, cells: Mapping[str, str], mapped: Mapping[str, str], locale: str | None
    ) -> RowPrices:
        """Returns the variant's `price` and `compareAtPrice`.

        Raises UnreadablePrice if the price can't be read, or the sale price without a price.
        """
        if FeedField.PRICE not in mapped and FeedField.SALE_PRICE not in mapped:
            return _NO_PRICES
        price = self._money(FeedField.PRICE, cells, mapped, locale)
        sale, left_out = self._sale(cells, mapped, locale, is_needed=price is None)
        if price is None or (sale and self._is_no_price(price, sale)):
            price, sale = sale, None
        if price is None:
            return RowPrices({}, left_out)
        if price.currency not in {self._defaults.currency, self._currency_of(locale)}:
            return RowPrices({"price": None}, OTHER_CURRENCY.format(currency=price.currency))
        return _of_both(price, sale, left_out)

    def _is_no_price(self, price: Money, sale: Money) -> bool:
        """Returns whether the price before the sale says nothing.

        It is zero, or it is a compare-at price that isn't above the sale price.
        """
        if sale.currency != price.currency or not sale.amount:
            return False
        return price.amount == 0 or (self._is_former and price.amount <= sale.amount)

    def _sale(
        self,
        cells: Mapping[str, str],
        mapped: Mapping[str, str],
        locale: str | None,
        *,
        is_needed: bool,
    ) -> tuple[Money | None, str | None]:
        """Returns the sale price that applies now, and why one was left out."""
        if FeedField.SALE_PRICE not in mapped or not self._sales.holds(cells, self._now):
            return None, None
        try:
            return self._money(FeedField.SALE_PRICE, cells, mapped, locale), None
        except UnreadablePrice:
            if is_needed:
                raise
            return None, NO_SALE_PRICE

    def _money(
        self,
        target: FeedField,
        cells: Mapping[str, str],
        mapped: Mapping[str, str],
        locale: str | None,
    ) -> Money | None:
        """Returns the column's amount; None if it is empty. Raises UnreadablePrice."""
        text = mapped.get(target, "")
        if not text:
            return None
        named = self._named(cells, locale)
        if isinstance(text, Number):
            found = price_of(text, named)
        else:
            found = read_price(text, named, self._currency_of(locale), self._points[target])
        if found is None:
            raise UnreadablePrice(NO_PRICE)
        return found

    def _named(self, cells: Mapping[str, str], locale: str | None) -> str:
        """Returns the currency of a bare number: that in the row's own column, else the store's."""
        for column in self._currencies:
            if text := cells.get(column, "").strip():
                likely = (self._currency_of(locale), self._defaults.currency)
                return currency_of(text, likely) or self._defaults.currency
        return self._defaults.currency

    def _currency_of(self, locale: str | None) -> str | None:
        return self._defaults.currencies.get(locale or "")


def _of_both(price: Money, sale: Money | None, left_out: str | None) -> RowPrices:
    if sale and sale.currency != price.currency:
        left_out = OTHER_SALE_CURRENCY.format(currency=sale.currency)
    elif sale and 0 < sale.amount < price.amount:
        return RowPrices({"price": _written(sale), "compareAtPrice": _written(price)})
    return RowPrices({"price": _written(price)}, left_out)


def _written(money: Money) -> dict[str, Any]:
    return {"amount": money.amount, "currency": money.currency}
