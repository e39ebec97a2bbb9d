"""Connects, changes and disconnects custom stores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.fetching import HTTPS, check_url
from storepost.platform.fetching import UrlNotAllowed as Refused
from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.service import fail_open_imports
from storepost.stores.locales.service import LocalesOfStores, release_locales, update_locales
from storepost.stores.stores.finding import (
    custom_store,
    found_store,
    known_store,
    store_with_write_back,
)
from storepost.stores.stores.model import (
    ConnectionStatus,
    Platform,
    Store,
    StoreLocale,
    StoreStatus,
    WriteBackFailures,
)
from storepost.stores.stores.problems import StoreDisconnected, StoreExists, UrlNotAllowed
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.sweeping import add_to_sweep
from storepost.stores.stores.write_back import WriteBackRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.locale_codes import parts
from storepost.values.problems import FieldError, NotFound, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class CustomStore:
    """A request's data of a custom store to connect."""

    name: str
    external_id: str
    currency: str
    primary_locale: str
    admin_url: str
    storefront_url: str | None
    contact_email: str | None


def connect_store(
    workspace: WorkspaceScope, payload: CustomStore, changes: Changes
) -> tuple[Store, Store | None]:
    """Returns a new or reconnected store, and its state before, if it was disconnected."""
    repository = StoreRepository(workspace)
    known = known_store(repository, Platform.CUSTOM, payload.external_id)
    if known and known.is_active:
        raise StoreExists()
    store = _connected(workspace, known, payload)
    save_connected(repository, store, changes, is_new=known is None)
    WorkspaceRepository(workspace).count_stores(changes, +1)
    return store, known


def save_connected(
    repository: StoreRepository, store: Store, changes: Changes, *, is_new: bool
) -> None:
    """Writes a store as it is connected; its locales become the workspace's too.

    The caller updates the workspace's count of stores: a workspace may be created in the same step.
    """
    if is_new:
        repository.claim(changes, store)
    repository.save(changes, store)
    add_to_sweep(changes, store.workspace)
    _update_locales(repository, store, changes)


def _connected(workspace: WorkspaceScope, known: Store | None, payload: CustomStore) -> Store:
    primary = _primary_locale(known, payload)
    others = [row for row in known.locales if row.locale != primary.locale] if known else []
    return Store(
        id=known.id if known else new_id(),
        workspace=workspace,
        platform=Platform.CUSTOM,
        name=payload.name,
        external_id=payload.external_id,
        currency=payload.currency,
        primary_locale=payload.primary_locale,
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=known.takes_consent if known else False,
        admin_url=payload.admin_url,
        storefront_url=payload.storefront_url,
        contact_email=payload.contact_email,
        connected_at=clock.now(),
        locales=(primary, *(replace(row, is_primary=False) for row in others)),
    )


def _primary_locale(known: Store | None, payload: CustomStore) -> StoreLocale:
    """Returns the store's primary locale; a known store keeps what it said of that locale."""
    code, rows = payload.primary_locale, known.locales if known else ()
    stored = next((row for row in rows if row.locale == code), None)
    if known is None or stored is None:
        return StoreLocale(
            locale=code,
            label=parts(code).label,
            is_primary=True,
            country=parts(code).country,
            currency=payload.currency,
            url=payload.storefront_url,
        )
    is_storefront = stored.url == known.storefront_url
    return replace(
        stored,
        is_primary=True,
        currency=payload.currency,
        url=payload.storefront_url if is_storefront else stored.url,
    )


def disconnect_store(workspace: WorkspaceScope, store_id: UUID, changes: Changes) -> Store:
    """Disconnects a store: it sends and receives no data until it is connected again."""
    repository = StoreRepository(workspace)
    store = found_store(repository, store_id)
    if not store.is_active:
        raise StoreDisconnected()
    now = clock.now()
    after = replace(
        store,
        status=StoreStatus.DISCONNECTED,
        connection_status=ConnectionStatus.DISCONNECTED,
        disconnected_at=now,
    )
    repository.save(changes, after)
    fail_open_imports(changes, workspace, store_id, now)
    WorkspaceRepository(workspace).count_stores(changes, -1)
    release_locales(workspace, partial(_locales_with, repository, after), changes)
    return after


