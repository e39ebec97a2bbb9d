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
"""Rows that are matched together without the store's names: of each, four keys are queried."""
_MAX_PRODUCTS = 100
"""Products that rows which are matched together may be about: as many as one batch get reads."""
_NAMES_A_ROW = 8
"""So many names are read in less time, and for fewer read units, than what one row may be about."""
_READING_VERSION = 3
"""Raised whenever the same row comes to something else, so that all are read and written anew."""
_MIN_ROWS = 25
"""Of fewer rows, what they may be about takes no more calls than all names."""
_THREADS = 4
"""Batches that are matched at once: they wait for their answers, not for each other."""


def defaults_of(store: Store, settings: FeedSettings) -> FeedDefaults:
    """Returns what the store and the feed say of all rows."""
    currencies: Mapping[str, str] = {row.locale: row.currency for row in store.locales}
    return FeedDefaults(store.currency, currencies, settings.locale)


def finder(store: Store, settings: FeedSettings) -> "Finder":
    """Returns what finds the product's external id and the variant's key of rows;
    None for no match.

    A store's names are read at once where they are few beside the rows that are to be matched.
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
    """No match: a store without products has none."""
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
    """Yields the rows that may be about something, in batches that are about few products.

    A product's rows stand beside each other, so a batch may have many of them: each request of
    DynamoDB takes 2 ms of CPU, whatever it returns.
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
    """Returns the source of these settings, and those of feeds that add no products.

    What is left of a product is theirs alone once whoever had it has it no more.
    """
    feeds = [feed for feed in FeedRepository(store.workspace).all() if feed.store_id == store.id]
    source = (settings.url, settings.locale)
    own = [feed for feed in feeds if (feed.settings.url, feed.settings.locale) == source]
    enriching = [feed for feed in feeds if not adds(feed.settings)]
    return _ids_of(store, own), _ids_of(store, enriching)


def _ids_of(store: Store, feeds: Iterable[Feed]) -> frozenset[UUID]:
    return frozenset(product_source_id(store.id, feed.id) for feed in feeds)


def adds(settings: FeedSettings) -> bool:
    """Returns whether products are made of rows that match nothing."""
    return settings.mode is FeedMode.ADD_AND_ENRICH


def digest_of(store: Store, settings: FeedSettings) -> str:
    """Returns a digest of all that decides what a row becomes, besides the row."""
    mapping = sorted(settings.mapping.items())
    decisive = [_READING_VERSION, settings.locale, settings.mode.value, mapping]
    locales = sorted((row.locale, row.currency) for row in store.locales)
    return blake2b(repr([decisive, store.currency, locales]).encode(), digest_size=16).hexdigest()
