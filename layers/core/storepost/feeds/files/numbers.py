"""Numbers that a file has as such, told apart from text that looks like one."""

from decimal import Decimal

_MAX_PLACES = 40


class Number(str):
    """A JSON number in plain decimal notation: its point is the decimal one."""

    __slots__ = ()


def number_of(value: float | Decimal) -> Number:
    """The number as text; one of far too many zeros keeps its exponent."""
    if isinstance(value, Decimal) and abs(value.adjusted()) <= _MAX_PLACES:
        return Number(format(value, "f"))
    return Number(value)
