"""Defines the rows of a counted tree, and the node that a row holds."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.counted_tree.keys import KeyRange
from storepost.platform.persistence.counted_tree.model import ENTRIES, Counts
from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import Item
from storepost.platform.persistence.records import Json

BEFORE_KEYS = "\x00"
"""Sorts before every character of a key."""

_BETWEEN_PAGES = BEFORE_KEYS * 2

type Raw = dict[str, dict[str, Any]]
"""An item in DynamoDB's own notation."""


class EntryItem(Item, discriminator="entry"):
    """An entry; `marks` holds its filter values, a letter for each of the tree's fields.

    A tombstone says that an entry was deleted since its leaf's page was written.
    """

    marks = UnicodeAttribute(attr_name="f", null=True)
    payload = Json(attr_name="p", null=True)
    is_tombstone = BooleanAttribute(attr_name="x", null=True)


class PageItem(Item, discriminator="page"):
    """Many entries of one leaf: `[keys, marks, payloads]`. A row with the same key overrides it.

    Its sort key is `<lo>\x00<generation>`, which sorts before the keys of all rows of its leaf. The
    leaf's node names the page.
    """

    entries = Deflated(attr_name="z")


class NodeItem(Item, discriminator="node"):
    """A node, with one more number attribute for each value of a filter that it counts.

    `version` grows with every write below the node that could change how it is split. `has_parent`
    says that there is a level above, whose nodes every write must update too. `page` names the
    leaf's pages, oldest first: each by its generation, or by its whole sort key where that begins
    with another key than the leaf does.
    """

    n = NumberAttribute()
    hi = UnicodeAttribute()
    version = NumberAttribute(attr_name="v")
    has_parent = BooleanAttribute(attr_name="up", null=True)
    page = UnicodeAttribute(attr_name="pg", null=True)


class PackedSpanItem(Item, discriminator="packed_span"):
    """Holds the keys between which entries may be in pages: `lo` is inclusive, `hi` exclusive."""

    lo = UnicodeAttribute()
    hi = UnicodeAttribute()


class PendingCountItem(Item, discriminator="pending_count"):
    """Holds the changes of one unit that no node counts yet.

    `changes` has `[key, marks before, marks after]` of each entry. `version` grows when a fold
    counts some of them and leaves others.
    """

    changes = Json(attr_name="d")
    version = NumberAttribute(attr_name="v")


@dataclass(frozen=True)
class Node:
    """Counts the entries from `lo` (inclusive) to `hi` (exclusive)."""

    level: int
    lo: str
    hi: str
    counts: Counts
    version: int
    has_parent: bool
    page: str | None = None

    @property
    def page_keys(self) -> tuple[str, ...]:
        """Returns the sort keys of the leaf's pages; later ones take precedence."""
        names = self.page.split(_BETWEEN_PAGES) if self.page else []
        return tuple(n if BEFORE_KEYS in n else self.lo + BEFORE_KEYS + n for n in names)

    @property
    def writes_since_packed(self) -> int:
        """Returns how often the leaf was written to since its oldest page was; 0 without one."""
        if self.page is None:
            return 0
        oldest = self.page.partition(_BETWEEN_PAGES)[0]
        return self.version - int(oldest.rpartition(BEFORE_KEYS)[2].partition(".")[0])

    @property
    def n(self) -> int:
        """Returns how many entries there are below the node."""
        return self.counts[ENTRIES]

    @property
    def sort_key(self) -> str:
        """Returns the row's sort key."""
        return f"{self.level}{self.lo}"

    @property
    def range(self) -> KeyRange:
        """Returns the range of keys that belong to the node."""
        return KeyRange(self.lo, self.hi)


def is_whole(nodes: Sequence[Node], within: KeyRange) -> bool:
    """Returns whether the nodes follow each other without a gap and cover the range.

    A read during a split may find a gap.
    """
    return (
        bool(nodes)
        and (nodes[0].lo, nodes[-1].hi) == (within.lo, within.hi)
        and all(left.hi == right.lo for left, right in pairwise(nodes))
    )


def pages_named(lo: str, pages: Iterable[str]) -> str | None:
    """Returns the `page` attribute of a leaf at `lo` with these pages, oldest first."""
    return _BETWEEN_PAGES.join(page.removeprefix(lo + BEFORE_KEYS) for page in pages) or None


def as_node(raw: Raw) -> Node:
    """Returns the node that a row holds."""
    sort_key = raw["sk"]["S"]
    return Node(
        level=int(sort_key[0]),
        lo=sort_key[1:],
        hi=raw["hi"]["S"],
        counts=Counter({name: int(v["N"]) for name, v in raw.items() if "N" in v and name != "v"}),
        version=int(raw["v"]["N"]),
        has_parent="up" in raw,
        page=raw["pg"]["S"] if "pg" in raw else None,
    )
