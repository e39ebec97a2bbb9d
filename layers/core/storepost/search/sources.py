"""Which rows are searched, and what of them."""

from collections.abc import Callable

from storepost.orders.repository import OrderItem
from storepost.persistence.item import Item
from storepost.profiles.rows import ProfileItem
from storepost.search.entries import Entry, SearchKind
from storepost.stores.repository import StoreItem


def _profile(row: ProfileItem) -> Entry:
    name = " ".join(part for part in (row.first_name, row.last_name) if part)
    keys = tuple(key for key in (row.email, row.phone) if key)
    title = next((text for text in (name, *keys) if text), "")
    return Entry(SearchKind.PROFILE, row.id, title, row.first_seen_at, keys=keys)


def _order(row: OrderItem) -> Entry | None:
    if row.deleted_at is not None or row.number is None or row.placed_at is None:
        return None
    return Entry(SearchKind.ORDER, row.id, row.number, row.placed_at, keys=(row.number,))


def _store(row: StoreItem) -> Entry:
    texts = (row.external_id,)
    return Entry(SearchKind.STORE, row.id, row.name, row.connected_at, texts)


SOURCES: dict[type[Item], Callable[..., Entry | None]] = {
    ProfileItem: _profile,
    OrderItem: _order,
    StoreItem: _store,
}
"""What of each kind of row is searched; None of one that nobody is to find."""


def entry_of(row: Item | None) -> Entry | None:
    """What of the row is searched."""
    source = SOURCES.get(type(row)) if row else None
    return source(row) if source else None
