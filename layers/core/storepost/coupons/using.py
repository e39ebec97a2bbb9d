"""Marks codes in orders as used, whoever buys, before or after the code is one of ours.

Of several orders with one code, the one that was placed first uses it, so that any order of arrival
has the same result.
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
    """Returns the keys of the rows that an order's codes need."""
    return [code_key(store.workspace, each) for each in _ids(store.id, texts)]


def mark_used(changes: Changes, store: Store, texts: Iterable[str], use: Use) -> None:
    """Adds to a unit of work that an order used these codes, unless an earlier order did.

    If the order used a code before, the use becomes what the order says of itself now.
    """
    ids = _ids(store.id, texts)
    if not ids:
        return
    codes = CodeRepository(store.workspace, changes.reads)
    find_stored, ended_with = codes.find_stored(ids), set[UUID]()
    for each in ids:
        found = find_stored.get(each)
        known = found.use if isinstance(found, Code) else found
        if known and not use.replaces(known):
            continue
        if isinstance(found, Code):
            codes.save(changes, found, used(found, use))
            ended_with |= _coupon_at_shop(found)
        else:
            codes.keep_use(changes, each, use)
    _queue_ended(changes, store, ended_with)


def _coupon_at_shop(code: Code) -> set[UUID]:
    """Returns the code's coupon, if a shop keeps an ended coupon's discount for this code."""
    is_in_shop = code.status is CodeStatus.ASSIGNED and code.external_id is not None
    return {code.coupon_id} if is_in_shop else set()


def _queue_ended(changes: Changes, store: Store, coupon_ids: Iterable[UUID]) -> None:
    """Queues ended coupons, so that the worker checks whether anybody still has a code of them."""
    coupons = CouponRepository(store.workspace, changes.reads)
    for each in coupon_ids:
        coupon = coupons.get(each)
        if coupon and not coupon.is_active(clock.now()):
            coupons.send(changes, each)


def _ids(store_id: UUID, texts: Iterable[str]) -> list[UUID]:
    """Returns the ids of texts that may be codes; blanks around them don't count."""
    named = dict.fromkeys(folded(text.strip()) for text in texts)
    return [code_id(store_id, text) for text in named if text]
