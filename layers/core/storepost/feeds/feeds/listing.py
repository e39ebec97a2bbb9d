"""Reads feeds, their imports and the rows that imports skipped."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from storepost.catalog.products.feeds import rules_of
from storepost.catalog.products.rules import Rules
from storepost.feeds.feeds.model import (
    Feed,
    FeedImport,
    FeedImportStatus,
    FeedMode,
    LatestFeedImport,
    SkippedRow,
)
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository, latest_imports
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import (
    MAX_ROWS,
    FilterTooBroad,
    Listing,
    PageRequest,
    check_size,
    cut,
    encoded_size,
    in_order,
    is_among,
)
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches, sort_key

MAX_SKIPPED = 10_000
"""How many skipped rows of an import are stored, the first ones; its count includes all."""


@dataclass(frozen=True)
class FeedView:
    """A feed with what answers show beside it."""

    feed: Feed
    store: Store
    rank: int
    """Its rank among the store's product sources, from 1."""
    latest: FeedImport | None


@dataclass(frozen=True)
class FeedFilter:
    """The filters of a list of feeds; None doesn't filter."""

    store_id: UUID | None = None
    q: str | None = None
    modes: Collection[FeedMode] | None = None
    import_statuses: Collection[LatestFeedImport] | None = None

    def takes(self, feed: Feed) -> bool:
        """Returns whether the feed passes the filters."""
        return (
            self.store_id in {None, feed.store_id}
            and is_among(feed.settings.mode, self.modes)
            and is_among(feed.import_status, self.import_statuses)
            and (self.q is None or matches(self.q, feed.settings.name))
        )


def list_feeds(
    workspace: WorkspaceScope, filters: FeedFilter, sort: str, page: PageRequest
) -> Listing[FeedView]:
    """Returns the feeds that pass the filters; it reads all feeds, which are hundreds at most.

    Raises PageTooLarge: a mapping may have 500 columns.
    """
    feeds = [feed for feed in FeedRepository(workspace).all() if filters.takes(feed)]
    views = _views(workspace, feeds)
    ordered = in_order(
        views,
        sort,
        {
            "name": lambda row: (sort_key(row.feed.settings.name), row.feed.id),
            "createdAt": lambda row: (row.feed.created_at, row.feed.id),
            "rank": lambda row: (row.rank, row.feed.id),
        },
    )
    listing = cut(ordered, page)
    check_size(
        encoded_size(json.dumps({**row.feed.settings.mapping}, ensure_ascii=False))
        for row in listing.items
    )
    latest = latest_imports(workspace, (row.feed for row in listing.items))
    items = [
        FeedView(row.feed, row.store, row.rank, latest.get(row.feed.id)) for row in listing.items
    ]
    return Listing(items, listing.total, page)


def feed_view(workspace: WorkspaceScope, feed: Feed) -> FeedView:
    """Returns one feed with what answers show beside it."""
    [row] = _views(workspace, [feed])
    latest = latest_imports(workspace, [feed]).get(feed.id)
    return FeedView(row.feed, row.store, row.rank, latest)


def found_feed(workspace: WorkspaceScope, feed_id: UUID) -> Feed:
    """Returns a feed that isn't deleted; 404 if there is none with that id."""
    feed = FeedRepository(workspace).get(feed_id)
    if feed is None or feed.deleted_at is not None:
        raise NotFound.of("feed")
    return feed


def list_feed_imports(
    workspace: WorkspaceScope,
    feed_id: UUID,
    statuses: Collection[FeedImportStatus] | None,
    page: PageRequest,
) -> Listing[FeedImport]:
    """Returns the feed's imports, most recently queued first. Raises FilterTooBroad."""
    feed = found_feed(workspace, feed_id)
    total = sum(n for status, n in feed.counts.items() if is_among(status, statuses))
    count = min(page.size, total - page.skipped)
    if count <= 0:
        return Listing([], total, page)
    matching = _matching(FeedImportRepository(workspace, feed_id).newest_first(), statuses)
    return Listing(list(islice(matching, page.skipped, page.skipped + count)), total, page)


def _matching(
    stored: Iterator[FeedImport], statuses: Collection[FeedImportStatus] | None
) -> Iterator[FeedImport]:
    for number, row in enumerate(stored):
        if statuses is None:
            yield row
            continue
        if number >= MAX_ROWS:
            raise FilterTooBroad("status")
        if row.status in statuses:
            yield row


def found_import(workspace: WorkspaceScope, feed_id: UUID, import_id: UUID) -> FeedImport:
    """Returns one of the feed's imports; 404 if it has none with that id."""
    found_feed(workspace, feed_id)
    return needed(
        FeedImportRepository(workspace, feed_id).get(import_id),
        NotFound("No import with this id exists of this feed."),
    )


def list_skipped(
    workspace: WorkspaceScope, feed_id: UUID, import_id: UUID, page: PageRequest
) -> Listing[SkippedRow]:
    """Returns the rows that an import skipped, in the file's order: the first 10,000.

    They include rows that it imported without their price.
    """
    found = found_import(workspace, feed_id, import_id)
    total = min(found.counts.skipped + found.counts.left_out, MAX_SKIPPED)
    repository = FeedImportRepository(workspace, feed_id)
    items = repository.skipped(import_id, page) if page.skipped < total else []
    return Listing(items, total, page)


def _views(workspace: WorkspaceScope, feeds: Iterable[Feed]) -> list[FeedView]:
    listed = list(feeds)
    stores = {
        store.id: store
        for store in StoreRepository(workspace).named({feed.store_id for feed in listed})
    }
    rules = {store.id: rules_of(store) for store in stores.values()}
    return [
        FeedView(feed, stores[feed.store_id], _rank(rules[feed.store_id], feed), None)
        for feed in listed
    ]


def _rank(rules: Rules, feed: Feed) -> int:
    return rules.rank_of(feed.id) or len(rules.ranked) + 1
