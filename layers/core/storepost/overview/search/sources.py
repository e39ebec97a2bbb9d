"""Which rows are searched, and by which of their values."""

from collections.abc import Callable

from storepost.catalog.products.rows import ProductItem, as_product
from storepost.coupons.model import CouponStatus
from storepost.coupons.rows import CouponItem
from storepost.feeds.feeds.rows import FeedItem
from storepost.orders.repository import OrderItem
from storepost.people.profiles.rows import ProfileItem
from storepost.people.profiles.searching import searched
from storepost.people.suppressions.rows import SuppressionItem
from storepost.platform.persistence.item import Item
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.stores.stores.repository import StoreItem


def _order(row: OrderItem) -> SearchEntry | None:
    if row.deleted_at is not None or row.number is None or row.placed_at is None:
        return None
    return SearchEntry(SearchKind.ORDER, row.id, row.number, row.placed_at, keys=(row.number,))


def _product(row: ProductItem) -> SearchEntry:
    """Returns its words in every locale; a removed product is found by its id and SKUs alone."""
    product = as_product(row)
    return SearchEntry(
        SearchKind.PRODUCT,
        product.id,
        product.summary.title or product.external_id,
        product.added_at,
        texts=tuple(product.texts),
        keys=(product.external_id,),
        codes=product.skus,
        is_hidden=product.removed_at is not None,
    )


def _coupon(row: CouponItem) -> SearchEntry:
    """Returns its name; an archived coupon is found by its id and its codes alone."""
    hidden = row.status == CouponStatus.ARCHIVED
    return SearchEntry(SearchKind.COUPON, row.id, row.name, row.created_at, is_hidden=hidden)


def _feed(row: FeedItem) -> SearchEntry | None:
    if row.deleted_at is not None:
        return None
    return SearchEntry(SearchKind.FEED, row.id, row.name, row.created_at, texts=(row.url,))


def _store(row: StoreItem) -> SearchEntry:
    return SearchEntry(
        SearchKind.STORE, row.id, row.name, row.connected_at, texts=(row.external_id,)
    )


def _suppression(row: SuppressionItem) -> SearchEntry | None:
    """Returns its address, which is known until the person is erased."""
    if row.address is None:
        return None
    keys = (row.address,)
    return SearchEntry(SearchKind.SUPPRESSION, row.id, row.address, row.created_at, keys=keys)


SOURCES: dict[type[Item], tuple[SearchKind, Callable[..., SearchEntry | None]]] = {
    ProfileItem: (SearchKind.PROFILE, searched),
    OrderItem: (SearchKind.ORDER, _order),
    ProductItem: (SearchKind.PRODUCT, _product),
    CouponItem: (SearchKind.COUPON, _coupon),
    FeedItem: (SearchKind.FEED, _feed),
    StoreItem: (SearchKind.STORE, _store),
    SuppressionItem: (SearchKind.SUPPRESSION, _suppression),
}
"""For each kind of row the kind of result, and the searched values; None for a row that nobody is
to find.
"""


def entry_of(row: Item | None) -> SearchEntry | None:
    """Returns the searched values of a row."""
    source = SOURCES.get(type(row)) if row else None
    return source[1](row) if source else None
