"""Codes that orders carry: used, whoever buys, before or after the code is one of ours.

Of several orders with one code it is used by the one that was placed first, so that the same comes
of every order of arrival.
"""

from collections.abc import Iterable
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id, folded
from storepost.coupons.keys import code_key
from storepost.coupons.model import Code, CodeStatus, Use
from storepost.coupons.pool import used
from storepost.coupons.repository import CouponRepository
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key
from storepost.stores.stores.model import Store
from storepost.values import clock


def keys_of_codes(store: Store, texts: Iterable[str]) -> list[Key]:
    """Returns the rows that are read of what an order carries."""
    return [code_key(store.workspace, each) for each in _ids(store.id, texts)]


def mark_used(changes: Changes, store: Store, texts: Iterable[str], use: Use) -> None:
    """Adds to a unit of work that an order had these codes; nothing where an earlier one did."""
    ids = _ids(store.id, texts)
    if not ids:
        return
    codes = CodeRepository(store.workspace, changes.reads)
    find_stored, ended_with = codes.find_stored(ids), set[UUID]()
    for each in ids:
        found = find_stored.get(each)
        known = found.use if isinstance(found, Code) else found
        if known and not use.is_before(known):
            continue
        if isinstance(found, Code):
            codes.save(changes, found, used(found, use))
            ended_with |= _coupon_at_shop(found)
        else:
            codes.keep_use(changes, each, use)
    _queue_ended(changes, store, ended_with)


def _coupon_at_shop(code: Code) -> set[UUID]:
    """The coupon of the code if a shop keeps an ended one's discount for as long as that lives."""
    is_in_shop = code.status is CodeStatus.ASSIGNED and code.external_id is not None
    return {code.coupon_id} if is_in_shop else set()


def _queue_ended(changes: Changes, store: Store, coupon_ids: Iterable[UUID]) -> None:
    """Has the worker see whether anybody still has a code of those of the coupons that are over."""
    coupons = CouponRepository(store.workspace, changes.reads)
    for each in coupon_ids:
        coupon = coupons.get(each)
        if coupon and not coupon.is_active(clock.now()):
            coupons.send(changes, each)


def _ids(store_id: UUID, texts: Iterable[str]) -> list[UUID]:
    """The ids of what could be codes; text that is cut at its ends, as people write it."""
    named = dict.fromkeys(folded(text.strip()) for text in texts)
    return [code_id(store_id, text) for text in named if text]
