"""The store that a shop is connected as: one at a time, across all workspaces.

A row in a due queue says when a connected shop's tokens are next used, as tokens that aren't used
for 90 days expire.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zlib import crc32

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.condition import Condition

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute, find
from storepost.stores.stores.model import Store
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

UPKEEP_EVERY = timedelta(days=30)
"""So a refresh token is used at least twice more before it expires."""

RETRY_AFTER = timedelta(days=1)
"""For a shop that can't be reached, so that it doesn't delay the others."""

RETRY_WITHIN = timedelta(hours=6)
"""Each shop's retry is spread over this time, so that shops that failed together don't retry
together.
"""

SHARDS = 8
PARTITION = "due#shop_tokens#"
_STORES = "store#"


class ShopClaimItem(Item, discriminator="shop_claim"):
    """The one active store that a shop is connected as."""

    workspace_id = Identifier()
    store_id = Identifier()
    upkeep_at = UtcDateTimeAttribute()


class ShopStoreItem(Item, discriminator="shop_store"):
    """A store that the shop is or was connected as; kept as long as the store's data."""

    workspace_id = Identifier()
    store_id = Identifier()


class FormerShopItem(Item, discriminator="former_shop"):
    """A shop of a deleted workspace; kept for the links in that workspace's emails."""


class ShopUpkeepItem(Item, discriminator="shop_upkeep"):
    """When a connected shop's tokens are next used, even if others use them earlier."""

    shop = UnicodeAttribute()


@dataclass(frozen=True)
class ShopClaim:
    """The store that a shop is connected as."""

    shop: str
    workspace: WorkspaceScope
    store_id: UUID
    upkeep_at: datetime


def claim_key(shop: str) -> Key:
    """Returns the key of a shop's claim."""
    return (f"shop#{shop}", "claim")


def upkeep_key(shop: str, at: datetime) -> Key:
    """Returns the key of the row that makes the shop due at that time."""
    return (f"{PARTITION}{crc32(shop.encode()) % SHARDS}", f"{clock.to_text(at)}#{shop}")


def store_key(shop: str, store_id: UUID) -> Key:
    """Returns the key of the row that says that the shop is or was connected as the store."""
    return (f"shop#{shop}", f"{_STORES}{short(store_id)}")


def stores_of_shop(shop: str) -> list[tuple[WorkspaceScope, UUID]]:
    """Returns every store that the shop is or was connected as."""
    rows = ShopStoreItem.rows_in(f"shop#{shop}", _STORES)
    return [(WorkspaceScope(row.workspace_id), row.store_id) for row in rows]


def former_shop_key(workspace: WorkspaceScope, shop: str) -> Key:
    """Returns the key of the row that names a deleted workspace's shop."""
    return (workspace.partition("former_shops"), shop)


def keep_shops(changes: Changes, workspace: WorkspaceScope, shops: Iterable[str]) -> None:
    """Keeps the names of the shops of a workspace that is being removed; repeatable."""
    for shop in shops:
        changes.save(FormerShopItem(*former_shop_key(workspace, shop)))


def former_shops(workspace: WorkspaceScope) -> list[str]:
    """Returns the shops that a workspace had until it was deleted."""
    partition, _ = former_shop_key(workspace, "")
    return [row.sk for row in FormerShopItem.rows_in(partition)]


def find_claim(shop: str) -> ShopClaim | None:
    """Returns the store that the shop is connected as, or None."""
    item = find(ShopClaimItem, claim_key(shop))
    if item is None:
        return None
    return ShopClaim(shop, WorkspaceScope(item.workspace_id), item.store_id, item.upkeep_at)


def expect_claim(changes: Changes, shop: str, claim: ShopClaim | None) -> None:
    """Expects the shop's claim to be unchanged since it was read."""
    changes.expect(ShopClaimItem(*claim_key(shop)), _same(claim))


def claim_for(changes: Changes, store: Store, stored: ShopClaim | None) -> None:
    """Makes the store the one that its shop is connected as, replacing the claim that was read."""
    shop = store.external_id
    upkeep_at = stored.upkeep_at if stored else clock.now() + UPKEEP_EVERY
    if stored is None:
        changes.create(ShopUpkeepItem(*upkeep_key(shop, upkeep_at), shop=shop))
    _save(changes, ShopClaim(shop, store.workspace, store.id, upkeep_at), stored)
    row = ShopStoreItem(
        *store_key(shop, store.id), workspace_id=store.workspace.id, store_id=store.id
    )
    changes.save(row)


def release(changes: Changes, claim: ShopClaim) -> None:
    """Deletes the claim: the shop isn't connected any more."""
    changes.delete(ShopClaimItem(*claim_key(claim.shop)), _same(claim))
    changes.delete(ShopUpkeepItem(*upkeep_key(claim.shop, claim.upkeep_at)))


def due_shops(shard: int, now: datetime, limit: int) -> Iterable[tuple[str, Key]]:
    """Returns shops whose tokens are due, the longest due first, each with its row's key."""
    rows = ShopUpkeepItem.rows_before(f"{PARTITION}{shard}", clock.to_text(now), limit)
    return [(row.shop, row.key) for row in rows]


def schedule_retry(changes: Changes, shop: str, row: Key, *, failed: bool = False) -> None:
    """Makes the shop due again later; deletes a row that no claim names.

    After a failure the shop is due in about a day.
    """
    claim = find_claim(shop)
    changes.delete(ShopUpkeepItem(*row))
    if claim is None or upkeep_key(shop, claim.upkeep_at) != row:
        return
    again = clock.now() + (_retry_after(shop) if failed else UPKEEP_EVERY)
    changes.create(ShopUpkeepItem(*upkeep_key(shop, again), shop=shop))
    _save(changes, ShopClaim(shop, claim.workspace, claim.store_id, again), claim)


def _retry_after(shop: str) -> timedelta:
    return RETRY_AFTER + RETRY_WITHIN * (crc32(shop.encode()) / 2**32)


def _save(changes: Changes, claim: ShopClaim, stored: ShopClaim | None) -> None:
    item = ShopClaimItem(
        *claim_key(claim.shop),
        workspace_id=claim.workspace.id,
        store_id=claim.store_id,
        upkeep_at=claim.upkeep_at,
    )
    changes.save(item, _same(stored))


def _same(claim: ShopClaim | None) -> Condition:
    if claim is None:
        return ShopClaimItem.pk.does_not_exist()
    same: Condition = (ShopClaimItem.store_id == claim.store_id) & (
        ShopClaimItem.upkeep_at == claim.upkeep_at
    )
    return same
