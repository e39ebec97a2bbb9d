"""Money as shops send it: decimal texts, in the shop's currency and in the buyer's."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from storepost.sync.records.reading import Body, NoRecord, part_of
from storepost.values.money import Money, digits

_MAX_AMOUNT = 10**15
"""Far above any order, and within the exact integers of every JSON reader."""
_MAX_EXPONENT = 20
"""Of an amount or a rate; with one of a million, no calculation works."""


def _digits(currency: str) -> int:
    try:
        return digits(currency)
    except ValueError as error:
        raise NoRecord("a currency that ISO 4217 doesn't have") from error


def money_of(amount: object, currency: object) -> Money:
    """Returns an amount of a currency, in its minor units. Raises NoRecord."""
    code = str(currency).upper()
    units = to_decimal(amount).scaleb(_digits(code)).to_integral_value(ROUND_HALF_UP)
    if units < 0:
        raise NoRecord("a negative amount")
    if units > _MAX_AMOUNT:
        raise NoRecord("an amount that can't be")
    return Money(int(units), code)


def to_decimal(amount: object) -> Decimal:
    """Returns the number in a text or a JSON number. Raises NoRecord."""
    try:
        number = Decimal(str(amount))
    except InvalidOperation as error:
        raise NoRecord("an amount that is no number") from error
    if not number.is_finite():
        raise NoRecord("an amount that is no number")
    if number and abs(number.adjusted()) > _MAX_EXPONENT:
        raise NoRecord("an amount that can't be")
    return number or Decimal(0)


def shop_money(body: Body, name: str) -> Money | None:
    """Returns an amount in the shop's currency, or None.

    The value is `{shop_money: …}` or `{shopMoney: …}`.
    """
    both = part_of(body, name)
    money = part_of(both, "shop_money") or part_of(both, "shopMoney")
    if not money:
        return None
    return money_of(money.get("amount"), money.get("currency_code") or money.get("currencyCode"))
