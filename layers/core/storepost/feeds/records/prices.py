"""Prices as feeds spell them: `15.00 USD`, `1.299,00 EUR`, `1,299.00`, `€ 5`, `5,- Kč`, `5:-`."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

from storepost.feeds.files.objects import Number
from storepost.feeds.records.currency_signs import UNSEEN, currency_of
from storepost.values.money import Money, digits

_MAX_MINOR_UNITS = 10**15
_BLANKS = " \t\u00a0\u202f\u2009'\u2019"
# It is atomic: a long text without a number would be matched in every way otherwise.
_POINT_OF_SIGN = r"(?>(?<=[^\W\d]|/)\.|\.(?![\d.]))"
_PRICE = re.compile(
    rf"(?P<before>(?:[^\d.,+\-\u2212]|{_POINT_OF_SIGN})*)"
    rf"(?P<number>\d[\d.,{_BLANKS}]*|[.,]\d+)"
    rf"(?P<dashes>(?:(?<=[.,])|:)[-\u2013\u2014]+)?"
    rf"(?P<after>(?:[^\d.,]|{_POINT_OF_SIGN})*)"
)
_MINUS = re.compile(r"\s*[-\u2212]")
"""A minus after a number: SAP's sign of a negative one. After a separator it stands for cents."""
_LAKHS = re.compile(r"\d{1,2}(,\d\d)+,\d{3}")
_NOTHING = str.maketrans("", "", _BLANKS + UNSEEN)
_ARABIC_POINT = "\u066b"
_PLAIN = str.maketrans({**dict.fromkeys(f"{UNSEEN}\u066c"), _ARABIC_POINT: "."})
"""Drops what can't be seen and Arabic thousands separators."""
_SEPARATED = re.compile(r"\d[\d.,]*")
_LENGTH = 100
"""Characters; no price is longer."""


def read_price(
    text: str, currency: str, of_locale: str | None = None, point: str | None = None
) -> Money | None:
    """Returns the price, in `currency` if it names none; None if it can't be read.

    A sign of several currencies means `of_locale`, the currency of the row's locale, if that has
    the sign; else `currency`, the store's, if that has it; else the usual one.

    Of two kinds of separators the last is the decimal one. A single kind separates thousands if it
    occurs more than once, or if three digits follow it at the end of a number of at least one,
    unless the currency itself has three decimals, or the column's other prices show that it is
    their decimal `point`.
    """
    return _read_price(text, currency, of_locale, point) if len(text) <= _LENGTH else None


@lru_cache(maxsize=20_000)
def _read_price(text: str, currency: str, of_locale: str | None, point: str | None) -> Money | None:
    found = _PRICE.fullmatch(text.translate(_PLAIN).strip())
    if found is None or (not found["dashes"] and _MINUS.match(found["after"])):
        return None
    named = f"{found['before']} {found['after']}".strip(" .-\u2013\u2014\u00a0\u202f")
    code = currency_of(named, (of_locale, currency)) if named else currency
    if code is None:
        return None
    point = "." if _ARABIC_POINT in text else point
    number = _number(found["number"].translate(_NOTHING), digits(code), point)
    return None if number is None else _money(number, code)


def price_of(number: Number, currency: str) -> Money | None:
    """Returns the price of a JSON number, which has no thousands separators."""
    try:
        return _money(Decimal(number), currency)
    except InvalidOperation:  # JSON as Python reads it has NaN
        return None


def decimal_point(prices: Iterable[str]) -> str | None:
    """Returns the decimal separator that prices show; None if they show none, or both."""
    separators = {
        mark for text in prices if (mark := _separator(text[:_LENGTH].translate(_NOTHING)))
    }
    return separators.pop() if len(separators) == 1 else None


def _separator(text: str) -> str | None:
    found = _SEPARATED.search(text)
    separators = [each for each in found[0] if each in ".,"] if found else []
    if found is None or not separators:
        return None
    whole, _, fraction = found[0].rpartition(separators[-1])
    if len(set(separators)) == 2:
        return separators[-1] if separators.count(separators[-1]) == 1 else None
    if len(separators) > 1:
        return "," if separators[0] == "." else "."
    is_decimal = len(fraction) in {1, 2} or not whole.strip("0")
    return separators[0] if is_decimal and fraction else None


def _money(number: Decimal, code: str) -> Money | None:
    if not 0 <= number <= _MAX_MINOR_UNITS:
        return None
    minor = (number * 10 ** digits(code)).quantize(Decimal(1), ROUND_HALF_UP)
    return Money(int(minor), code) if minor <= _MAX_MINOR_UNITS else None


def _number(text: str, minor: int, point: str | None) -> Decimal | None:
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return Decimal(text)
    whole, fraction = text[:last], text[last + 1 :]
    is_alone = not set(whole) & {".", ","}
    is_point = text[last] == point
    if text[last] in whole or (is_alone and not is_point and _is_thousands(whole, fraction, minor)):
        whole, fraction = text, ""
    if _LAKHS.fullmatch(whole):
        whole = whole.replace(",", "")
    grouped = re.split(r"[.,]", whole)
    if len(grouped) > 1 and (any(len(part) != 3 for part in grouped[1:]) or not grouped[0]):
        return None
    return Decimal(f"{''.join(grouped) or 0}.{fraction or 0}")


def _is_thousands(whole: str, fraction: str, minor: int) -> bool:
    return len(fraction) == 3 and minor != 3 and whole.strip("0") != "" and len(whole) <= 3
