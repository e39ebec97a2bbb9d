"""Which of a store's products and variants a feed's rows are about."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import batched, chain
from typing import TYPE_CHECKING
from uuid import UUID

from storepost.catalog.products.matching import Match, MatchKey, match
from storepost.catalog.products.rules import product_source_id
from storepost.catalog.products.trees import ProductLists
from storepost.feeds.feeds.model import Feed, FeedMode, FeedSettings
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.records.amounts import FeedDefaults
from storepost.platform.persistence.counted_tree.model import ENTRIES
from storepost.platform.persistence.patience import with_patience
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.stores.model import Store

if TYPE_CHECKING:
    from storepost.feeds.imports.staging import Find, Unplaced

_TOGETHER = 25
_READ_AS = 2
"""Raised whenever the same row comes to something else, so that all are read and written anew."""
_AT_ONCE = 4
"""Batches that are asked for at the same time: they wait for their answers, not for each other."""


def defaults_of(store: Store, settings: FeedSettings) -> FeedDefaults:
    """Returns what the store and the feed say of all rows."""
    currencies: Mapping[str, str] = {row.locale: row.currency for row in store.locales}
    return FeedDefaults(store.currency, currencies, settings.locale)


def has_products(store: Store) -> bool:
    """Returns whether any source has a product of the store."""
    return ProductLists(store.workspace, store.id).by_changed.counts()[ENTRIES] > 0


def finder(store: Store, settings: FeedSettings) -> "Find":
    """Returns what finds the product's external id and the variant's key of rows;
    None for no match.
    """
    own, enriching = _sources(store, settings)

    def look(some: "Sequence[Unplaced]") -> Sequence[Match | None]:
        rows_to_match = [MatchKey(row.id, row.sku, row.gtin) for row in some]
        without = own if adds(settings) else own | enriching
        return match(store, rows_to_match, ReadAhead(), without=without)

    def find(rows: "Sequence[Unplaced]") -> Sequence[tuple[str, str | None] | None]:
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            found = chain.from_iterable(
                threads.map(with_patience(look), batched(rows, _TOGETHER, strict=False))
            )
            return [(each.product.external_id, each.variant) if each else None for each in found]

    return find


def _sources(store: Store, settings: FeedSettings) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """The source of these settings, and those of feeds that have no products of their own.

    What is left of a product is theirs alone once whoever had it has it no more.
    """
    feeds = [feed for feed in FeedRepository(store.workspace).all() if feed.store_id == store.id]
    asking = (settings.url, settings.locale)
    own = [feed for feed in feeds if (feed.settings.url, feed.settings.locale) == asking]
    enriching = [feed for feed in feeds if not adds(feed.settings)]
    return _ids_of(store, own), _ids_of(store, enriching)


def _ids_of(store: Store, feeds: Iterable[Feed]) -> frozenset[UUID]:
    return frozenset(product_source_id(store.id, feed.id) for feed in feeds)


def adds(settings: FeedSettings) -> bool:
    """Returns whether products are made of rows that match nothing."""
    return settings.mode is FeedMode.ADD_AND_ENRICH


def digest_of(store: Store, settings: FeedSettings) -> str:
    """Returns a digest of all that decides what a row becomes, besides the row."""
    decisive = [_READ_AS, settings.locale, settings.mode.value, sorted(settings.mapping.items())]
    locales = sorted((row.locale, row.currency) for row in store.locales)
    return blake2b(repr([decisive, store.currency, locales]).encode(), digest_size=16).hexdigest()