def update_store(
    workspace: WorkspaceScope, store_id: UUID, fields: dict[str, Any], changes: Changes
) -> Store:
    """Changes the given fields of a custom store."""
    repository = StoreRepository(workspace)
    after = replace(custom_store(repository, store_id), **fields)
    repository.save(changes, after)
    return after


def set_locales(
    workspace: WorkspaceScope, store_id: UUID, locales: Sequence[StoreLocale], changes: Changes
) -> Store:
    """Replaces a custom store's locales, and updates the workspace's in the same step."""
    repository = StoreRepository(workspace)
    store = custom_store(repository, store_id)
    primary = next(row for row in locales if row.is_primary)
    after = replace(store, locales=tuple(locales), primary_locale=primary.locale)
    repository.save(changes, after)
    _update_locales(repository, after, changes)
    return after


def set_write_back(
    workspace: WorkspaceScope, store_id: UUID, url: str, changes: Changes
) -> tuple[str | None, bool]:
    """Sets the address for a store's write-backs.

    Returns the secret if this is the first address, and whether the address has changed: then its
    failures are reset.
    """
    repository = StoreRepository(workspace)
    store = store_with_write_back(repository, store_id)
    try:
        check_url(url, schemes=HTTPS)
    except Refused as refused:
        raise UrlNotAllowed(errors=[FieldError("/url", refused.reason)]) from refused
    secret, is_new = WriteBackRepository(workspace).set_url(changes, store_id, url)
    failures = _none_known(store.failures) if is_new else store.failures
    after = replace(store, takes_consent=True, failures=failures)
    if after != store:
        repository.save(changes, after)
    return secret, is_new


def _none_known(failures: WriteBackFailures) -> WriteBackFailures:
    """No failures; the message for a later check may still be queued."""
    return WriteBackFailures(checked_at=failures.checked_at)


def rotate_write_back(
    workspace: WorkspaceScope, store_id: UUID, changes: Changes
) -> tuple[str, str]:
    """Returns the address and a new secret; the old one also signs for 24 hours."""
    store_with_write_back(StoreRepository(workspace), store_id)
    return needed(
        WriteBackRepository(workspace).rotate(changes, store_id),
        NotFound("This store has no write-back address."),
    )


def delete_write_back(workspace: WorkspaceScope, store_id: UUID, changes: Changes) -> None:
    """Deletes the address: consent isn't written back to the store any more."""
    repository = StoreRepository(workspace)
    store = store_with_write_back(repository, store_id)
    if not WriteBackRepository(workspace).delete(changes, store_id):
        raise NotFound("This store has no write-back address.")
    repository.save(changes, replace(store, takes_consent=False))


def _update_locales(repository: StoreRepository, changed: Store, changes: Changes) -> None:
    update_locales(repository.workspace, partial(_locales_with, repository, changed), changes)


def _locales_with(repository: StoreRepository, changed: Store) -> LocalesOfStores:
    """The locales of all active stores, with `changed` as it will be stored."""
    stores = {store.id: store for store in repository.all()}
    before = stores.get(changed.id)
    stores[changed.id] = changed
    active = sorted(
        (store for store in stores.values() if store.is_active),
        key=lambda store: (store.connected_at, store.id),
    )
    codes = [code for store in active for code in _locales_of(store)]
    known = _locales_of(before) if before else []
    return LocalesOfStores(codes, differ=set(known) != set(_locales_of(changed)))


def _locales_of(store: Store) -> list[str]:
    """The locales that an active store adds to the workspace, the primary one first."""
    rows = sorted(store.locales, key=lambda row: not row.is_primary)
    return [row.locale for row in rows if store.is_active]
