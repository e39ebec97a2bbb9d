"""Which of a store's products and variants a feed's rows are about."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import batched
from typing import TYPE_CHECKING

from storepost.feed_records.reading import Terms
from storepost.feeds.model import FeedMode, Settings
from storepost.persistence.reads import Reads
from storepost.products.matching import Wanted, match
from storepost.stores.model import Store

if TYPE_CHECKING:
    from storepost.feed_imports.work import Unplaced

_TOGETHER = 25


def terms_of(store: Store, settings: Settings) -> Terms:
    """What the store and the feed say of all rows."""
    currencies: Mapping[str, str] = {row.locale: row.currency for row in store.locales}
    return Terms(store.currency, currencies, settings.locale)


def find(store: Store, rows: "Iterable[Unplaced]") -> Sequence[tuple[str, str | None] | None]:
    """The product's external id and the variant's key of each row; None for no match."""
    places: list[tuple[str, str | None] | None] = []
    for some in batched(rows, _TOGETHER, strict=False):
        wanted = [Wanted(row.id, row.sku, row.gtin) for row in some]
        for found in match(store, wanted, Reads()):
            places.append((found.product.external_id, found.variant) if found else None)
    return places


def adds(settings: Settings) -> bool:
    """Whether products are made of rows that match nothing."""
    return settings.mode is FeedMode.ADD_AND_ENRICH


def digest_of(store: Store, settings: Settings) -> str:
    """Of all that decides what a row comes to, besides the row."""
    said = [settings.locale, settings.mode.value, sorted(settings.mapping.items())]
    locales = sorted((row.locale, row.currency) for row in store.locales)
    return blake2b(repr([said, store.currency, locales]).encode(), digest_size=16).hexdigest()
