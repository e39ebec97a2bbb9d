"""What a shop has no more, though nobody told: found by what its whole export doesn't have.

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
from storepost.sync.pulls.spool import Spool
from storepost.sync.pulls.swept import SWEPT
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
    until: str | None
    """The key of the page's last entry; None behind the list's end."""


class Sweep:
    """A store's records beside a whole export of them."""

    def __init__(
        self,
        store: Store,
        stage: ImportStage,
        spool: Spool,
        began: datetime,
        after: str | None,
        *,
        shows_all: bool,
    ) -> None:
        """The export began then, by the shop's clock, and has what comes behind the id `after`.

        `shows_all` is false where orders are those of the window alone.
        """
        self._swept = SWEPT[stage](store)
        self._spool = spool
        self._began = began
        ids = [int(after or 0) + 1]
        self._window = None if shows_all else began - WINDOW
        if self._window is not None:
            # Ids ascend: what is below the first of the window may lie before it.
            ids.append(min(map(_number, spool.ids()), default=2**64))
        self._least = max(ids)
        spool.mark(map(self._swept.mark, map(_external, spool.ids())))

    def missing(self, behind: str | None) -> MissingRecords:
        """Returns what the next page lacks: of the entries behind a key,
        or from the list's beginning.
        """
        first = moments(self._window).lo if behind is None else behind + LOWEST
        entries = self._swept.tree.first(KeyRange(first), PAGE)
        if not entries:
            return MissingRecords([], None)
        named = self._swept.missing(entries, self._spool.is_marked)
        lacking = [each for each in named if int(each) >= self._least]
        return MissingRecords(lacking, entries[-1].key)

    def delete(self, changes: Changes, external_id: str) -> bool:
        """Deletes what is missing, if it is older than the export; returns whether it is."""
        updated_at = self._swept.updated_at(external_id, changes)
        if updated_at is None or updated_at >= self._began - INDEX_DELAY:
            return False
        self._swept.delete(external_id, changes, self._began)
        return True


def _external(gid: str) -> str:
    return id_of(gid) or "0"


def _number(gid: str) -> int:
    return int(_external(gid))
