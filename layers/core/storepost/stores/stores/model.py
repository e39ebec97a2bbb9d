"""A connected store as a value."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.values import locale_codes
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class Platform(StoredEnum):
    """What a store runs on. `shopify`: a Shopify shop, which is read and written through the
    app. `custom`: your own platform, which sends its data through this interface.
    """

    SHOPIFY = "shopify"
    CUSTOM = "custom"


class StoreStatus(StoredEnum):
    """Whether a store takes part. `active`: it sends and receives data. `disconnected`: it does
    neither until it is connected again; its data stays.
    """

    ACTIVE = "active"
    DISCONNECTED = "disconnected"


class ConnectionStatus(StoredEnum):
    """How the connection to a store is doing. `connected`; `needs_reauth`: the shop has to
    approve the app again, until then nothing is read or written there. `disconnected`:
    somebody ended it.
    """

    CONNECTED = "connected"
    NEEDS_REAUTH = "needs_reauth"
    DISCONNECTED = "disconnected"


@dataclass(frozen=True)
class StoreLocale:
    """One of a store's locales."""

    locale: str
    label: str
    is_primary: bool
    country: str
    currency: str
    url: str | None


@dataclass(frozen=True)
class WriteBackFailures:
    """The failures of a store that doesn't accept write-backs."""

    since: datetime | None = None
    """When the first failure since the last success was; None while it accepts them."""
    reported_at: datetime | None = None
    """When the workspace's owner was last notified."""
    checked_at: datetime | None = None
    """When the next check for a notification is; None where no message waits for it."""


@dataclass(frozen=True)
class Store:
    """A store of a workspace."""

    id: UUID
    workspace: WorkspaceScope
    platform: Platform
    name: str
    external_id: str
    currency: str
    primary_locale: str
    status: StoreStatus
    connection_status: ConnectionStatus
    takes_consent: bool
    """Whether consent can be written back; for a custom store, whether it has an address."""
    admin_url: str
    storefront_url: str | None
    contact_email: str | None
    connected_at: datetime
    locales: tuple[StoreLocale, ...]
    makes_coupons: bool = True
    """Whether coupons can be created for it; for a platform's store, whether the platform allows
    it.
    """
    disconnected_at: datetime | None = None
    """When it was disconnected; None while it is active."""
    failures: WriteBackFailures = WriteBackFailures()

    @property
    def country(self) -> str:
        """Returns the country code (ISO 3166) of its primary locale.

        A locale without a country has the one where most people speak its language.
        """
        return locale_codes.parts(self.primary_locale).country

    @property
    def is_active(self) -> bool:
        """Returns whether the store sends and receives data."""
        return self.status is StoreStatus.ACTIVE

    @property
    def is_custom(self) -> bool:
        """Returns whether its data is put through this interface."""
        return self.platform is Platform.CUSTOM
