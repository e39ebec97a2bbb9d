"""Results for answers: their rows are read again, so that nothing is shown that is gone by now."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from storepost.catalog.products.keys import product_key
from storepost.catalog.products.rows import ProductItem, as_product
from storepost.catalog.products.staged import without_unlisted
from storepost.coupons.keys import coupon_key
from storepost.coupons.rows import CouponItem
from storepost.feeds.feeds.keys import feed_key
from storepost.feeds.feeds.rows import FeedItem
from storepost.orders.keys import order_key
from storepost.orders.repository import OrderItem
from storepost.overview.search.sources import entry_of
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.rows import ProfileItem
from storepost.people.suppressions.keys import suppression_key
from storepost.people.suppressions.rows import SuppressionItem
from storepost.platform.persistence.item import Item, Key, find_all
from storepost.platform.postings.entries import SearchKind
from storepost.stores.stores.repository import StoreItem, store_key
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
    rows |= find_all(key for row in rows.values() for key in _keys_beside(workspace, row) if key)
    results = ((each, _result(workspace, rows, rows.get(key))) for each, key in keys.items())
    return {each: result for each, result in results if result}


def _keys_beside(workspace: WorkspaceScope, row: Item) -> tuple[Key | None, Key | None]:
    """Returns the keys of the row's store and of an order's buyer."""
    store_id, profile_id = getattr(row, "store_id", None), getattr(row, "profile_id", None)
    return (
        store_key(workspace, store_id) if store_id else None,
        profile_key(workspace, profile_id) if profile_id else None,
    )


def _result(workspace: WorkspaceScope, rows: Rows, row: Item | None) -> Result | None:
    entry = entry_of(row)
    if entry is None or row is None:
        return None
    store, buyer = (rows.get(key) if key else None for key in _keys_beside(workspace, row))
    platform = store.platform if isinstance(store, StoreItem) else None
    bought_by = entry_of(buyer)
    beside = _Beside(platform, bought_by.title if bought_by else None)
    detail, image = _DETAILS[type(row)](row, beside)
    if isinstance(row, StoreItem):
        platform = row.platform
    return Result(
        entry.kind, entry.id, entry.title or str(entry.id), detail or None, image, platform
    )


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
    return row.status, None


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
