"""Which of a store's products and variants a feed's rows are about."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from itertools import batched, chain
from typing import TYPE_CHECKING

from storepost.feed_records.reading import Terms
from storepost.feeds.model import FeedMode, Settings
from storepost.persistence.reads import Reads
from storepost.products.matching import Match, Wanted, match
from storepost.stores.model import Store

if TYPE_CHECKING:
    from storepost.feed_imports.work import Unplaced

_TOGETHER = 25
_AT_ONCE = 4
"""Batches that are asked for at the same time: they wait for their answers, not for each other."""


def terms_of(store: Store, settings: Settings) -> Terms:
    """What the store and the feed say of all rows."""
    currencies: Mapping[str, str] = {row.locale: row.currency for row in store.locales}
    return Terms(store.currency, currencies, settings.locale)


def find(store: Store, rows: "Iterable[Unplaced]") -> Sequence[tuple[str, str | None] | None]:
    """The product's external id and the variant's key of each row; None for no match."""

    def look(some: "Sequence[Unplaced]") -> Sequence[Match | None]:
        return match(store, [Wanted(row.id, row.sku, row.gtin) for row in some], Reads())

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = chain.from_iterable(threads.map(look, batched(rows, _TOGETHER, strict=False)))
        return [(each.product.external_id, each.variant) if each else None for each in found]


def adds(settings: Settings) -> bool:
    """Whether products are made of rows that match nothing."""
    return settings.mode is FeedMode.ADD_AND_ENRICH


def digest_of(store: Store, settings: Settings) -> str:
    """Of all that decides what a row comes to, besides the row."""
    said = [settings.locale, settings.mode.value, sorted(settings.mapping.items())]
    locales = sorted((row.locale, row.currency) for row in store.locales)
    return blake2b(repr([said, store.currency, locales]).encode(), digest_size=16).hexdigest()
