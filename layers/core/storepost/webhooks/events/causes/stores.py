"""The events of a change of the row of a store, or of an import of a store or a feed."""

from itertools import takewhile

from storepost.feeds.feeds.rows import FeedImportItem
from storepost.platform.persistence.item import Item
from storepost.stores.imports.keys import store_of_turns
from storepost.stores.imports.model import ImportStatus
from storepost.stores.imports.repository import ImportRepository, as_turns
from storepost.stores.imports.rows import ImportItem, ImportTurnsItem
from storepost.stores.imports.turns import LatestImportStatus, Turns
from storepost.stores.stores.model import ConnectionStatus, StoreStatus
from storepost.stores.stores.repository import StoreItem
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.causes.cause import Cause, Comparisons, one_cause
from storepost.webhooks.events.model import Resource

_STORE_IMPORTS = {
    ImportStatus.COMPLETED: "store_import.completed",
    ImportStatus.FAILED: "store_import.failed",
}
# The feeds' model takes longer to import than all else here, so their statuses are texts.
_FEED_IMPORTS = {"completed": "feed_import.completed", "failed": "feed_import.failed"}


def store_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a store's row: connected, disconnected, or to be approved again by the shop."""
    if not isinstance(new, StoreItem):
        return None
    before = old if isinstance(old, StoreItem) else None
    was_active = before is not None and before.status == StoreStatus.ACTIVE
    is_active = new.status == StoreStatus.ACTIVE
    needs_approval = _needs_approval(new) and not (before and _needs_approval(before))
    types = [
        (is_active and not was_active, "store.connected"),
        (was_active and not is_active, "store.disconnected"),
        (is_active and needs_approval, "store.needs_attention"),
    ]
    happened = tuple(name for holds, name in types if holds)
    return Cause(happened, Resource("store", new.id)) if happened else None


def _needs_approval(row: StoreItem) -> bool:
    return bool(row.connection_status == ConnectionStatus.NEEDS_REAUTH)


def turns_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Returns that a store needs attention, if its latest import has just failed.

    The event of a store's disconnection is that of its own row.
    """
    if not isinstance(new, ImportTurnsItem):
        return None
    before, after = _turns(old, new.sk), as_turns(new)
    has_ended = after.ended != before.ended and after.cut_short == before.cut_short
    if after.status is not LatestImportStatus.FAILED or not has_ended:
        return None
    return Cause(("store.needs_attention",), Resource("store", after.store_id))


def cut_short_causes(old: Item | None, new: Item | None) -> list[Cause]:
    """Returns the failures of imports that were queued when their store was disconnected.

    Their own rows still say that they are queued, so they are read here.
    """
    if not isinstance(new, ImportTurnsItem):
        return []
    before, after = _turns(old, new.sk), as_turns(new)
    if after.cut_short == before.cut_short:
        return []
    cut, imports = after.cut_short[-1], ImportRepository(WorkspaceScope.of(new.pk), after.store_id)
    waiting = takewhile(lambda each: each.id <= cut.until, imports.after(before.ended))
    return [
        Cause(
            ("store_import.failed",), Resource("store_import", each.id), {"storeId": after.store_id}
        )
        for each in waiting
        if each.status is ImportStatus.QUEUED
    ]


def _turns(row: Item | None, sort_key: str) -> Turns:
    return as_turns(row) if isinstance(row, ImportTurnsItem) else Turns(store_of_turns(sort_key))


def store_import_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Returns the event of a store's import that has ended."""
    if not isinstance(new, ImportItem) or (
        isinstance(old, ImportItem) and old.status == new.status
    ):
        return None
    name = _STORE_IMPORTS.get(ImportStatus(new.status))
    ids = {"storeId": new.store_id}
    return Cause((name,), Resource("store_import", new.id), ids) if name else None


def feed_import_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Returns the event of a feed's import that has ended."""
    has_same_status = isinstance(old, FeedImportItem) and old.status == getattr(new, "status", None)
    if not isinstance(new, FeedImportItem) or has_same_status:
        return None
    name = _FEED_IMPORTS.get(new.status)
    ids = {"feedId": new.feed_id}
    return Cause((name,), Resource("feed_import", new.id), ids) if name else None


def _turns_causes(old: Item | None, new: Item | None) -> list[Cause]:
    return [*one_cause(turns_cause)(old, new), *cut_short_causes(old, new)]


COMPARISONS: Comparisons = {
    StoreItem: one_cause(store_cause),
    ImportTurnsItem: _turns_causes,
    ImportItem: one_cause(store_import_cause),
    FeedImportItem: one_cause(feed_import_cause),
}
"""The comparisons of these kinds of rows."""
