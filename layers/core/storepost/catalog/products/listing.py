"""The list of products: from one list's counters, or by a scan.

externalId                    each store can have one product: its id is derived from that
q                             found by its words' postings; removed products have none
no filter, or a counted one   the list in that order counts it: a page is read by its number
anything else                 the narrowest list is scanned, at most 20,000 rows
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.catalog.products.model import (
    MissingField,
    Product,
    ProductStatus,
    Stock,
    Summary,
    product_id,
)
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.trees import PUBLISHED, STATUS, STOCK, ProductLists
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    moments,
    text_key,
)
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.listing import found_by
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut, is_among, is_within
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class ProductFilter:
    """The filters of a list of products; None doesn't filter."""

    store_id: UUID | None = None
    external_id: str | None = None
    locale: str | None = None
    q: str | None = None
    statuses: Collection[ProductStatus] | None = None
    published: bool | None = None
    stocks: Collection[Stock] | None = None
    vendor: str | None = None
    product_type: str | None = None
    tag: str | None = None
    missing: Collection[MissingField] | None = None
    source_id: UUID | None = None
    """A store or a feed that has the product."""
    changed_from: datetime | None = None
    changed_to: datetime | None = None

    @property
    def changed(self) -> KeyRange:
        """Returns the range of the lists by `changedAt`."""
        return moments(self.changed_from, self.changed_to)

    @property
    def is_dated(self) -> bool:
        """Returns whether it filters by the time of the last change."""
        return bool(self.changed_from or self.changed_to)

    @property
    def counted(self) -> list[Filter]:
        """Returns the filters that the lists' nodes count, in the store's primary locale.

        Status and publication are the same in every locale; the stock, which feeds state, may not
        be.
        """
        statuses = None if self.statuses is None else set(self.statuses) - {ProductStatus.REMOVED}
        published = None if self.published is None else [self.published]
        stocks = None if self.locale else self.stocks
        filters = ((STATUS, statuses), (PUBLISHED, published), (STOCK, stocks))
        return [field.among(*values) for field, values in filters if values is not None]

    @property
    def takes_removed(self) -> bool:
        """Returns whether removed products are requested, which their status alone does."""
        return self.statuses is not None and ProductStatus.REMOVED in self.statuses

    @property
    def takes_live(self) -> bool:
        """Returns whether products that a source still has are requested."""
        return self.statuses is None or set(self.statuses) != {ProductStatus.REMOVED}

    @property
    def reads_products(self) -> bool:
        """Returns whether matching needs the products themselves: no list entry has the fields."""
        criteria = (self.locale, self.q, self.vendor, self.product_type, self.tag, self.missing)
        return any(each is not None for each in (*criteria, self.source_id))

    @property
    def asks_words_alone(self) -> bool:
        """Returns whether `q` is the only filter."""
        return self == ProductFilter(q=self.q)

    @property
    def advised(self) -> str:
        """Returns the query parameter that would narrow the list."""
        if self.store_id is None:
            return "storeId"
        return "changedTo" if self.changed_from else "changedFrom"

    def takes(self, product: Product) -> bool:
        """Returns whether the product matches."""
        if self.locale is not None and self.locale not in product.summaries:
            return False
        if self.q is not None and not matches(self.q, *product.texts, product.external_id):
            return False
        return self._takes_place(product) and self._takes_summary(
            product.summaries[self.locale] if self.locale else product.summary
        )

    def _takes_place(self, product: Product) -> bool:
        if self.store_id and product.store_id != self.store_id:
            return False
        if self.source_id:
            mark = product.layers.get(product_source_id(product.store_id, self.source_id))
            if mark is None or not mark.is_live:
                return False
        return is_within(product.changed_at, self.changed_from, self.changed_to)

    def _takes_summary(self, summary: Summary) -> bool:
        if self.statuses is None and summary.status is ProductStatus.REMOVED:
            return False
        return (
            is_among(summary.status, self.statuses)
            and self.published in {None, summary.published}
            and is_among(summary.stock, self.stocks)
            and self.vendor in {None, summary.vendor}
            and self.product_type in {None, summary.product_type}
            and (self.tag is None or self.tag in summary.tags)
            and (self.missing is None or not set(self.missing).isdisjoint(summary.missing))
        )


def list_products(
    workspace: WorkspaceScope, filters: ProductFilter, sort: str, page: PageRequest
) -> Listing[Product]:
    """Returns a page of products by `title`, `changedAt` or `addedAt`; `-` for descending.

    Raises FilterTooBroad.
    """
    search = _Search(workspace, filters, sort.removeprefix("-"), sort.startswith("-"), page)
    if filters.external_id is not None:
        return _by_external_id(search, filters.external_id)
    if filters.q is not None and filters.asks_words_alone and search.order == "addedAt":
        return _page_of_found(search, filters.q)
    return _from_list(search) or _looked_through(search)


