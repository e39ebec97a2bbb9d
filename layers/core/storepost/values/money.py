"""Money: an integer in the currency's own minor units, and an ISO 4217 code."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints


@dataclass(frozen=True)
class Money:
    """An amount in minor units (cents, or whole yen) of one currency."""

    amount: int
    currency: str

    def __add__(self, other: "Money") -> "Money":
        """The sum; raises ValueError across currencies."""
        if self.currency != other.currency:
            raise ValueError("amounts of two currencies can't be added")
        return Money(self.amount + other.amount, self.currency)

    @property
    def decimal(self) -> str:
        """The amount in the currency's whole units, as people write it: `12.50`, or `1250`."""
        return str(Decimal(self.amount).scaleb(-digits(self.currency)))


@cache
def digits(currency: str) -> int:
    """How many digits the minor units have; raises ValueError of what is no currency."""
    from iso4217 import Currency  # noqa: PLC0415 - 38 ms

    return int(Currency(currency).exponent or 0)


@cache
def _known() -> frozenset[str]:
    from iso4217 import Currency  # noqa: PLC0415 - 38 ms

    return frozenset(currency.code for currency in Currency)


def checked_currency(code: str) -> str:
    """The code in capitals. Raises ValueError where ISO 4217 has no such currency."""
    upper = code.upper()
    if upper not in _known():
        raise ValueError("Must be an ISO 4217 currency code, like EUR")
    return upper


CurrencyCode = Annotated[
    str,
    StringConstraints(min_length=3, max_length=3),
    AfterValidator(checked_currency),
    Field(json_schema_extra={"format": "iso4217", "examples": ["EUR"]}),
]
"""A currency in a request."""
