"""A product in full: all that its sources say of it, resolved under the rules in force."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from storepost.catalog.products.in_force import terms_of
from storepost.catalog.products.model import Product
from storepost.catalog.products.problems import LocaleNotFound
from storepost.catalog.products.records import Record
from storepost.catalog.products.resolution import Resolution, ResolvedProduct
from storepost.catalog.products.rules import Rules
from storepost.stores.stores.model import Store


@dataclass(frozen=True)
class ProductDetails:
    """A product with what its sources say."""

    product: Product
    store: Store
    rules: Rules
    records: Sequence[Record]

    @cached_property
    def resolution(self) -> Resolution:
        """Returns the product as its records and the rules resolve it."""
        return Resolution(self.records, self.rules, terms_of(self.store))

    def in_locale(self, locale: str | None) -> ResolvedProduct:
        """Returns the product in a locale, by default the store's primary one.

        Raises LocaleNotFound where the product isn't in it.
        """
        if locale is None:
            return self.in_primary_locale
        if locale not in self.resolution.locales:
            raise LocaleNotFound()
        return self.resolution.in_locale(locale)

    @cached_property
    def in_primary_locale(self) -> ResolvedProduct:
        """Returns the product in the store's primary locale, which every product has."""
        return self.resolution.in_locale(self.store.primary_locale)

    def seen_at(self, record: Record) -> datetime:
        """Returns when the source last had the record; for a feed, at its latest import."""
        source = self.rules.by_id.get(record.source)
        if source and record.is_live and source.imported_at:
            return max(record.seen_at, source.imported_at)
        return record.seen_at

    @property
    def synced_at(self) -> datetime:
        """Returns when any of its sources last had it."""
        return max(map(self.seen_at, self.records))