@dataclass(frozen=True)
class _Search:
    """One request for the list."""

    workspace: WorkspaceScope
    filters: ProductFilter
    order: str
    descending: bool
    page: PageRequest

    @property
    def lists(self) -> ProductLists:
        """Returns the workspace's lists, or those of the requested store."""
        return ProductLists(self.workspace, self.filters.store_id)


def _by_external_id(search: _Search, external_id: str) -> Listing[Product]:
    """Returns the products with this external id: each store can have one."""
    only = search.filters.store_id
    stores = [only] if only else [s.id for s in StoreRepository(search.workspace).all()]
    ids = [product_id(store, external_id) for store in stores]
    return cut(_sorted(search, _matching(search, ids)), search.page)


def _from_list(search: _Search) -> Listing[Product] | None:
    """Returns a page by its number, if one list counts the filters in that order; else None."""
    filters, tree = search.filters, _in_order(search)
    if tree is None or filters.reads_products or (filters.takes_live and filters.takes_removed):
        return None
    if filters.is_dated and search.order != "changedAt":
        return None
    counted = filters.counted if filters.takes_live else filters.counted[1:]
    if len(counted) > (1 if tree.filters else 0):
        return None
    return _page(search, tree, counted[0] if counted else None)


def _page_of_found(search: _Search, q: str) -> Listing[Product]:
    """Returns one page of the words' hits, which have `addedAt`: only that page is read."""
    found = found_by(search.workspace, SearchKind.PRODUCT, q)
    found.sort(key=lambda hit: moment_key(hit.at, hit.id), reverse=search.descending)
    listing = cut(found, search.page)
    products = _matching(search, [hit.id for hit in listing.items])
    return Listing(products, listing.total, search.page)


def _looked_through(search: _Search) -> Listing[Product]:
    """Reads the words' hits, or the narrowest lists, and keeps the products that match."""
    filters, found = search.filters, list[Product]()
    if filters.takes_live and filters.q is not None:
        hits = found_by(search.workspace, SearchKind.PRODUCT, filters.q)
        found += _matching(search, [hit.id for hit in hits], but=ProductStatus.REMOVED)
    elif filters.takes_live:
        lists = search.lists
        tree = lists.by_changed if filters.is_dated else lists.by_added
        found += _scanned(search, tree, filters.changed, filters.counted)
    if filters.takes_removed:
        found += _scanned(search, search.lists.removed, filters.changed, ())
    return cut(_sorted(search, found), search.page)


def _in_order(search: _Search) -> Tree | None:
    """Returns the list in the requested order; None if there is none."""
    lists, order = search.lists, search.order
    if not search.filters.takes_live:
        return lists.removed if order == "changedAt" else None
    if order == "title":
        return lists.by_title if search.filters.store_id is None else None
    return lists.by_added if order == "addedAt" else lists.by_changed


def _page(search: _Search, tree: Tree, by: Filter | None) -> Listing[Product]:
    within = search.filters.changed if search.order == "changedAt" else EVERYTHING
    listing = tree.page(search.page, descending=search.descending, by=by, within=within)
    repository = ProductRepository(search.workspace)
    products = repository.get_many((entry.id for entry in listing.items), are_listed=True)
    return Listing(products, listing.total, search.page)


def _scanned(search: _Search, tree: Tree, changed: KeyRange, by: Sequence[Filter]) -> list[Product]:
    """Returns those of a list's products that match."""
    found: list[Product] = []

    def keep(entries: Sequence[TreeEntry]) -> Sequence[TreeEntry]:
        found.extend(_matching(search, [entry.id for entry in entries], are_listed=True))
        return ()

    # Without dates `changed` is everything, which also holds for a list in another order.
    tree.scan(search.page, keep, advised=search.filters.advised, by=by, within=changed)
    return found


def _matching(
    search: _Search,
    ids: Sequence[UUID],
    but: ProductStatus | None = None,
    *,
    are_listed: bool = False,
) -> list[Product]:
    found = ProductRepository(search.workspace).get_many(ids, are_listed=are_listed)
    return [p for p in found if search.filters.takes(p) and p.summary.status is not but]


def _sorted(search: _Search, products: Sequence[Product]) -> list[Product]:
    return sorted(products, key=_KEYS[search.order], reverse=search.descending)


_KEYS: dict[str, Callable[[Product], str]] = {
    "title": lambda product: text_key(product.summary.title, product.id),
    "changedAt": lambda product: moment_key(product.changed_at, product.id),
    "addedAt": lambda product: moment_key(product.added_at, product.id),
}
