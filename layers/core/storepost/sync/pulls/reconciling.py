"""Deletes records that a shop's complete export lacks, as no webhook reported their deletion.

The store's own list is read a page at a time and compared with the export's ids, which are on disk.
A missing record is deleted as a webhook would delete it, except those that may be newer than the
export, and those that the export can't have (docs/adr/0063).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.keys import LOWEST, KeyRange, moments
from storepost.stores.imports.model import ImportStage
from storepost.stores.stores.model import Store
from storepost.sync.pulls.reconciled_lists import RECONCILED_LISTS
from storepost.sync.pulls.spool import Spool
from storepost.sync.records.reading import id_of

PAGE = 1000
"""Entries of the store's list that are compared together."""

INDEX_DELAY = timedelta(minutes=15)
"""The shop's index may not have had changes from this long before the export."""

WINDOW = timedelta(days=60)
"""The age of orders that are exported without the scope for all orders."""


@dataclass(frozen=True)
class MissingRecords:
    """Records on a page of the store's list that the export lacks."""

    external_ids: list[str]
    last_key: str | None
    """The key of the page's last entry; None after the list's end."""


class Sweep:
    """Compares a store's records with a complete export of them."""

    def __init__(
        self,
        store: Store,
        stage: ImportStage,
        spool: Spool,
        started_at: datetime,
        after: str | None,
        *,
        shows_all: bool,
    ) -> None:
        """`started_at` is the export's start by the shop's clock; it has the records after `after`.

        `shows_all` is false where it only has orders of the window.
        """
        self._list = RECONCILED_LISTS[stage](store)
        self._spool = spool
        self._started_at = started_at
        bounds = [int(after or 0) + 1]
        self._window = None if shows_all else started_at - WINDOW
        if self._window is not None:
            # Ids ascend: a record below the first of the window may be older than the window.
            bounds.append(min(map(_number, spool.ids()), default=2**64))
        self._min_id = max(bounds)
        spool.mark(map(self._list.mark, map(_external, spool.ids())))

    def missing(self, behind: str | None) -> MissingRecords:
        """Returns the records on the next page that the export lacks.

        The page is after the key `behind`, or at the list's beginning.
        """
        first = moments(self._window).lo if behind is None else behind + LOWEST
        entries = self._list.tree.first(KeyRange(first), PAGE)
        if not entries:
            return MissingRecords([], None)
        unmarked = self._list.missing(entries, self._spool.is_marked)
        missing = [each for each in unmarked if int(each) >= self._min_id]
        return MissingRecords(missing, entries[-1].key)

    def delete(self, changes: Changes, external_id: str) -> bool:
        """Deletes a missing record, if it is older than the export; returns whether it did."""
        updated_at = self._list.updated_at(external_id, changes)
        if updated_at is None or updated_at >= self._started_at - INDEX_DELAY:
            return False
        self._list.delete(external_id, changes, self._started_at)
        return True


def _external(gid: str) -> str:
    return id_of(gid) or "0"


def _number(gid: str) -> int:
    return int(_external(gid))
