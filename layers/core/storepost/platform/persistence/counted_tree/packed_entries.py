"""Entries in the form of a page, made once even if several lists have a page with them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.counted_tree.model import (
    Counts,
    FilterField,
    TreeEntry,
    counts_of_marks,
    marks,
)
from storepost.platform.persistence.counted_tree.pages import columns_of
from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import Item, Raw

_CONTENT = Deflated()


@dataclass(frozen=True)
class PackedEntries:
    """Entries in the order of their keys, for lists with these filter fields."""

    entries: Sequence[TreeEntry]
    fields: Sequence[FilterField]

    @cached_property
    def columns(self) -> list[list[Any]]:
        """Returns the keys, the filter values as letters, and the payloads."""
        return columns_of(self.entries, self._marks if self.fields else [])

    @cached_property
    def counts(self) -> Counts:
        """Returns what the entries add to the nodes above them."""
        found: Counts = Counter()
        for marked, times in Counter(self._marks).items():
            for name, count in counts_of_marks(marked, self.fields).items():
                found[name] += count * times
        return found

    def parts(self, max_entries: int) -> list["PackedEntries"]:
        """Returns the entries in the fewest parts of at most `max_entries`, of about equal size."""
        count = ceil(len(self.entries) / max_entries)
        if count not in self._parts:
            bounds = [len(self.entries) * part // count for part in range(count + 1)]
            self._parts[count] = (
                [PackedEntries(self.entries[a:b], self.fields) for a, b in pairwise(bounds)]
                if count > 1
                else [self]
            )
        return self._parts[count]

    @cached_property
    def _parts(self) -> dict[int, list["PackedEntries"]]:
        return {}

    def page(self, partition: str, key: str) -> Raw:
        """Returns the row of a page in DynamoDB's own notation."""
        kind = Item.kind.get_discriminator(PageItem)
        return {
            "pk": {"S": partition},
            "sk": {"S": key},
            "kind": {"S": kind},
            PageItem.entries.attr_name: {"B": self._content},
        }

    @cached_property
    def _marks(self) -> list[str]:
        return [marks(entry, self.fields) for entry in self.entries]

    @cached_property
    def _content(self) -> bytes:
        return _CONTENT.serialize(self.columns)
