"""Writes entries: each is one row, whether its leaf has a page or not.

Where the leaf has a page, the row overrides what the page says, and a deleted entry becomes a
tombstone. The page isn't read to see which entries it has: the caller has a record of its own,
whose version says what is listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.model import TreeEntry
from storepost.platform.persistence.counted_tree.node_writes import Addition
from storepost.platform.persistence.counted_tree.rows import Rows


@dataclass(frozen=True)
class EntryChange:
    """Holds the change of one key: the entry that is stored, and the entry that replaces it."""

    before: TreeEntry | None
    after: TreeEntry | None
    on_conflict: Exception | None


@dataclass(frozen=True)
class EntryWrites:
    """Writes the entries of one unit."""

    rows: Rows
    changes: Changes

    def write(self, key: str, change: EntryChange, leaves: Sequence[Addition]) -> None:
        """Writes one key's change; `leaves` are the leaves that the unit writes to.

        They include the leaf above the key, if the unit writes to it. A leaf that the unit doesn't
        write to may get a page before the commit.
        """
        may_be_packed = bool(self.rows.packing) and not any(
            key in leaf.node.range and leaf.node.page is None for leaf in leaves
        )
        before, after, on_conflict = change.before, change.after, change.on_conflict
        if before is None:
            if after is not None:
                item = self.rows.entry_item(after)
                self.changes.save(item, self.rows.has_none(), on_conflict)
            return
        holds = self.rows.may_hold(before) if may_be_packed else self.rows.holds(before)
        if after is not None:
            self.changes.save(self.rows.entry_item(after), holds, on_conflict)
        elif may_be_packed:
            self.changes.save(self.rows.tombstone_item(before.key), holds, on_conflict)
        else:
            self.changes.delete(self.rows.entry_item(before), holds, on_conflict)

    def withdraw(self, key: str) -> None:
        """Takes back the write that `write` added for the key."""
        self.changes.withdraw(self.rows.tombstone_item(key))
