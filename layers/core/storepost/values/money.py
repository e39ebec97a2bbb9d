"""Money: an integer in the currency's own minor units, and an ISO 4217 code."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints


@dataclass(frozen=True)
class Money:
    """An amount in minor units (cents, or whole yen) of one currency."""

    amount: int
    currency: str

    def __add__(self, other: "Money") -> "Money":
        """Returns the sum; raises ValueError across currencies."""
        if self.currency != other.currency:
            raise ValueError("amounts of two currencies can't be added")
        return Money(self.amount + other.amount, self.currency)

    @property
    def decimal(self) -> str:
        """Returns the amount in whole units, as people write it: `12.50`, or `1250`."""
        return str(Decimal(self.amount).scaleb(-digits(self.currency)))


@cache
def _table() -> Mapping[str, int]:
    """Returns the digits of the minor units by code: ISO 4217's, and those that ended since 1999.

    The table is our own, as stored amounts stay: an order of last year is in BGN, which ended. A
    code is never removed, and its digits never change. A test compares it with the current ISO
    4217.
    """
    tables = json.loads(files(__package__).joinpath("currencies.json").read_text(encoding="utf-8"))
    return {**tables["ended"], **tables["current"]}


def digits(currency: str) -> int:
    """Returns how many digits the minor units have; raises ValueError for an unknown currency."""
    try:
        return _table()[currency]
    except KeyError:
        raise ValueError("no currency that ISO 4217 has or had") from None


def currencies() -> frozenset[str]:
    """Returns every code that a request may have, ended ones included."""
    return frozenset(_table())


def checked_currency(code: str) -> str:
    """Returns the code in capitals; raises ValueError if it never was in ISO 4217."""
    upper = code.upper()
    if upper not in _table():
        raise ValueError("Must be an ISO 4217 currency code, like EUR")
    return upper


def _checked(value: object) -> object:
    """Checks the code first: any error, of its length too, then says what a code is."""
    return checked_currency(value) if isinstance(value, str) else value


CurrencyCode = Annotated[
    str,
    StringConstraints(min_length=3, max_length=3),
    BeforeValidator(_checked),
    Field(json_schema_extra={"format": "iso4217", "examples": ["EUR"]}),
]
"""A currency in a request."""
