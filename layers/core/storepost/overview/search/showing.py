"""Results for answers: their rows are read again, so that nothing is shown that is gone by now."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from storepost.catalog.products.keys import product_key
from storepost.catalog.products.rows import ProductItem, as_product
from storepost.catalog.products.staged import without_unlisted
from storepost.coupons.keys import coupon_key
from storepost.coupons.rows import CouponItem, as_coupon
from storepost.feeds.feeds.keys import feed_key
from storepost.feeds.feeds.rows import FeedItem
from storepost.orders.keys import order_key
from storepost.orders.repository import OrderItem
from storepost.overview.search.sources import entry_of
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import MergedProfileItem, ProfileItem
from storepost.people.profiles.searching import searched
from storepost.people.suppressions.keys import suppression_key
from storepost.people.suppressions.rows import SuppressionItem
from storepost.platform.persistence.item import Item, Key, find_all
from storepost.platform.postings.entries import SearchKind
from storepost.stores.stores.repository import StoreItem, store_key
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

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
    at: datetime
    """The newer one comes first among equals."""
    title: str
    detail: str | None = None
    image: Image | None = None
    platform: str | None = None


@dataclass(frozen=True)
class _Beside:
    """What a result shows from other rows."""

    platform: str | None
    buyer: str | None


KEYS: Mapping[SearchKind, Callable[[WorkspaceScope, UUID], Key]] = {
    SearchKind.PROFILE: profile_key,
    SearchKind.ORDER: order_key,
    SearchKind.PRODUCT: product_key,
    SearchKind.COUPON: coupon_key,
    SearchKind.FEED: feed_key,
    SearchKind.STORE: store_key,
    SearchKind.SUPPRESSION: suppression_key,
}
"""Returns the key of an entry's row, by the kind."""


def results_of(
    workspace: WorkspaceScope, named: Iterable[tuple[SearchKind, UUID]]
) -> dict[tuple[SearchKind, UUID], Result]:
    """Returns the results of those of the entries that still exist."""
    keys = {(kind, entry): KEYS[kind](workspace, entry) for kind, entry in named}
    rows = without_unlisted(workspace, find_all(keys.values()))
    beside = find_all(key for row in rows.values() for key in _keys_beside(workspace, row) if key)
    titles = _titles(workspace, beside)
    results = (
        (each, _result(workspace, beside, titles, rows.get(key))) for each, key in keys.items()
    )
    return {each: result for each, result in results if result}


def _titles(workspace: WorkspaceScope, rows: Rows) -> Mapping[Key, str]:
    """The titles of the rows by key; a merged profile's is that of its survivor."""
    merged = {key: row.id for key, row in rows.items() if isinstance(row, MergedProfileItem)}
    survivors = ProfileRepository(workspace).by_id(merged.values()) if merged else {}
    entries = {key: entry_of(row) for key, row in rows.items()}
    entries |= {key: searched(survivors[each]) for key, each in merged.items() if each in survivors}
    return {key: entry.title for key, entry in entries.items() if entry}


def _keys_beside(workspace: WorkspaceScope, row: Item) -> tuple[Key | None, Key | None]:
    """Returns the keys of the row's store and of an order's buyer."""
    store_id, profile_id = getattr(row, "store_id", None), getattr(row, "profile_id", None)
    return (
        store_key(workspace, store_id) if store_id else None,
        profile_key(workspace, profile_id) if profile_id else None,
    )


def _result(
    workspace: WorkspaceScope, rows: Rows, titles: Mapping[Key, str], row: Item | None
) -> Result | None:
    entry = entry_of(row)
    if entry is None or row is None:
        return None
    store_at, buyer_at = _keys_beside(workspace, row)
    store = rows.get(store_at) if store_at else None
    platform = store.platform if isinstance(store, StoreItem) else None
    beside = _Beside(platform, titles.get(buyer_at) if buyer_at else None)
    detail, image = _DETAILS[type(row)](row, beside)
    if isinstance(row, StoreItem):
        platform = row.platform
    title = entry.title or str(entry.id)
    return Result(entry.kind, entry.id, entry.at, title, detail or None, image, platform)


def _of_profile(row: ProfileItem, _beside: _Beside) -> tuple[str | None, None]:
    """Returns the address, unless it is the title."""
    named = row.first_name or row.last_name
    return (row.email or row.phone if named else row.phone if row.email else None), None


def _of_order(_row: OrderItem, beside: _Beside) -> tuple[str | None, None]:
    return beside.buyer, None


def _of_product(row: ProductItem, _beside: _Beside) -> tuple[str | None, Image | None]:
    summary = next(iter(as_product(row).summaries.values()))
    image = summary.image
    cover = Image(str(image["url"]), _text(image.get("alt"))) if image else None
    return summary.vendor, cover


def _of_coupon(row: CouponItem, _beside: _Beside) -> tuple[str | None, None]:
    coupon = as_coupon(WorkspaceScope.of(row.pk), row)
    return coupon.status_at(clock.now()), None


def _of_feed(row: FeedItem, _beside: _Beside) -> tuple[str | None, None]:
    return urlsplit(row.url).hostname, None


def _of_store(row: StoreItem, _beside: _Beside) -> tuple[str | None, None]:
    return row.external_id, None


def _of_suppression(row: SuppressionItem, _beside: _Beside) -> tuple[str | None, None]:
    return "lifted" if row.lifted_at else row.reason, None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_DETAILS: Mapping[type[Item], Callable[..., tuple[str | None, Image | None]]] = {
    ProfileItem: _of_profile,
    OrderItem: _of_order,
    ProductItem: _of_product,
    CouponItem: _of_coupon,
    FeedItem: _of_feed,
    StoreItem: _of_store,
    SuppressionItem: _of_suppression,
}
