"""Stores on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, RootModel, StrictBool, StringConstraints

from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.stores.model import StoreLocale as StoreLocaleValue
from storepost.stores.stores.service import CustomStore
from storepost.values.emails import EmailAddress
from storepost.values.external_ids import ExternalId
from storepost.values.locale_codes import LocaleCode
from storepost.values.money import CurrencyCode
from storepost.values.wire import (
    URL_LENGTH,
    Name,
    NotNull,
    PartialUpdate,
    RequestBody,
    SecretAnswer,
    Shape,
    Timestamp,
    Uri,
    Url,
)

MAX_LOCALES = 40


class NewStore(RequestBody):
    """A store of your own platform to connect. A Shopify shop is connected by `POST
    /connections`.
    """

    platform: Literal[Platform.CUSTOM] = Field(description="Always `custom`.")
    name: Name = Field(description="What the store is called in lists.")
    external_id: ExternalId = Field(
        description="What your platform calls the store. One workspace has each only "
        "once: the same one again connects a disconnected store again."
    )
    currency: CurrencyCode = Field(
        description="The currency of the store's prices and orders, as an ISO 4217 code."
    )
    primary_locale: LocaleCode = Field(
        description="The language of the store, as a BCP 47 tag such as `de-AT`. It "
        "becomes the store's first locale, and a person's own where their "
        "order states none."
    )
    admin_url: Url = Field(
        description="Where people of the store manage it. It is also the `adminUrl` of "
        "customers, orders and products that have none of their own."
    )
    storefront_url: Url | None = Field(
        default=None, description="Where shoppers see the store. Null or left out: it isn't known."
    )
    contact_email: EmailAddress | None = Field(
        default=None, description="Where shoppers can write to. Null or left out: it isn't known."
    )

    def value(self) -> CustomStore:
        """Returns the value that the service works with."""
        return self.to_model(CustomStore)


class StoreUpdate(PartialUpdate):
    """What can be changed of a custom store. What is left out stays as it is."""

    name: Annotated[Name | None, NotNull()] = Field(
        default=None, description="What the store is called from now on."
    )
    storefront_url: Url | None = Field(
        default=None, description="Where shoppers see the store. Null clears it."
    )
    contact_email: EmailAddress | None = Field(
        default=None, description="Where shoppers can write to. Null clears it."
    )


class StorePermissions(Shape):
    """What Storepost may do in the store."""

    coupons: bool = Field(
        description="Whether coupons can be made there. For a custom store always; for "
        "a Shopify shop, where it granted the scopes for discounts."
    )
    consent: bool = Field(
        description="Whether changes of consent can be written back. For a custom "
        "store where it has a write-back address; for a Shopify shop, "
        "where it granted the scope for customers."
    )

    @classmethod
    def of(cls, store: Store) -> "StorePermissions":
        """Returns the store's permissions."""
        return cls(coupons=store.makes_coupons, consent=store.takes_consent)


class StoreSummary(Shape):
    """A store as lists show it, without counts."""

    id: UUID = Field(description="The store's id. Connecting the store again keeps it.")
    platform: Platform = Field(
        description="What the store runs on: `shopify`, or `custom` for one whose data "
        "comes through this interface."
    )
    name: str = Field(description="What the store is called; a Shopify shop's own name.")
    external_id: str = Field(
        description="What its platform calls the store: for Shopify the shop's address "
        "such as `birch-loom.myshopify.com`, else what was given when it "
        "was connected."
    )
    currency: str = Field(
        description="The currency of the store's prices and orders, as an ISO 4217 code."
    )
    primary_locale: str = Field(
        description="The language of the store, as a BCP 47 tag: its locale that is "
        "marked `isPrimary`."
    )
    status: StoreStatus = Field(
        description="`active`: it sends and receives data. `disconnected`: it does neither until "
        "it is connected again, and its data stays."
    )
    connection_status: ConnectionStatus = Field(
        description="`connected`; `needs_reauth`: the shop must approve the app again, "
        "until then nothing is read or written there; `disconnected`."
    )
    import_status: LatestImportStatus = Field(
        description="How the import is doing that runs or waits; otherwise how the "
        "latest one ended. `none` where there never was one."
    )
    permissions: StorePermissions = Field(
        description="Whether coupons can be made and consent written back there."
    )
    connected_at: Timestamp = Field(description="When the store was connected, the last time.")

    @classmethod
    def of(cls, listed: ListedStore) -> "StoreSummary":
        """Returns the store in this shape."""
        store = listed.store
        return cls.from_model(
            store, import_status=listed.import_status, permissions=StorePermissions.of(store)
        )


class StoreLocale(RequestBody):
    """A language and country that a store sells in."""

    locale: LocaleCode = Field(
        description="The language as a BCP 47 tag, such as `de` or `de-AT`. A store has each once."
    )
    label: Name = Field(
        description="What the locale is called for people, such as `German (Austria)`."
    )
    is_primary: StrictBool = Field(
        description="Whether this is the store's main locale: exactly one is. It is "
        "assumed where an order states none."
    )
    country: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")] = Field(
        description="The country as two capital letters (ISO 3166-1), such as `AT`. `ZZ` where it "
        "isn't known, as for a new store whose primary locale is `es-419`."
    )
    currency: CurrencyCode = Field(
        description="The currency that prices are shown in there, as an ISO 4217 code. "
        "Orders are in the store's own currency all the same."
    )
    url: Url | None = Field(
        default=None,
        description="Where shoppers see the store in this locale. Null where there is "
        "no address of its own.",
    )

    @classmethod
    def of(cls, locale: StoreLocaleValue) -> "StoreLocale":
        """Returns the locale in this shape."""
        return cls.of_stored(locale)

    def value(self) -> StoreLocaleValue:
        """Returns the value that the service works with."""
        return StoreLocaleValue(
            self.locale, self.label, self.is_primary, self.country, self.currency, self.url
        )


def _one_primary(locales: list[StoreLocale]) -> list[StoreLocale]:
    if sum(row.is_primary for row in locales) != 1:
        raise ValueError("Must have exactly one locale with `isPrimary`")
    if len({row.locale for row in locales}) != len(locales):
        raise ValueError("Must have each locale once")
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
    """All locales of a store, 1 to 40. Exactly one is primary, and each appears once."""

    def values(self) -> list[StoreLocaleValue]:
        """Returns the value that the service works with."""
        return [row.value() for row in self.root]


class NewWriteBack(RequestBody):
    """Where changes of consent are sent to."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=URL_LENGTH)] = Field(
        description="A public address with https, without a redirect. Each change is "
        "sent to it as a POST that is signed as Standard Webhooks says."
    )


class WriteBackSecret(SecretAnswer):
    """The write-back address, and its signing secret where that is new."""

    url: Uri = Field(description="Where changes of consent are sent to.")
    secret: str | None = Field(
        description="Verifies the signatures, as `whsec_…`: keep it like a password, "
        "since it isn't shown again. Null where the address was only "
        "changed: then the secret stays the same."
    )


class WriteBack(Shape):
    """Where changes of consent are sent to, and how that is going."""

    url: Uri = Field(description="Where changes of consent are sent to.")
    last_succeeded_at: Timestamp | None = Field(
        description="When the store last accepted a change, to the minute. Null as "
        "long as it accepted none."
    )
    last_error: str | None = Field(
        description="What went wrong at the last failed attempt, such as a status or a "
        "time-out. Null once a later one succeeded."
    )
