"""Prices as feeds spell them: `15.00 USD`, `1.299,00 EUR`, `1,299.00`, `€ 5`, `5,- Kč`, `5:-`."""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

from storepost.feeds.files.objects import Number
from storepost.feeds.records.currency_signs import UNSEEN, currency_of
from storepost.feeds.records.numbers import BLANKS, read_number
from storepost.values.money import Money, digits

_MAX_MINOR_UNITS = 10**15
# It is atomic: a long text without a number would be matched in every way otherwise.
_POINT_OF_SIGN = r"(?>(?<=[^\W\d]|/)\.|\.(?![\d.]))"
_PRICE = re.compile(
    rf"(?P<before>(?:[^\d.,+\-\u2212]|{_POINT_OF_SIGN})*)"
    rf"(?:\+\s*)?(?P<number>\d[\d.,{BLANKS}]*|[.,]\d+)"
    rf"(?P<dashes>(?:(?<=[.,])|:)[-\u2013\u2014]+)?"
    rf"(?P<after>(?:[^\d.,]|{_POINT_OF_SIGN})*)"
)
_CENTS_BEHIND = re.compile(r"(?<=\d)\s?(€|EUR)(?=\d\d\Z)")
"""The French way: `12€50`."""
_MINUS = re.compile(r"\s*[-\u2212]")
"""A minus after a number: SAP's sign of a negative one. After a separator it stands for cents."""
_ARABIC_POINT = "\u066b"
_PLAIN = str.maketrans({**dict.fromkeys(f"{UNSEEN}\u066c"), _ARABIC_POINT: "."})
"""Drops what can't be seen and Arabic thousands separators."""
_LENGTH = 100
"""Characters; no price is longer."""


def read_price(
    text: str, currency: str, of_locale: str | None = None, point: str | None = None
) -> Money | None:
    """Returns the price, in `currency` if it names none; None if it can't be read.

    A sign of several currencies means `of_locale`, the currency of the row's locale, if that has
    the sign; else `currency`, the store's, if that has it; else the usual one.

    The currency says how many decimals are usual; `point` is the column's decimal separator.
    """
    return _read_price(text, currency, of_locale, point) if len(text) <= _LENGTH else None


@lru_cache(maxsize=20_000)
def _read_price(text: str, currency: str, of_locale: str | None, point: str | None) -> Money | None:
    plain = text.translate(_PLAIN).strip()
    if not {".", ","} & {*plain} and (behind := _CENTS_BEHIND.search(plain)):
        plain = f"{plain[: behind.start()]},{plain[behind.end() :]} {behind[1]}"
    found = _PRICE.fullmatch(plain)
    if found is None or (not found["dashes"] and _MINUS.match(found["after"])):
        return None
    named = f"{found['before']} {found['after']}".strip(" .-\u2013\u2014\u00a0\u202f")
    code = currency_of(named, (of_locale, currency)) if named else currency
    if code is None:
        return None
    point = "." if _ARABIC_POINT in text else point
    number = read_number(found["number"], digits(code), point)
    return None if number is None else _money(number, code)


def price_of(number: Number, currency: str) -> Money | None:
    """Returns the price of a JSON number, which has no thousands separators."""
    try:
        return _money(Decimal(number), currency)
    except InvalidOperation:  # JSON as Python reads it has NaN
        return None


def _money(number: Decimal, code: str) -> Money | None:
    if not 0 <= number <= _MAX_MINOR_UNITS:
        return None
    minor = (number * 10 ** digits(code)).quantize(Decimal(1), ROUND_HALF_UP)
    return Money(int(minor), code) if minor <= _MAX_MINOR_UNITS else None
