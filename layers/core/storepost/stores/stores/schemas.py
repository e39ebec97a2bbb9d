"""Stores on the wire."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, RootModel, StrictBool, StringConstraints

from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.stores.model import StoreLocale as StoreLocaleValue
from storepost.stores.stores.service import CustomStore
from storepost.stores.stores.write_back import WriteBackAddress
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.money import CurrencyCode
from storepost.values.wire import (
    URL_LENGTH,
    NotNull,
    RequestBody,
    SecretAnswer,
    Shape,
    Text,
    Timestamp,
    Uri,
    Url,
)

MAX_LOCALES = 40


class NewStore(RequestBody):
    """A custom store to connect."""

    platform: Literal[Platform.CUSTOM]
    name: Text
    external_id: Text
    currency: CurrencyCode
    primary_locale: LocaleCode
    admin_url: Url
    storefront_url: Url | None = None
    contact_email: EmailAddress | None = None

    def value(self) -> CustomStore:
        """Returns the value that the service works with."""
        return CustomStore(
            name=self.name,
            external_id=self.external_id,
            currency=self.currency,
            primary_locale=self.primary_locale,
            admin_url=self.admin_url,
            storefront_url=self.storefront_url,
            contact_email=self.contact_email,
        )


class StoreUpdate(RequestBody):
    """What may change; null clears, what is left out stays."""

    name: Annotated[Text | None, NotNull()] = None
    storefront_url: Url | None = None
    contact_email: EmailAddress | None = None

    def fields(self) -> dict[str, Any]:
        """The fields that the request has, by the names of the model."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class StorePermissions(Shape):
    """What the service may do in the store."""

    coupons: bool
    consent: bool

    @classmethod
    def of(cls, store: Store) -> "StorePermissions":
        """The store's permissions."""
        return cls(coupons=store.makes_coupons, consent=store.takes_consent)


class StoreSummary(Shape):
    """A store in a list."""

    id: UUID
    platform: Platform
    name: str
    external_id: str
    currency: str
    primary_locale: str
    status: StoreStatus
    connection_status: ConnectionStatus
    import_status: LatestImportStatus
    permissions: StorePermissions
    connected_at: Timestamp

    @classmethod
    def of(cls, listed: ListedStore) -> "StoreSummary":
        """The store in this shape."""
        store = listed.store
        return cls(
            id=store.id,
            platform=store.platform,
            name=store.name,
            external_id=store.external_id,
            currency=store.currency,
            primary_locale=store.primary_locale,
            status=store.status,
            connection_status=store.connection_status,
            import_status=listed.import_status,
            permissions=StorePermissions.of(store),
            connected_at=store.connected_at,
        )


class StoreLocale(RequestBody):
    """One of a store's locales."""

    locale: LocaleCode
    label: Text
    is_primary: StrictBool
    country: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")]
    currency: CurrencyCode
    url: Url | None = None

    @classmethod
    def of(cls, locale: StoreLocaleValue) -> "StoreLocale":
        """The locale in this shape."""
        return cls(
            locale=locale.locale,
            label=locale.label,
            is_primary=locale.is_primary,
            country=locale.country,
            currency=locale.currency,
            url=locale.url,
        )

    def value(self) -> StoreLocaleValue:
        """Returns the value that the service works with."""
        return StoreLocaleValue(
            self.locale, self.label, self.is_primary, self.country, self.currency, self.url
        )


def _one_primary(locales: list[StoreLocale]) -> list[StoreLocale]:
    if sum(row.is_primary for row in locales) != 1:
        raise ValueError("Exactly one locale must be the primary one")
    if len({row.locale for row in locales}) != len(locales):
        raise ValueError("Each locale may stand there once")
    return locales


class StoreLocales(
    RootModel[
        Annotated[
            list[StoreLocale],
            Field(min_length=1, max_length=MAX_LOCALES),
            AfterValidator(_one_primary),
        ]
    ]
):
    """All locales of a store, one of them primary."""

    def values(self) -> list[StoreLocaleValue]:
        """Returns the value that the service works with."""
        return [row.value() for row in self.root]


class NewWriteBack(RequestBody):
    """Where consent is written back to; https."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=URL_LENGTH)]


class WriteBackSecret(SecretAnswer):
    """The address, and its signing secret where it is new: it isn't shown again."""

    url: Uri
    secret: str | None


class WriteBack(Shape):
    """The address and how it is doing."""

    url: Uri
    last_succeeded_at: Timestamp | None
    last_error: str | None

    @classmethod
    def of(cls, address: WriteBackAddress) -> "WriteBack":
        """The address in this shape."""
        return cls(
            url=address.url,
            last_succeeded_at=address.last_succeeded_at,
            last_error=address.last_error,
        )
