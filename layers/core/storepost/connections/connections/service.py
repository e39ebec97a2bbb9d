"""Lists, begins and ends connections."""

import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from storepost.connections.connections.model import PREFIX, Connection, ConnectionState, state_of
from storepost.connections.connections.problems import AlreadyConnected
from storepost.connections.links.model import VALID_FOR
from storepost.platform.persistence.changes import Changes
from storepost.shopify.app import find_app, shopify_app
from storepost.shopify.claims import ShopClaim, find_claim, release
from storepost.shopify.departure import uninstall
from storepost.shopify.grants import delete_grant, end_grant, find_grant
from storepost.shopify.installs import Install, InstallRepository
from storepost.shopify.oauth import install_address
from storepost.shopify.problems import ShopInvalid
from storepost.shopify.shops import handle_of, is_shop
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.turns import Turns
from storepost.stores.stores import service as stores
from storepost.stores.stores.finding import known_store
from storepost.stores.stores.listing import ListedStore
from storepost.stores.stores.model import ConnectionStatus, Platform, Store
from storepost.stores.stores.problems import StoreDisconnected
from storepost.stores.stores.repository import StoreRepository
from storepost.values.ids import new_id
from storepost.values.pagination import Listing, PageRequest, cut, is_among
from storepost.values.problems import FieldError, NotFound, handles
from storepost.values.scope import WorkspaceScope

CALLBACK = "/connections/shopify/callback"


def list_connections(
    workspace: WorkspaceScope,
    states: Collection[ConnectionState] | None,
    base_url: str,
    page: PageRequest,
) -> Listing[Connection]:
    """Returns the workspace's connections, newest first; `base_url` is for Shopify's redirects."""
    turns = TurnsRepository(workspace).all()
    by_shop = {
        store.external_id: ListedStore(store, turns.get(store.id, Turns(store.id)).status)
        for store in StoreRepository(workspace).all()
        if store.platform is Platform.SHOPIFY
    }
    awaited = {install.shop: install for install in InstallRepository(workspace).all()}
    rows = [
        _connection(shop, by_shop.get(shop), awaited.get(shop), base_url)
        for shop in by_shop.keys() | awaited.keys()
    ]
    found = [row for row in rows if is_among(row.state, states)]
    found.sort(key=lambda row: (row.connected_at, row.key), reverse=True)
    return cut(found, page)


def connection_of(workspace: WorkspaceScope, key: str, base_url: str) -> Connection:
    """Returns the workspace's connection with that key. Raises NotFound."""
    shop, store, awaited = _found(workspace, key)
    return _connection(shop, _listed(store), awaited, base_url)


def begin_connection(
    workspace: WorkspaceScope, shop: str, base_url: str, changes: Changes
) -> Connection:
    """Begins an install, replacing an earlier one of the shop.

    It connects nothing: the person who approves it in the shop chooses the workspace.
    """
    if not is_shop(shop):
        raise ShopInvalid(errors=[FieldError("/shop", "Must be like `name.myshopify.com`")])
    shopify_app().secrets()  # without them, Shopify's redirect couldn't be accepted
    store = known_store(StoreRepository(workspace), Platform.SHOPIFY, shop)
    if store and store.connection_status is ConnectionStatus.CONNECTED:
        raise AlreadyConnected()
    state = secrets.token_urlsafe(32)
    install = InstallRepository(workspace).begin(changes, new_id(), shop, state)
    return _connection(shop, _listed(store), install, base_url)


@handles(StoreDisconnected)
def end_connection(workspace: WorkspaceScope, key: str, changes: Changes) -> None:
    """Cancels the pending install, or else disconnects the store; repeatable."""
    _, store, awaited = _found(workspace, key)
    if awaited is not None:
        InstallRepository(workspace).end(changes, awaited)
    elif store is not None:
        with suppress(StoreDisconnected):
            disconnect(workspace, store.id, changes)


def disconnect(workspace: WorkspaceScope, store_id: UUID, changes: Changes) -> Store:
    """Disconnects a store, which keeps its id and its data.

    A shop's tokens are deleted, and after the commit the app is uninstalled from the shop.
    """
    store = stores.disconnect_store(workspace, store_id, changes)
    claim = find_claim(store.external_id) if store.platform is Platform.SHOPIFY else None
    if claim is not None and claim.store_id == store_id:
        grant = find_grant(claim.shop)
        release(changes, claim)
        delete_grant(changes, claim.shop)
        if grant is not None:
            changes.after_commit(lambda: uninstall(grant))
    return store


def disconnect_shop(claim: ShopClaim, removed_at: datetime, changes: Changes) -> None:
    """Disconnects the store of a shop that uninstalled the app at `removed_at`.

    If the shop has approved the app again since, a workspace can still be chosen for it.
    """
    stores.disconnect_store(claim.workspace, claim.store_id, changes)
    release(changes, claim)
    end_grant(changes, claim.shop, removed_at, VALID_FOR)


def _found(workspace: WorkspaceScope, key: str) -> tuple[str, Store | None, Install | None]:
    shop = key.removeprefix(PREFIX)
    if shop == key or not is_shop(shop):  # a name of any length would be part of a row's key
        raise NotFound("No connection with this key exists in this workspace.")
    store = known_store(StoreRepository(workspace), Platform.SHOPIFY, shop)
    awaited = InstallRepository(workspace).get(shop)
    if store is None and awaited is None:
        raise NotFound("No connection with this key exists in this workspace.")
    return shop, store, awaited


def _listed(store: Store | None) -> ListedStore | None:
    if store is None:
        return None
    return ListedStore(store, TurnsRepository(store.workspace).get(store.id).status)


def _connection(
    shop: str, listed: ListedStore | None, awaited: Install | None, base_url: str
) -> Connection:
    name = listed.store.name if listed else handle_of(shop)
    if awaited is None:
        assert listed is not None  # noqa: S101 - one of the two is what makes it a connection
        state, connected_at = state_of(listed), listed.store.connected_at
        return Connection(shop, name, state, connected_at, None, None)
    # A deployment that no longer has an app can't redirect to Shopify.
    token, app, address = awaited.state(), find_app(), None
    if token is not None and app is not None:
        address = install_address(app, shop, token, f"{base_url}{CALLBACK}")
    return Connection(shop, name, ConnectionState.PENDING, awaited.begun_at, awaited.id, address)
