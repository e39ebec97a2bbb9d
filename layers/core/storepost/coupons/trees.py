"""The list of a coupon's codes, in which each node counts the codes of every status."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.coupons.keys import list_partition
from storepost.coupons.model import Code, CodeStatus
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import (
    Filter,
    FilterField,
    Packing,
    Tree,
    TreeEntry,
    moment_key,
)
from storepost.values.scope import WorkspaceScope

STATUS = FilterField(
    "status",
    "s",
    {
        CodeStatus.PENDING: "A",
        CodeStatus.AVAILABLE: "B",
        CodeStatus.ASSIGNED: "C",
        CodeStatus.USED: "D",
        CodeStatus.EXPIRED: "E",
        CodeStatus.FAILED: "F",
    },
)

LEVELS = 2
"""Levels from the first code on: an assignment costs the same, however many codes there are."""

TOP_NODES = 72
"""More than other lists have: concurrent assignments each change a node of the top level."""

PACKING = Packing()


def among(statuses: Collection[CodeStatus]) -> Filter:
    """Returns the filter of codes with these statuses."""
    return STATUS.among(*statuses)


@dataclass(frozen=True)
class CodeList:
    """The codes of a coupon, oldest first; an entry has the code's text for `q`."""

    workspace: WorkspaceScope
    coupon_id: UUID

    @property
    def tree(self) -> Tree:
        """Returns the list's tree."""
        partition = list_partition(self.workspace, self.coupon_id)
        return Tree(partition, (STATUS,), top_nodes=TOP_NODES, levels=LEVELS, packing=PACKING)

    def entry(self, code: Code) -> TreeEntry:
        """Returns the code's entry."""
        key = moment_key(code.created_at, code.id)
        return TreeEntry(key, {STATUS.name: code.status.value}, code.text)

    def update_index(self, changes: Changes, before: Code | None, after: Code | None) -> None:
        """Updates the list after a change of one code."""
        old, new = (self.entry(each) if each else None for each in (before, after))
        self.tree.update_index(changes, old, new)

    def stored(self) -> Mapping[CodeStatus, int]:
        """Returns how many codes of each status are stored."""
        counts = self.tree.counts()
        return {each: counts[STATUS.counter(each.value)] for each in CodeStatus}
