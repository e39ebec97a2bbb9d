"""Prices as feeds spell them: `15.00 USD`, `1.299,00 EUR`, `1,299.00`, `€ 5`."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import cache, lru_cache

from storepost.feeds.files.numbers import Number
from storepost.values.money import Money, checked_currency

_MAX_MINOR_UNITS = 10**15
_DOT = r"(?i:(?<=rs|kr)\.)?"
"""That of an abbreviated currency, such as `Rs. 500`."""
_PRICE = re.compile(
    rf"(?P<before>[^\d.,+-]*){_DOT}(?P<number>\d[\d.,]*|[.,]\d+)(?P<after>[^\d.,]*){_DOT}"
)
_LAKHS = re.compile(r"\d{1,2}(,\d\d)+,\d{3}")
_BLANKS = str.maketrans("", "", " \t\u00a0\u202f\u2009'\u2019")
_SYMBOLS = {
    "€": ("EUR",),
    "£": ("GBP", "EGP", "GIP", "FKP", "SHP"),
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"),
    "r$": ("BRL",),
    "¥": ("JPY", "CNY"),
    "zł": ("PLN",),
    "₹": ("INR",),
    "rs": ("INR", "PKR", "LKR", "NPR", "MUR", "SCR"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "₺": ("TRY",),
    "₴": ("UAH",),
}
"""The currencies that a symbol is of; the first is the usual one."""


@lru_cache(maxsize=20_000)
def read_price(text: str, currency: str, of_locale: str | None = None) -> Money | None:
    """The price, in `currency` where it names none; None where it can't be read.

    A symbol of several currencies means `of_locale`, the one of the row's locale, where that is one
    of them; else `currency`, the store's, where that is; else the usual one.

    The last of two kinds of separators is the decimal one. One alone is the thousands' where it
    stands more than once, or three digits before the end of a number that isn't below one, unless
    the currency itself has three.
    """
    found = _PRICE.fullmatch(text.translate(_BLANKS))
    if found is None:
        return None
    named = (found["before"] + found["after"]).strip(".-/")
    code = _currency(named, (of_locale, currency)) if named else currency
    if code is None:
        return None
    number = _number(found["number"], _minor_digits(code))
    return None if number is None else _money(number, code)


def price_of(number: Number, currency: str) -> Money | None:
    """The price that a number is, in which no separator is the thousands'."""
    try:
        return _money(Decimal(number), currency)
    except InvalidOperation:  # JSON of Python's kind has NaN
        return None


def _money(number: Decimal, code: str) -> Money | None:
    digits = _minor_digits(code)
    if not 0 <= number <= _MAX_MINOR_UNITS:
        return None
    minor = (number * 10**digits).quantize(Decimal(1), ROUND_HALF_UP)
    return Money(int(minor), code) if minor <= _MAX_MINOR_UNITS else None


def _currency(named: str, likely: Iterable[str | None]) -> str | None:
    if codes := _SYMBOLS.get(named.lower()):
        return next((code for code in likely if code in codes), codes[0])
    try:
        return checked_currency(named)
    except ValueError:
        return None


@cache
def _minor_digits(code: str) -> int:
    from iso4217 import Currency  # noqa: PLC0415 - 38 ms

    return int(Currency(code).exponent or 0)


def _number(text: str, digits: int) -> Decimal | None:
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return Decimal(text)
    whole, fraction = text[:last], text[last + 1 :]
    is_alone = not set(whole) & {".", ","}
    if text[last] in whole or (is_alone and _is_thousands(whole, fraction, digits)):
        whole, fraction = text, ""
    if _LAKHS.fullmatch(whole):
        whole = whole.replace(",", "")
    grouped = re.split(r"[.,]", whole)
    if len(grouped) > 1 and (any(len(part) != 3 for part in grouped[1:]) or not grouped[0]):
        return None
    return Decimal(f"{''.join(grouped) or 0}.{fraction or 0}")


def _is_thousands(whole: str, fraction: str, digits: int) -> bool:
    return len(fraction) == 3 and digits != 3 and whole.strip("0") != "" and len(whole) <= 3
