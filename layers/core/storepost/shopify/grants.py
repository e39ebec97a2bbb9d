"""A shop's tokens for the app, sealed, in one row under the shop's own name.

A grant belongs to the app and the shop, whatever workspace the shop is connected to: Shopify keeps
one at a time, and a newer one invalidates those before it. The claim decides who may use it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from pynamodb.attributes import JSONAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition

from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute, find
from storepost.platform.persistence.mapping import as_value
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.shopify.oauth import Tokens
from storepost.values import clock
from storepost.values.ids import new_id


class ShopGrantItem(Item, discriminator="shop_grant"):
    """The shop's tokens, and the lease of the run that refreshes them."""

    grant_id = Identifier()
    access_token = UnicodeAttribute()
    access_ends_at = UtcDateTimeAttribute()
    refresh_token = UnicodeAttribute()
    refresh_ends_at = UtcDateTimeAttribute()
    scopes = JSONAttribute()
    approved_at = UtcDateTimeAttribute()
    refreshed_by = Identifier(null=True)
    refreshing_ends_at = UtcDateTimeAttribute(null=True)


@dataclass(frozen=True)
class Grant:
    """A shop's tokens, still sealed; each pair has its own id."""

    id: UUID
    shop: str
    access_ends_at: datetime
    refresh_ends_at: datetime
    scopes: tuple[str, ...]
    approved_at: datetime
    """When the app was approved; a refresh keeps it."""
    sealed_access_token: str = field(repr=False)
    sealed_refresh_token: str = field(repr=False)

    def access_token(self) -> str:
        """Returns the token for requests."""
        return self._opened(self.sealed_access_token, Purpose.SHOP_ACCESS_TOKEN)

    def refresh_token(self) -> str:
        """Returns the token for a refresh."""
        return self._opened(self.sealed_refresh_token, Purpose.SHOP_REFRESH_TOKEN)

    def _opened(self, sealed: str, purpose: Purpose) -> str:
        return unseal(sealed, purpose, _context(self.shop, self.id)).decode()


def grant_key(shop: str) -> Key:
    """Returns the key of the shop's tokens."""
    return (f"shop#{shop}", "grant")


def find_grant(shop: str) -> Grant | None:
    """Returns the shop's tokens, or None where there are none."""
    item = find(ShopGrantItem, grant_key(shop))
    if item is None or (item.expiration is not None and item.expiration <= clock.now()):
        return None
    return _as_grant(shop, item)


def keep_grant(changes: Changes, shop: str, tokens: Tokens, until: datetime | None) -> None:
    """Stores the shop's tokens, replacing earlier ones; without a store, until `until`."""
    changes.save(_item(shop, tokens, clock.now(), until))


def keep_while_connected(changes: Changes, grant: Grant) -> None:
    """Makes these tokens not expire while the shop is connected; a lost race if it has others."""
    changes.update(
        ShopGrantItem(*grant_key(grant.shop)),
        [ShopGrantItem.expiration.remove()],
        ShopGrantItem.grant_id == grant.id,
    )


def delete_grant(changes: Changes, shop: str) -> None:
    """Deletes the shop's tokens."""
    changes.delete(ShopGrantItem(*grant_key(shop)))


def end_grant(changes: Changes, shop: str, removed_at: datetime, valid_for: timedelta) -> None:
    """Deletes the tokens of a shop that uninstalled the app at `removed_at`.

    Newer tokens stay, for as long after their approval as a workspace may be chosen.
    """
    grant = find_grant(shop)
    if grant is None:
        return
    row, unchanged = ShopGrantItem(*grant_key(shop)), ShopGrantItem.grant_id == grant.id
    if grant.approved_at <= removed_at:
        changes.delete(row, unchanged)
    else:
        until = grant.approved_at + valid_for
        changes.update(row, [ShopGrantItem.expiration.set(until)], unchanged)


