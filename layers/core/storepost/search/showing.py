"""Results as people know them: read anew, so that nothing is shown that is gone by now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.orders.keys import order_key
from storepost.orders.repository import OrderItem
from storepost.persistence.item import Item, Key, find_all, find_in
from storepost.profiles.keys import profile_key
from storepost.profiles.rows import ProfileItem, ProfileRow
from storepost.scope import WorkspaceScope
from storepost.search.entries import SearchKind
from storepost.search.sources import entry_of
from storepost.stores.repository import StoreItem, store_key

type Rows = Mapping[Key, Item]


@dataclass(frozen=True)
class Image:
    """A picture of a result."""

    url: str
    alt: str | None


@dataclass(frozen=True)
class Result:
    """A result as it is shown."""

    kind: SearchKind
    id: UUID
    title: str
    detail: str | None = None
    image: Image | None = None
    platform: str | None = None


def key_of(workspace: WorkspaceScope, kind: SearchKind, entry_id: UUID) -> Key:
    """Where the row of an entry stands."""
    return _KEYS[kind](workspace, entry_id)


def results_of(
    workspace: WorkspaceScope, named: Iterable[tuple[SearchKind, UUID]]
) -> dict[tuple[SearchKind, UUID], Result]:
    """The results of those of the entries that can still be found."""
    keys = {each: key_of(workspace, *each) for each in named if each[0] in _KEYS}
    rows = find_all(keys.values())
    rows |= find_all(_beside(workspace, rows.values()))
    shown = ((each, _result(workspace, rows, rows.get(key))) for each, key in keys.items())
    return {each: result for each, result in shown if result}


def _beside(workspace: WorkspaceScope, rows: Iterable[Item]) -> Iterable[Key]:
    """What is read besides: orders' stores and buyers."""
    for row in rows:
        if isinstance(row, OrderItem):
            yield store_key(workspace, row.store_id)
            if row.profile_id:
                yield profile_key(workspace, row.profile_id)


def _result(workspace: WorkspaceScope, rows: Rows, row: Item | None) -> Result | None:
    entry = entry_of(row)
    if entry is None:
        return None
    if isinstance(row, OrderItem):
        platform = _platform(workspace, rows, row.store_id)
        return Result(
            entry.kind, entry.id, entry.title, _buyer(workspace, rows, row), None, platform
        )
    if isinstance(row, StoreItem):
        return Result(entry.kind, entry.id, entry.title, row.external_id, None, row.platform)
    if isinstance(row, ProfileItem):
        detail = next((key for key in entry.keys if key != entry.title), None)
        return Result(entry.kind, entry.id, entry.title or str(entry.id), detail)
    return Result(entry.kind, entry.id, entry.title)


def _platform(workspace: WorkspaceScope, rows: Rows, store_id: UUID) -> str | None:
    store = find_in(dict(rows), StoreItem, store_key(workspace, store_id))
    return store.platform if store else None


def _buyer(workspace: WorkspaceScope, rows: Rows, order: OrderItem) -> str | None:
    """Who bought, by name or else by address."""
    if order.profile_id is None:
        return None
    row = find_in(dict(rows), ProfileRow, profile_key(workspace, order.profile_id))
    entry = entry_of(row)
    return entry.title or None if entry else None


_KEYS = {
    SearchKind.PROFILE: profile_key,
    SearchKind.ORDER: order_key,
    SearchKind.STORE: store_key,
}
