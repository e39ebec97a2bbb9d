"""Entries of a counted tree, the filters whose values its nodes count, and the counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from uuid import UUID

from storepost.platform.persistence.counted_tree.keys import END, LOWEST, id_of

type FilterValue = str | bool | None
type Counts = Counter[str]
"""By the nodes' attributes: `n` entries, and for each value of each filter how many have it."""

ENTRIES = "n"
_FIRST_MARK = ord("A")
_MAX_VALUES = 26
_NO_VALUES: Mapping[str, FilterValue] = MappingProxyType({})


@dataclass(frozen=True)
class FilterField:
    """A field with few values, which every node of the tree counts.

    `letter` (a-z) tells its counters from other fields'; a value's counter follows from its place
    in `values`, so values are only ever added, at the end.
    """

    name: str
    letter: str
    values: tuple[FilterValue, ...]

    def __post_init__(self) -> None:
        """A counter is two ASCII letters: `fA` counts field f's first value."""
        if not (len(self.letter) == 1 and "a" <= self.letter <= "z"):
            raise ValueError(f"{self.letter!r} is no letter for {self.name}")
        if not 0 < len(self.values) <= _MAX_VALUES:
            raise ValueError(f"{self.name} has {len(self.values)} values")

    def mark(self, value: FilterValue) -> str:
        """The letter that stands for the value."""
        return chr(_FIRST_MARK + self.values.index(value))

    def value(self, mark: str) -> FilterValue:
        """The value that the letter stands for."""
        return self.values[ord(mark) - _FIRST_MARK]

    def counter(self, value: FilterValue) -> str:
        """The nodes' attribute that counts the value."""
        return self.letter + self.mark(value)

    def among(self, *values: FilterValue) -> "Filter":
        """Keeps the entries that have one of the values."""
        return Filter(self, frozenset(values))


@dataclass(frozen=True)
class Filter:
    """A field and those of its values that are asked for."""

    field: FilterField
    values: frozenset[FilterValue]

    def __post_init__(self) -> None:
        """Values that the field doesn't have would be counted nowhere."""
        if not self.values <= set(self.field.values):
            raise ValueError(f"{self.field.name} has no such value")

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """The nodes' attributes that count what it keeps."""
        return tuple(sorted(map(self.field.counter, self.values)))

    def keeps(self, entry: "TreeEntry") -> bool:
        """Whether the entry has one of the values."""
        return entry.values[self.field.name] in self.values


@dataclass(frozen=True)
class TreeEntry:
    """One row of a list.

    `values` has a value for each of the tree's filter fields, by the fields' names; `payload` is
    what the list's summary shows, anything that JSON can hold.
    """

    key: str
    values: Mapping[str, FilterValue] = field(default=_NO_VALUES)
    payload: object = None

    def __post_init__(self) -> None:
        """Keys come from `moment_key` and `text_key`, or sort between the same bounds."""
        if not LOWEST < self.key < END:
            raise ValueError("the key of an entry stands between `!` and `~`")

    @property
    def id(self) -> UUID:
        """The identifier at the end of the key."""
        return id_of(self.key)


def marks(entry: TreeEntry, fields: Iterable[FilterField]) -> str:
    """The entry's filter values as one letter a field, as its row holds them."""
    return "".join(f.mark(entry.values[f.name]) for f in fields)


def values_of(marked: str, fields: Iterable[FilterField]) -> dict[str, FilterValue]:
    """The filter values that `marks` wrote."""
    return {f.name: f.value(mark) for f, mark in zip(fields, marked, strict=True)}


def counts_of(entry: TreeEntry | None, fields: Iterable[FilterField]) -> Counts:
    """What an entry adds to the nodes above it; nothing where there is none."""
    if entry is None:
        return Counter()
    return Counter({ENTRIES: 1} | {f.counter(entry.values[f.name]): 1 for f in fields})


def counts_of_marks(marked: str | None, fields: Iterable[FilterField]) -> Counts:
    """As `counts_of`, of the letters that `marks` wrote; None stands for no entry."""
    if marked is None:
        return Counter()
    pairs = zip(fields, marked, strict=True)
    return Counter({ENTRIES: 1} | {f.letter + mark: 1 for f, mark in pairs})


def total(counts: Iterable[Counts]) -> Counts:
    """The sum of counts; unlike `+` it keeps what is negative."""
    result: Counts = Counter()
    for each in counts:
        result.update(each)
    return result


def nonzero(counts: Iterable[Counts]) -> Counts:
    """The sum of counts, without zeros."""
    return Counter({name: n for name, n in total(counts).items() if n})


def difference(counts: Counts, less: Counts) -> Counts:
    """What must be added to `less` to get `counts`, without zeros."""
    return nonzero((counts, negative(less)))


def negative(counts: Counts) -> Counts:
    """The same with the other sign."""
    return Counter({name: -n for name, n in counts.items()})