def note_scopes(changes: Changes, grant: Grant, scopes: Collection[str]) -> None:
    """Writes the scopes that the shop grants now, if its tokens are still these."""
    changes.update(
        ShopGrantItem(*grant_key(grant.shop)),
        [ShopGrantItem.scopes.set(list(scopes))],
        ShopGrantItem.grant_id == grant.id,
    )


def expect_grant(changes: Changes, grant: Grant) -> None:
    """Expects the shop's tokens to be still these."""
    changes.expect(ShopGrantItem(*grant_key(grant.shop)), ShopGrantItem.grant_id == grant.id)


def begin_refresh(grant: Grant, by: UUID, lease: timedelta) -> bool:
    """Takes the lease to refresh these tokens for `by`; returns False if another run has it."""
    now = clock.now()
    free = ShopGrantItem.refreshing_ends_at.does_not_exist() | (
        ShopGrantItem.refreshing_ends_at < now
    )
    actions = [
        ShopGrantItem.refreshed_by.set(by),
        ShopGrantItem.refreshing_ends_at.set(now + lease),
    ]
    return _at_once(grant, actions, (ShopGrantItem.grant_id == grant.id) & free)


def end_refresh(grant: Grant, by: UUID) -> None:
    """Returns the lease after a refresh without a result."""
    actions = [ShopGrantItem.refreshed_by.remove(), ShopGrantItem.refreshing_ends_at.remove()]
    _at_once(grant, actions, ShopGrantItem.refreshed_by == by)


def replace_grant(grant: Grant, by: UUID, tokens: Tokens) -> Grant | None:
    """Replaces the tokens with the new ones; None if `by` has lost the lease to another run."""
    item = _item(grant.shop, tokens, grant.approved_at)
    actions = [
        ShopGrantItem.grant_id.set(item.grant_id),
        ShopGrantItem.access_token.set(item.access_token),
        ShopGrantItem.access_ends_at.set(item.access_ends_at),
        ShopGrantItem.refresh_token.set(item.refresh_token),
        ShopGrantItem.refresh_ends_at.set(item.refresh_ends_at),
        ShopGrantItem.scopes.set(item.scopes),
        ShopGrantItem.refreshed_by.remove(),
        ShopGrantItem.refreshing_ends_at.remove(),
    ]
    unchanged = (ShopGrantItem.grant_id == grant.id) & (ShopGrantItem.refreshed_by == by)
    return _as_grant(grant.shop, item) if _at_once(grant, actions, unchanged) else None


def _at_once(grant: Grant, actions: Sequence[object], condition: Condition) -> bool:
    changes = Changes()
    changes.update(ShopGrantItem(*grant_key(grant.shop)), list(actions), condition)  # type: ignore[arg-type]
    try:
        changes.commit()
    except LostRace:
        return False
    return True


def _item(
    shop: str, tokens: Tokens, approved_at: datetime, until: datetime | None = None
) -> ShopGrantItem:
    grant_id = new_id()
    context = _context(shop, grant_id)
    return ShopGrantItem(
        *grant_key(shop),
        grant_id=grant_id,
        access_token=seal(tokens.access_token.encode(), Purpose.SHOP_ACCESS_TOKEN, context),
        access_ends_at=tokens.access_ends_at,
        refresh_token=seal(tokens.refresh_token.encode(), Purpose.SHOP_REFRESH_TOKEN, context),
        refresh_ends_at=tokens.refresh_ends_at,
        scopes=list(tokens.scopes),
        approved_at=approved_at,
        expiration=until,
    )


def _as_grant(shop: str, item: ShopGrantItem) -> Grant:
    return as_value(
        Grant,
        item,
        id=item.grant_id,
        shop=shop,
        scopes=tuple(item.scopes),
        sealed_access_token=item.access_token,
        sealed_refresh_token=item.refresh_token,
    )


def _context(shop: str, grant_id: UUID) -> str:
    return f"{shop}#{grant_id}"
