"""What a file's beginning shows of its columns: decimal separators, kinds of values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from storepost.feeds.files.reading import Row
from storepost.feeds.records import values
from storepost.feeds.records.amounts import FeedDefaults
from storepost.feeds.records.images import image_addresses
from storepost.feeds.records.mapping import FeedField, FeedMapping
from storepost.feeds.records.numbers import decimal_point, point_before_zeros
from storepost.feeds.records.prices import read_price
from storepost.feeds.records.reading import RowReader

MAX_ROWS = 1_000
"""Rows by which a file's decimal separators are found."""
MAX_LENGTH = 4 * 1024**2
"""Characters of those rows."""
MAX_VALUES = 200
"""Values of a column that are examined."""
_NUMBERS = (FeedField.PRICE, FeedField.SALE_PRICE, FeedField.QUANTITY)
_IMAGE = re.compile(r"https?://\S+\.(?:jpe?g|png|webp|gif|avif)(?:[?#]\S*)?", re.IGNORECASE)
_CODE = re.compile(r"\d{8}|\d{12,14}")
_AMOUNT = re.compile(r"\D{0,6}\d[\d.,\s]*[.,]\d\d\D{0,6}|[€$£¥]\s?\d+|\d+\s?(?:[€$£¥]|[A-Z]{3})")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_KINDS = frozenset({"simple", "variable", "variation", "configurable", "virtual", "p", "d"})
_COMPARED_LENGTH = 100
"""Characters of a value that are looked at, unless it is an address."""


@dataclass(frozen=True)
class Column:
    """Holds some values of a column of a sample."""

    name: str
    values: tuple[str, ...] = ()
    """Some of its values that aren't empty."""
    filled: int = 0
    """How many rows have a value in it."""
    is_unique: bool = True
    """Whether no two rows have the same value."""

    def mostly(self, test: Callable[[str], object]) -> bool:
        """Returns whether more than half of the values pass a test."""
        return sum(1 for each in self.values if test(each)) * 2 > len(self.values)


def columns_of(names: Iterable[str], rows: Sequence[Mapping[str, str]]) -> dict[str, Column]:
    """Returns the columns of a sample's rows by their names."""
    return {name: _column(name, rows) for name in names}


def _column(name: str, rows: Sequence[Mapping[str, str]]) -> Column:
    texts = [text for row in rows if (text := row.get(name, "").strip())]
    different = {text[:_COMPARED_LENGTH] for text in texts}
    return Column(name, tuple(texts[:MAX_VALUES]), len(texts), len(different) == len(texts))


def is_address(text: str) -> bool:
    """Returns whether it is a web address."""
    return values.address(text) is not None


def is_page(text: str) -> bool:
    """Returns whether it is the address of something other than an image."""
    return is_address(text) and not is_image(text)


def is_image(text: str) -> bool:
    """Returns whether it is the address of an image, by its ending."""
    return is_address(text) and _IMAGE.fullmatch(text) is not None


def is_amount(text: str) -> bool:
    """Returns whether it looks like a price: with a sign, a code or two decimals."""
    return len(text) < 30 and _AMOUNT.fullmatch(text) is not None


def is_article_code(text: str) -> bool:
    """Returns whether it is a GTIN, by its length and its last digit."""
    if not _CODE.fullmatch(text):
        return False
    digits = [int(each) for each in reversed(text)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def _may_be_code(text: str) -> bool:
    return text.replace("-", "").replace(" ", "").strip("'=\"").isalnum()


def _is_title(text: str) -> bool:
    return not is_address(text) and any(map(str.isalpha, text))


_LOOKS: Mapping[str, Callable[[str], object]] = {
    FeedField.LINK: is_address,
    FeedField.IMAGE_LINK: image_addresses,
    FeedField.ADDITIONAL_IMAGE_LINK: image_addresses,
    FeedField.PRICE: lambda text: read_price(text, "USD"),
    FeedField.SALE_PRICE: lambda text: read_price(text, "USD"),
    FeedField.QUANTITY: lambda text: values.quantity(text) is not None,
    FeedField.AVAILABILITY: lambda text: values.availability(text) or text[:1].isdigit(),
    FeedField.GTIN: lambda text: _may_be_code(values.first_code(text)),
    FeedField.LOCALE: _LANGUAGE.fullmatch,
    FeedField.TITLE: _is_title,
    FeedField.PRODUCT_TYPE: lambda text: not text.isdigit() and text.strip().lower() not in _KINDS,
    FeedField.COLOR: lambda text: len(text) < _COMPARED_LENGTH and not is_address(text),
    FeedField.SIZE: lambda text: len(text) < _COMPARED_LENGTH and not is_address(text),
}


def looks_like(column: Column, target: str) -> bool:
    """Returns whether a column's values fit the target; one without values fits any."""
    look = _LOOKS.get(target)
    return look is None or not column.values or column.mostly(look)


def reader_of(
    rows: Iterator[Row], mapping: FeedMapping, defaults: FeedDefaults
) -> tuple[RowReader, Iterator[Row]]:
    """Returns the reader of a file's rows, and all rows from the first on."""
    head, length = list[Row](), 0
    for row in rows:
        head.append(row)
        length += sum(map(len, (row.cells or {}).values()))
        if len(head) >= MAX_ROWS or length >= MAX_LENGTH:
            break
    points = {
        column: point
        for column, target in mapping.items()
        if target in _NUMBERS and (point := _point(head, column, target))
    }
    return RowReader(mapping, defaults, points), chain(head, rows)


def _point(rows: list[Row], column: str, target: str) -> str | None:
    texts = [row.cells[column] for row in rows if row.cells and column in row.cells]
    point = decimal_point(texts)
    return point_before_zeros(texts) if not point and target == FeedField.QUANTITY else point
