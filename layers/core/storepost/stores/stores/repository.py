"""Rows of stores and the claims of their external ids."""

from collections.abc import Iterable
from uuid import UUID

from pynamodb.attributes import BooleanAttribute, UnicodeAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
    find_all,
)
from storepost.platform.persistence.mapping import as_value, write_to
from storepost.platform.persistence.reads import Reads
from storepost.platform.persistence.records import Records
from storepost.stores.stores.model import (
    Platform,
    Store,
    StoreLocale,
    WriteBackFailures,
)
from storepost.values.ids import derived_id, short
from storepost.values.scope import WorkspaceScope

_SORT_KEY_BYTES = 1024
"""DynamoDB's limit on a sort key; 255 characters have up to 1,020 bytes."""


class StoreItem(VersionedItem, discriminator="store"):
    """A store."""

    id = Identifier()
    platform = UnicodeAttribute()
    name = UnicodeAttribute()
    external_id = UnicodeAttribute()
    currency = UnicodeAttribute()
    primary_locale = UnicodeAttribute()
    status = UnicodeAttribute()
    connection_status = UnicodeAttribute()
    takes_consent = BooleanAttribute()
    makes_coupons = BooleanAttribute(default=True)
    admin_url = UnicodeAttribute()
    storefront_url = UnicodeAttribute(null=True)
    contact_email = UnicodeAttribute(null=True)
    connected_at = UtcDateTimeAttribute()
    disconnected_at = UtcDateTimeAttribute(null=True)
    failing_since = UtcDateTimeAttribute(null=True)
    failure_reported_at = UtcDateTimeAttribute(null=True)
    failure_checked_at = UtcDateTimeAttribute(null=True)
    locales = Records(
        "locale", "label", "is_primary", "country", "currency", "url", named_by=["locale"]
    )


class StoreClaimItem(Item, discriminator="store_claim"):
    """The claim of an external id. A disconnection keeps it, so the store keeps its id."""

    store_id = Identifier()


def store_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns the key of a store."""
    return (workspace.key, f"store#{short(store_id)}")


def external_key(workspace: WorkspaceScope, platform: Platform, external_id: str) -> Key:
    """Returns the key of the claim of an external id; an id too long for a key is hashed."""
    key = f"store_external#{platform}#{external_id}"
    if len(key.encode()) > _SORT_KEY_BYTES:
        derived = derived_id(workspace.id, "store_external", platform, external_id)
        key = f"store_external#{platform}~{short(derived)}"
    return (workspace.key, key)


class StoreRepository:
    """A workspace's stores."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        self.workspace = workspace
        self._reads = reads or Reads()
        self._read: dict[UUID, StoreItem] = {}

    def get(self, store_id: UUID) -> Store | None:
        """Returns the store, or None."""
        item = self._reads.find(StoreItem, store_key(self.workspace, store_id))
        return self._as_store(item) if item else None

    def all(self) -> list[Store]:
        """Returns all stores, disconnected ones too."""
        return [self._as_store(row) for row in StoreItem.rows_in(self.workspace.key, "store#")]

    def named(self, store_ids: Iterable[UUID]) -> list[Store]:
        """Returns those of the stores that exist, disconnected ones too, sorted by id."""
        rows = find_all(store_key(self.workspace, store_id) for store_id in store_ids)
        stores = [self._as_store(row) for row in rows.values() if isinstance(row, StoreItem)]
        return sorted(stores, key=lambda store: store.id)

    def id_of(self, platform: Platform, external_id: str) -> UUID | None:
        """Returns the id of the store that has, or had, an external id, or None."""
        claim = find(StoreClaimItem, external_key(self.workspace, platform, external_id))
        return claim.store_id if claim else None

    def claim(self, changes: Changes, store: Store) -> None:
        """Claims the new store's external id."""
        key = external_key(self.workspace, store.platform, store.external_id)
        changes.create(StoreClaimItem(*key, store_id=store.id))

    def save(self, changes: Changes, store: Store) -> None:
        """Writes the store, if it is unchanged since it was read here."""
        item = self._read.get(store.id) or StoreItem(*store_key(self.workspace, store.id))
        write_to(
            item,
            store,
            failing_since=store.failures.since,
            failure_reported_at=store.failures.reported_at,
            failure_checked_at=store.failures.checked_at,
            locales=[
                [row.locale, row.label, row.is_primary, row.country, row.currency, row.url]
                for row in store.locales
            ],
        )
        changes.save(item)

    def expect_connection(self, changes: Changes, store: Store, on_conflict: Exception) -> None:
        """Expects the store's connection to stay as it was read; else raises `on_conflict`."""
        same = (StoreItem.status == store.status) & (StoreItem.connected_at == store.connected_at)
        changes.expect(StoreItem(*store_key(self.workspace, store.id)), same, on_conflict)

    def _as_store(self, item: StoreItem) -> Store:
        self._read[item.id] = item
        return as_value(
            Store,
            item,
            workspace=self.workspace,
            failures=WriteBackFailures(
                item.failing_since, item.failure_reported_at, item.failure_checked_at
            ),
            locales=tuple(StoreLocale(*row) for row in item.locales),
        )
