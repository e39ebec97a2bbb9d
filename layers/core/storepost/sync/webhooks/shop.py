"""Handles webhooks about the shop itself.

Its state is read again, so their order doesn't matter. They are handled one after the other, so
that nothing older is written over it.
"""

from collections.abc import Collection
from dataclasses import replace

from storepost.catalog.products.store_terms import update_terms
from storepost.connections.connections.service import disconnect_shop
from storepost.coupons.backoff import queue_restored
from storepost.people.consent.resending import resend_missed
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.admin import AdminClient, StoredAccess, admin_of, takes_our_tokens
from storepost.shopify.claims import find_claim
from storepost.shopify.details import (
    ShopDetails,
    granted_scopes,
    locales_of,
    shop_details,
)
from storepost.shopify.grants import Grant, find_grant, note_scopes
from storepost.shopify.scopes import lacking, may_make_coupons, may_write_consent
from storepost.stores.imports.service import queue_first_imports
from storepost.stores.stores.model import ConnectionStatus, Store
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.service import save_connected
from storepost.sync.webhooks.messages import Webhook
from storepost.values.logs import logger


def app_removed(store: Store, webhook: Webhook) -> None:
    """Disconnects the shop of `app/uninstalled`, after checking that the shop refuses our tokens.

    Does nothing where the shop was connected again since. If it approved the app again between the
    check and the commit, those tokens stay. Raises ShopUnavailable.
    """
    if webhook.triggered_at < store.connected_at:
        return
    if takes_our_tokens(webhook.shop):
        logger.warning("a shop that takes our tokens was said to have removed the app")
        return

    def write(changes: Changes) -> None:
        claim = find_claim(webhook.shop)
        stored = StoreRepository(store.workspace).get(store.id)
        if claim is None or stored is None or claim.store_id != store.id or not stored.is_active:
            return
        if webhook.triggered_at >= stored.connected_at:
            disconnect_shop(claim, webhook.triggered_at, changes)

    commit_anew(write)


def scopes_changed(store: Store, _webhook: Webhook) -> None:
    """Writes the granted scopes of `app/scopes_update`, and whether they suffice to connect.

    A store that needed a new approval only because scopes were withdrawn is connected again by
    getting them back, and its records are imported. The shop is sent what it refused before.
    """
    with _admin_despite_scopes(store) as admin:
        granted = granted_scopes(admin)
    status = ConnectionStatus.NEEDS_REAUTH if lacking(granted) else ConnectionStatus.CONNECTED

    def write(changes: Changes) -> None:
        repository = StoreRepository(store.workspace)
        stored = repository.get(store.id)
        grant = find_grant(store.external_id)
        if stored is None or not (_is_connected(stored) or _lacks_scopes(stored, grant)):
            return
        if grant is not None and grant.scopes != granted:
            note_scopes(changes, grant, granted)
        after = replace(
            stored,
            connection_status=status,
            takes_consent=may_write_consent(granted),
            makes_coupons=may_make_coupons(granted),
        )
        if after != stored:
            repository.save(changes, after)
        if _is_connected(after):
            _make_up(changes, stored, after)

    commit_anew(write)


def _admin_despite_scopes(store: Store) -> AdminClient:
    """Returns a client of the shop, also if it only lacks scopes. Raises NeedsReauth."""
    if _lacks_scopes(store, find_grant(store.external_id)):
        return AdminClient(store.external_id, StoredAccess(store.external_id))
    return admin_of(store)


def _is_connected(store: Store) -> bool:
    return store.connection_status is ConnectionStatus.CONNECTED


def _lacks_scopes(store: Store, grant: Grant | None) -> bool:
    """Returns whether the shop must approve the app again because it withdrew scopes."""
    needs_reauth = store.connection_status is ConnectionStatus.NEEDS_REAUTH
    return needs_reauth and grant is not None and bool(lacking(grant.scopes))


def _make_up(changes: Changes, before: Store, after: Store) -> None:
    """Imports and sends what the shop's scopes may have prevented."""
    if not _is_connected(before):
        # Shopify sent no webhooks of what the shop didn't let us read.
        queue_first_imports(changes, after.workspace, after.id)
    _send_refused(changes, after)


def _send_refused(changes: Changes, store: Store) -> None:
    """Sends a shop what it may have refused for lack of a permission that it gives now.

    It may have given it all the time by what is stored here: the webhooks about a permission that
    it withdrew and gave again may both come late.
    """
    if store.takes_consent:
        resend_missed(changes, store.workspace, store.id)
    if store.makes_coupons:
        queue_restored(changes, store.workspace, store.id)


def details_changed(store: Store, _webhook: Webhook) -> None:
    """Writes the shop's name, addresses and locales, after `locales/…` and `shop/update`.

    The currency stays, as imported amounts are in it.
    """
    grant = find_grant(store.external_id)
    granted = grant.scopes if grant else ()
    with admin_of(store) as admin:
        details = shop_details(admin, granted)

    def write(changes: Changes) -> None:
        repository = StoreRepository(store.workspace)
        stored = repository.get(store.id)
        if (
            stored is not None
            and stored.is_active
            and (after := _with(stored, details, granted)) != stored
        ):
            save_connected(repository, after, changes, is_new=False)
            update_terms(changes, stored, after)

    commit_anew(write)


def _with(store: Store, details: ShopDetails, granted: Collection[str]) -> Store:
    locales = locales_of(details, granted, store.locales)
    return replace(
        store,
        name=details.name,
        contact_email=details.contact_email,
        storefront_url=details.storefront_url,
        primary_locale=locales[0].locale,
        locales=locales,
    )
