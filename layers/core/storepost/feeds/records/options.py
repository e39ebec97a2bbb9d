"""A variant's options, in the ways that exports spell them.

Google's columns are named after their options. Others have a pair of columns, one with names and
one with values: `Option1 Name` and `Option1 Value` (Shopify), `Attribute 1 name` and `Attribute 1
value(s)` (WooCommerce), `optionGroups` and `optionValues` (Vendure: lists), `Attribute
(Name:Type:Position)*` and `Value (Value:Position)*` (PrestaShop: lists). Others have both in one
cell: `[S]Size=Small,[C]Color=Red` and `Name=Size|Value=Small` (BigCommerce).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storepost.feeds.records.mapping import FeedField, FeedMapping
from storepost.feeds.records.values import MAX_TEXT

OPTIONS = {
    FeedField.COLOR: "Color",
    FeedField.SIZE: "Size",
    FeedField.MATERIAL: "Material",
    FeedField.PATTERN: "Pattern",
}
MAX_OPTIONS = 10

type Option = tuple[str, str]
"""A name and a value."""

_PLACED = re.compile(r"(?P<of>.*variants?\.)option(?P<place>[1-9])", re.IGNORECASE)
_TYPED = re.compile(r"\[\w{1,3}\](?P<name>[^=,\[\]]+)=(?P<value>[^,]*)")
_NAMED = re.compile(r"Name=(?P<name>[^|=]*)\|Value=(?P<value>[^|;]*)", re.IGNORECASE)
_POSITION = re.compile(r":\d+$")
_NONE = {("title", "default title"), ("title", "default"), ("default", "default")}


@dataclass(frozen=True)
class _Column:
    """A column with values, and where their names are."""

    name: str
    label: str
    names: tuple[str, ...]
    """Columns that may have the names, of which the first counts; empty if the label is the name.
    """
    place: int | None = None
    """Which of the names in a list is its own."""


class Options:
    """Reads options of rows under one mapping."""

    def __init__(self, mapping: FeedMapping) -> None:
        """Options keep the mapping's order."""
        self._columns = [
            _column(column, OPTIONS[FeedField(target)])
            for column, target in mapping.items()
            if target in OPTIONS
        ]

        self._chosen = [each for each in self._columns if not each.name.lower().endswith("(s)")]

    def __bool__(self) -> bool:
        """Whether any column has options."""
        return bool(self._columns)

    def names(self, cells: Mapping[str, str]) -> dict[str, str]:
        """Returns the cells of columns with names; the next rows of a group leave them empty."""
        columns = {name for column in self._columns for name in column.names}
        return {name: cells[name] for name in columns if cells.get(name, "").strip()}

    def read(
        self, cells: Mapping[str, str], names: Mapping[str, str], *, in_group: bool
    ) -> list[Option]:
        """Returns the row's options, each name once. `names` are those of the row and its group.

        Attributes of a product that is in no group aren't options.
        """
        found: dict[str, str] = {}
        for column in self._columns if in_group else self._chosen:
            for name, value in _of_cell(column, cells.get(column.name, "").strip(), names):
                if name and value and (name.lower(), value.lower()) not in _NONE:
                    found.setdefault(name[:MAX_TEXT], value[:MAX_TEXT])
        return list(found.items())[:MAX_OPTIONS]


def options_in(text: str) -> list[Option]:
    """Returns the options that a cell has with their names, as BigCommerce writes them."""
    found = [*_TYPED.finditer(text), *_NAMED.finditer(text)]
    return [(each["name"].strip(), each["value"].strip()) for each in found[:MAX_OPTIONS]]


def _of_cell(column: _Column, text: str, names: Mapping[str, str]) -> Iterable[Option]:
    if not text or not column.names:
        return options_in(text) or ([(column.label, text)] if text else [])
    named = next((names[name] for name in column.names if name in names), "")
    if column.place is not None:
        listed = named.split(",")
        named = listed[column.place].strip() if column.place < len(listed) else ""
        return [(named or column.label, text)]
    if ":" in named:  # PrestaShop's: names with their types, values with their positions
        return zip(_bare(named), _bare(text), strict=False)
    if "|" in named or "|" in text:
        return zip(_parts(named, "|"), _parts(text, "|"), strict=False)
    return [(named.strip() or column.label, text)]


def _bare(text: str) -> list[str]:
    parts = _parts(text, ",")
    return [_POSITION.sub("", part).split(":")[0].strip() for part in parts]


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]


def _column(name: str, label: str) -> _Column:
    if placed := _PLACED.fullmatch(name):
        of = placed["of"].rpartition("variants.")[0] or ""
        return _Column(name, label, (f"{of}options.name", "options.name"), int(placed["place"]) - 1)
    return _Column(name, label, names_column(name))


def is_pair(column: str) -> bool:
    """Returns whether this column has the values of options whose names another column has."""
    return bool(names_column(column)) or _PLACED.fullmatch(column) is not None


def names_column(column: str) -> tuple[str, ...]:
    """Returns the columns that may have the names of the options whose values this one has."""
    lower = column.lower()
    if lower.startswith("value (value:position)"):
        names = ("Attribute (Name:Type:Position)*", "Attribute (Name:Type:Position)")
        return (*names, *map(str.lower, names), *map(str.upper, names))
    if lower.endswith("optionvalues"):
        named = re.sub("optionvalues", "optionGroups", column, flags=re.IGNORECASE)
        return (named, named.lower(), named.upper())
    pair = re.fullmatch(r"(.*\d\s*[ _.-]?)(value)(?:s|\(s\))?", column, re.IGNORECASE)
    if pair is None:
        return ()
    name = "Name" if pair[2][0].isupper() else "name"
    return (f"{pair[1]}{'NAME' if pair[2].isupper() else name}",)
