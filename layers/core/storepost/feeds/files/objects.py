"""Turns a JSON object into rows of text: one, or one for each of its variants.

A number stays a number: its point is the decimal one, which isn't certain in a text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from storepost.feeds.files.bounds import MAX_NAME_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable

_VARIANTS = "variants"
_REPEATED_LENGTH = 255
_MAX_CELLS = 500_000
"""Cells of all rows of one product: 250 each for 2,000 variants."""
_AMOUNTS = ("amount", "value", "price")
_CURRENCIES = ("currency", "currencyCode", "currency_code")
_MAX_PLACES = 40


class Number(str):
    """Holds a JSON number in plain decimal notation: its point is the decimal one."""

    __slots__ = ()


def number_of(value: float | Decimal) -> Number:
    """Returns the number as text; one of far too many zeros keeps its exponent."""
    if isinstance(value, Decimal) and abs(value.adjusted()) <= _MAX_PLACES:
        return Number(format(value, "f"))
    return Number(value)


def rows_of(found: object) -> Iterator[dict[str, str]]:
    """Yields the rows: one for each variant with the product's cells, or one without variants.

    Raises FeedUnusable if it is no object, ValueError if names get too long together.
    """
    if not isinstance(found, Mapping):
        raise FeedUnusable(FeedFailure.UNREADABLE)
    variants = _objects_in(found.get(_VARIANTS))
    if not variants:
        yield _row(found)
        return
    product = _row({name: value for name, value in found.items() if name != _VARIANTS})
    yield from variant_rows(product, [_row(each, f"{_VARIANTS}.") for each in variants])


def variant_rows(
    product: dict[str, str], variants: Sequence[dict[str, str]]
) -> Iterator[dict[str, str]]:
    """Yields a row for each variant: its own cells, and those of the product that it leaves out.

    Only the first row has the product's long texts. Raises FeedUnusable for more than half a
    million cells.
    """
    short = {name: text for name, text in product.items() if len(text) <= _REPEATED_LENGTH}
    if len(short) * len(variants) > _MAX_CELLS:
        raise FeedUnusable(FeedFailure.ROW_TOO_LONG)
    for variant in variants:
        yield product | variant
        product = short


def _objects_in(found: object) -> list[Mapping[str, object]]:
    """Returns the objects of a list that contains nothing else; an empty list for anything else."""
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        return []
    return found


def _row(found: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    row = dict[str, str]()
    for key, value in found.items():
        name = f"{prefix}{key}"
        if type(value) is str and len(name) <= MAX_NAME_LENGTH:
            row[name] = value
        else:
            _flatten(row, name, value)
    return row


def _flatten(row: dict[str, str], name: str, value: object) -> None:
    """Adds the cells of a value: a value inside another object has a column `outer.inner`.

    Values inside several objects of a list share one column, joined by commas. An amount with its
    currency is one cell. Raises ValueError if the names around a value get too long together.
    """
    if len(name) > MAX_NAME_LENGTH:
        raise ValueError("a column's name is too long")
    if isinstance(value, Mapping):
        _flatten_object(row, name, value)
    elif objects := _objects_in(value):
        _gather(row, name, objects)
    elif isinstance(value, list):
        row[name] = ",".join(_text(each) for each in value)
    else:
        row[name] = _text(value)


def _flatten_object(row: dict[str, str], name: str, found: Mapping[str, object]) -> None:
    if money := _money(found):
        row[name] = money
        return
    for key, inner in found.items():
        _flatten(row, f"{name}.{key}", inner)


def _gather(row: dict[str, str], name: str, objects: Sequence[Mapping[str, object]]) -> None:
    columns: dict[str, list[str]] = {}
    for each in objects:
        for key, value in _row(each, f"{name}.").items():
            columns.setdefault(key, []).append(value)
    for key, values in columns.items():
        row[key] = values[0] if len(values) == 1 else ",".join(values)


def _money(found: Mapping[str, object]) -> str | None:
    """Returns an amount and its currency, if the object has nothing else."""
    if len(found) != 2:
        return None
    amount = next((found[name] for name in _AMOUNTS if name in found), None)
    currency = next((found[name] for name in _CURRENCIES if name in found), None)
    if not isinstance(currency, str) or amount is None or isinstance(amount, Mapping | list):
        return None
    text = _text(amount)
    if isinstance(text, Number) and len(text.partition(".")[2]) == 3:
        text = Number(f"{text}0")  # so that its point isn't taken for a thousands separator
    return f"{text} {currency}"


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float() | Decimal():
            return number_of(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)
