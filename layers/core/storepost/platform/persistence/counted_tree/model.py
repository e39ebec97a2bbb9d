"""Entries of a counted tree, the filters whose values its nodes count, and the counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_uppercase
from types import MappingProxyType
from typing import Self
from uuid import UUID

from storepost.platform.persistence.counted_tree.keys import END, LOWEST, id_of

type FilterValue = str | bool | None
type Counts = Counter[str]
"""By attribute of a node: `n` entries, and for each filter value how many entries have it."""

ENTRIES = "n"
UNKNOWN_MARK = "?"
_MARKS = frozenset(ascii_uppercase)
_NO_VALUES: Mapping[str, FilterValue] = MappingProxyType({})


class UnknownValue(str):
    """A value that this release doesn't know; `mark` is its letter in the entry's row."""

    __slots__ = ("mark",)
    mark: str

    def __new__(cls, mark: str) -> Self:
        """Its text is always `unknown`; only the letter distinguishes it from others."""
        value = super().__new__(cls, "unknown")
        value.mark = mark
        return value


@dataclass(frozen=True)
class FilterField:
    """A field with few values, which every node of the tree counts.

    `letter` (a-z) distinguishes its counters from other fields'. `marks` gives each value its own
    letter (A-Z). Rows keep the letters for ever, so a letter never means another value.
    """

    name: str
    letter: str
    marks: Mapping[FilterValue, str]

    def __post_init__(self) -> None:
        """A counter is two ASCII letters: `fA` counts entries of field f with the value of A."""
        if not (len(self.letter) == 1 and "a" <= self.letter <= "z"):
            raise ValueError(f"{self.letter!r} is no letter for {self.name}")
        letters = set(self.marks.values())
        if not letters or len(letters) < len(self.marks) or not letters <= _MARKS:
            raise ValueError(f"{self.name} needs a letter (A-Z) of its own for each value")

    def __hash__(self) -> int:
        """Hashes what distinguishes fields: name and letter."""
        return hash((self.name, self.letter))

    @cached_property
    def values(self) -> tuple[FilterValue, ...]:
        """Returns the values that this release knows."""
        return tuple(self.marks)

    def mark(self, value: FilterValue) -> str:
        """Returns the letter of the value; `?` where only the stored row knows the letter."""
        if isinstance(value, UnknownValue):
            return value.mark
        return self.marks.get(value, UNKNOWN_MARK)

    def value(self, mark: str) -> FilterValue:
        """Returns the value that the letter stands for, or an UnknownValue."""
        return self._by_mark[mark] if mark in self._by_mark else UnknownValue(mark)

    @cached_property
    def _by_mark(self) -> Mapping[str, FilterValue]:
        return {mark: value for value, mark in self.marks.items()}

    def counter(self, value: FilterValue) -> str:
        """Returns the nodes' attribute that counts the value."""
        return self.letter + self.mark(value)

    def among(self, *values: FilterValue) -> "Filter":
        """Returns the filter that keeps the entries with any of the values."""
        return Filter(self, frozenset(values))


@dataclass(frozen=True)
class Filter:
    """A field and the requested ones of its values."""

    field: FilterField
    values: frozenset[FilterValue]

    def __post_init__(self) -> None:
        """Raises ValueError for a value that the field doesn't have: no node would count it."""
        if not self.values <= set(self.field.values):
            raise ValueError(f"{self.field.name} has no such value")

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """Returns the nodes' attributes that count the entries that it keeps."""
        return tuple(sorted(map(self.field.counter, self.values)))

    def keeps(self, entry: "TreeEntry") -> bool:
        """Returns whether the entry has one of the values."""
        return entry.values[self.field.name] in self.values


@dataclass(frozen=True)
class TreeEntry:
    """One row of a list.

    `values` has a value for each of the tree's filter fields, by the fields' names; `payload` is
    what the list's summary shows, any JSON value.
    """

    key: str
    values: Mapping[str, FilterValue] = field(default=_NO_VALUES)
    payload: object = None

    def __post_init__(self) -> None:
        """Raises ValueError for a key outside the bounds of `moment_key` and `text_key`."""
        if not LOWEST < self.key < END:
            raise ValueError("the key of an entry stands between `!` and `~`")

    def with_unknown(self, old: "TreeEntry", stored: "TreeEntry") -> "TreeEntry":
        """Returns the entry with `stored`'s filter values where it has the same values as `old`.

        `stored` is the row that `old` describes. So a value of another release keeps its letter,
        which only the stored row has.
        """
        if stored is old:
            return self
        unchanged = {
            n: stored.values[n] for n, value in self.values.items() if old.values[n] == value
        }
        return replace(self, values={**self.values, **unchanged})

    @property
    def id(self) -> UUID:
        """Returns the identifier at the end of the key."""
        return id_of(self.key)


def marks(entry: TreeEntry, fields: Iterable[FilterField]) -> str:
    """Returns the entry's filter values as one letter for each field, as its row holds them."""
    return "".join(f.mark(entry.values[f.name]) for f in fields)


def values_of(marked: str, fields: Iterable[FilterField]) -> dict[str, FilterValue]:
    """Returns the filter values that `marks` wrote."""
    return {f.name: f.value(mark) for f, mark in _pairs(fields, marked)}


def counts_of(entry: TreeEntry | None, fields: Sequence[FilterField]) -> Counts:
    """Returns what an entry adds to the nodes above it; nothing for None."""
    if entry is None:
        return Counter()
    return counts_of_marks(marks(entry, fields), fields)


def counts_of_marks(marked: str | None, fields: Iterable[FilterField]) -> Counts:
    """Returns what `counts_of` does, from the letters that `marks` wrote; None means no entry."""
    if marked is None:
        return Counter()
    pairs = _pairs(fields, marked)
    return Counter({ENTRIES: 1} | {f.letter + mark: 1 for f, mark in pairs if mark})


def _pairs(fields: Iterable[FilterField], marked: str) -> Iterator[tuple[FilterField, str]]:
    """Returns each field with its letter, without further letters of a later release.

    A row that is older than a field has no letter for it.
    """
    letters = iter(marked)
    return ((each, next(letters, "")) for each in fields)


def total(counts: Iterable[Counts]) -> Counts:
    """Returns the sum of counts; unlike `+` it keeps negative ones."""
    result: Counts = Counter()
    for each in counts:
        # A load sums up thousands of counts, for which `update` takes four times as long.
        for name, n in each.items():
            result[name] = result.get(name, 0) + n
    return result


def nonzero(counts: Iterable[Counts]) -> Counts:
    """Returns the sum of counts, without zeros."""
    return Counter({name: n for name, n in total(counts).items() if n})


def difference(counts: Counts, less: Counts) -> Counts:
    """Returns what must be added to `less` to get `counts`, without zeros."""
    return nonzero((counts, negative(less))) if less else nonzero((counts,))


def negative(counts: Counts) -> Counts:
    """Returns the counts with the opposite sign."""
    return Counter({name: -n for name, n in counts.items()})
