"""Provides a shop's access token that works now.

It is refreshed some minutes before it expires, by one run at a time: that run holds a lease on the
shop's row, the others wait for its result. If it is killed between Shopify's answer and our write,
the lease expires and the next run uses the same refresh token again. Shopify accepts that until the
lost token is used, which is never.
"""

from dataclasses import replace
from datetime import timedelta

from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.app import shopify_app
from storepost.shopify.claims import find_claim
from storepost.shopify.errors import NeedsReauth, ShopUnavailable
from storepost.shopify.grants import (
    Grant,
    begin_refresh,
    end_refresh,
    expect_grant,
    find_grant,
    replace_grant,
)
from storepost.shopify.oauth import GrantRefused, refreshed_tokens
from storepost.shopify.patience import Patience
from storepost.stores.stores.model import ConnectionStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id

EARLY = timedelta(minutes=5)
"""No request takes longer: a token that works at its start works at its end."""

LEASE = timedelta(seconds=30)
"""Longer than a refresh takes, with its timeout; a killed run delays the others by this."""

LOOK_AGAIN_SECONDS = 0.5


def usable_grant(shop: str, patience: Patience) -> Grant:
    """Returns tokens whose access token works for some minutes more.

    Raises NeedsReauth where somebody must approve the app again, and ShopUnavailable.
    """
    grant = find_grant(shop)
    if grant is None:
        raise NeedsReauth("the shop has given no tokens")
    return grant if clock.now() < grant.access_ends_at - EARLY else renewed_grant(grant, patience)


def renewed_grant(grant: Grant, patience: Patience) -> Grant:
    """Returns new tokens in place of these, which the shop refuses; one run fetches them.

    Raises NeedsReauth and ShopUnavailable.
    """
    by = new_id()
    while not begin_refresh(grant, by, LEASE):
        stored = _stored_grant(grant.shop)
        if stored.id != grant.id:
            return stored
        patience.wait(LOOK_AGAIN_SECONDS, "somebody else is refreshing the shop's tokens")
    try:
        tokens = refreshed_tokens(shopify_app(), grant.shop, grant.refresh_token())
    except GrantRefused as refused:
        end_refresh(grant, by)
        return _after_refusal(grant, refused)
    except ShopUnavailable:
        end_refresh(grant, by)
        raise
    return replace_grant(grant, by, tokens) or _stored_grant(grant.shop)


def _give_up(grant: Grant) -> None:
    """Marks the shop's store as in need of a new approval, if these are still its tokens."""

    def note(changes: Changes) -> None:
        claim, stored = find_claim(grant.shop), find_grant(grant.shop)
        if claim is None or stored is None or stored.id != grant.id:
            return
        stores = StoreRepository(claim.workspace)
        store = stores.get(claim.store_id)
        if store is None or store.connection_status is not ConnectionStatus.CONNECTED:
            return
        expect_grant(changes, grant)
        stores.save(changes, replace(store, connection_status=ConnectionStatus.NEEDS_REAUTH))

    commit_anew(note)


def _after_refusal(grant: Grant, refused: GrantRefused) -> Grant:
    stored = find_grant(grant.shop)
    if stored is not None and stored.id != grant.id:
        return stored  # the app was approved again meanwhile
    _give_up(grant)
    raise NeedsReauth(f"the shop refused to refresh its tokens: {refused}") from refused


def _stored_grant(shop: str) -> Grant:
    stored = find_grant(shop)
    if stored is None:
        raise NeedsReauth("the shop's tokens are no longer valid")
    return stored
