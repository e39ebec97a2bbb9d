"""Deletes what a shop has no more and sent no webhook for: its complete export doesn't have it.

The store's own list is walked a page at a time beside the export's ids, which are on disk. What is
missing there is deleted as a webhook would delete it, but for what may be younger than the export,
and for what the export can't have (docs/adr/0063).
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
"""Entries of the store's list that are looked at together."""

INDEX_DELAY = timedelta(minutes=15)
"""What was changed so shortly before the export may not have come to the shop's index by then."""

WINDOW = timedelta(days=60)
"""Of orders, without the scope to read all of them."""


@dataclass(frozen=True)
class MissingRecords:
    """Says what a page of the store's list has that the export hasn't."""

    external_ids: list[str]
    last_key: str | None
    """The key of the page's last entry; None behind the list's end."""


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
        """The export has what is behind the id `after`; the shop's clock says when it started.

        `shows_all` is false where orders are those of the window alone.
        """
        self._list = RECONCILED_LISTS[stage](store)
        self._spool = spool
        self._started_at = started_at
        bounds = [int(after or 0) + 1]
        self._window = None if shows_all else started_at - WINDOW
        if self._window is not None:
            # Ids ascend: what is below the first of the window may lie before it.
            bounds.append(min(map(_number, spool.ids()), default=2**64))
        self._min_id = max(bounds)
        spool.mark(map(self._list.mark, map(_external, spool.ids())))

    def missing(self, behind: str | None) -> MissingRecords:
        """Returns what the next page lacks: of the entries behind a key,
        or from the list's beginning.
        """
        first = moments(self._window).lo if behind is None else behind + LOWEST
        entries = self._list.tree.first(KeyRange(first), PAGE)
        if not entries:
            return MissingRecords([], None)
        unmarked = self._list.missing(entries, self._spool.is_marked)
        missing = [each for each in unmarked if int(each) >= self._min_id]
        return MissingRecords(missing, entries[-1].key)

    def delete(self, changes: Changes, external_id: str) -> bool:
        """Deletes what is missing, if it is older than the export; returns whether it is."""
        updated_at = self._list.updated_at(external_id, changes)
        if updated_at is None or updated_at >= self._started_at - INDEX_DELAY:
            return False
        self._list.delete(external_id, changes, self._started_at)
        return True


def _external(gid: str) -> str:
    return id_of(gid) or "0"


def _number(gid: str) -> int:
    return int(_external(gid))
