"""Finds which of a store's products and variants a feed's rows are about."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import batched, chain
from typing import TYPE_CHECKING
from uuid import UUID

from storepost.catalog.products.matching import Match, MatchKey, match, products_among
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.store_names import StoreNames, read_names
from storepost.catalog.products.trees import ProductLists
from storepost.feeds.feeds.model import Feed, FeedMode, FeedSettings
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.records.amounts import FeedDefaults
from storepost.platform.persistence.counted_tree.model import ENTRIES
from storepost.platform.persistence.patience import with_patience
from storepost.stores.stores.model import Store

if TYPE_CHECKING:
    from storepost.feeds.imports.staging import Find, Finder, UnresolvedRow

_BATCH_SIZE = 25
"""Rows that are matched together without the store's names: each takes four keys."""
_MAX_PRODUCTS = 100
"""Products that one batch of rows may be about: as many as one batch get reads."""
_NAMES_A_ROW = 8
"""Reading so many names takes less time, and fewer read units, than looking up one row."""
_READING_VERSION = 3
"""Increase it when the same row yields another result, so that all are read and written again."""
_MIN_ROWS = 25
"""For fewer rows, looking each of them up takes no more calls than reading all names."""
_THREADS = 4
"""Batches that are matched at once: each waits for its own reads alone."""


def defaults_of(store: Store, settings: FeedSettings) -> FeedDefaults:
    """Returns what the store and the feed state for all rows: currencies and the locale."""
    currencies: Mapping[str, str] = {row.locale: row.currency for row in store.locales}
    return FeedDefaults(store.currency, currencies, settings.locale)


def finder(store: Store, settings: FeedSettings) -> "Finder":
    """Returns the function that finds the product's external id and the variant's key of rows.

    It returns None for no match. It reads all names of a store at once if they are few in
    comparison with the rows.
    """

    def find_for(rows: int) -> "Find":
        products = ProductLists(store.workspace, store.id).by_changed.counts()[ENTRIES]
        if not products:
            return _match_none
        max_names = rows * _NAMES_A_ROW
        reads_all = rows >= _MIN_ROWS and products <= max_names
        return _find(store, settings, read_names(store, max_names) if reads_all else None)

    return find_for


def _match_none(rows: "Sequence[UnresolvedRow]") -> Sequence[None]:
    """Returns no matches: the store has no products."""
    return [None] * len(rows)


def _find(store: Store, settings: FeedSettings, among: StoreNames | None) -> "Find":
    own, enriching = _sources(store, settings)
    without = own if adds(settings) else own | enriching

    def match_batch(batch: Sequence[MatchKey]) -> Sequence[Match | None]:
        return match(store, batch, without=without, among=among)

    def find(rows: "Sequence[UnresolvedRow]") -> Sequence[tuple[str, str | None] | None]:
        keys = [MatchKey(row.id, row.sku, row.gtin) for row in rows]
        batches = list[Sequence[MatchKey]](
            batched(keys, _BATCH_SIZE, strict=False)
            if among is None
            else _batches_among(keys, among)
        )
        with ThreadPoolExecutor(_THREADS) as threads:
            found = chain.from_iterable(threads.map(with_patience(match_batch), batches))
            by_key = dict(zip(chain.from_iterable(batches), found, strict=True))
        matches = [by_key.get(key) for key in keys]
        return [(each.product, each.variant) if each else None for each in matches]

    return find


def _batches_among(keys: Iterable[MatchKey], among: StoreNames) -> Iterator[list[MatchKey]]:
    """Yields the rows that may match something, in batches that are about few products.

    A product's rows are adjacent, so a batch may have many of them: each request to DynamoDB takes
    2 ms of CPU, whatever it returns.
    """
    batch, about = list[MatchKey](), set[UUID]()
    for key in keys:
        products = products_among(key, among)
        if batch and len(about) + len(products - about) > _MAX_PRODUCTS:
            yield batch
            batch, about = [], set()
        if products:
            batch.append(key)
            about |= products
    if batch:
        yield batch


def _sources(store: Store, settings: FeedSettings) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """Returns the sources with these settings' URL and locale, and those of feeds that only enrich.

    Once the source that had a product has removed it, only records of the latter are left of it.
    """
    feeds = [feed for feed in FeedRepository(store.workspace).all() if feed.store_id == store.id]
    source = (settings.url, settings.locale)
    own = [feed for feed in feeds if (feed.settings.url, feed.settings.locale) == source]
    enriching = [feed for feed in feeds if not adds(feed.settings)]
    return _ids_of(store, own), _ids_of(store, enriching)


def _ids_of(store: Store, feeds: Iterable[Feed]) -> frozenset[UUID]:
    return frozenset(product_source_id(store.id, feed.id) for feed in feeds)


def adds(settings: FeedSettings) -> bool:
    """Returns whether rows that match nothing become products."""
    return settings.mode is FeedMode.ADD_AND_ENRICH


def digest_of(store: Store, settings: FeedSettings) -> str:
    """Returns a digest of everything besides the row itself that decides what the row becomes."""
    mapping = sorted(settings.mapping.items())
    decisive = [_READING_VERSION, settings.locale, settings.mode.value, mapping]
    locales = sorted((row.locale, row.currency) for row in store.locales)
    return blake2b(repr([decisive, store.currency, locales]).encode(), digest_size=16).hexdigest()
