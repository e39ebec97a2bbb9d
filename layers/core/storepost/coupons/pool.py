"""Adding codes to a coupon: made ones, and imported ones of which the store has no such yet."""

from collections.abc import Iterable
from dataclasses import replace

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id, made_code
from storepost.coupons.model import Code, CodeStatus, Coupon, Use
from storepost.platform.persistence.changes import Changes
from storepost.values import clock

CODES_ADDED_AT_ONCE = 38
"""In one transaction: each is its row and its entry; the rest is for nodes, and for how far the
work is."""


def first_status(coupon: Coupon) -> CodeStatus:
    """Returns what a code begins as: the platform has to take it first, where it has to know it."""
    return CodeStatus.PENDING if coupon.on_platform else CodeStatus.AVAILABLE


def made_codes(coupon: Coupon, count: int) -> list[str]:
    """Returns so many new codes of the coupon."""
    made = dict[str, None]()
    while len(made) < count:
        made[made_code(coupon.prefix)] = None
    return list(made)


def add_codes(
    changes: Changes, codes: CodeRepository, coupon: Coupon, texts: Iterable[str]
) -> tuple[int, int]:
    """Adds those of the codes that the store doesn't have; how many it did, and how many it has.

    One that an order has had already is used from the beginning.
    """
    texts_by_id = {code_id(coupon.store_id, text): text for text in texts}
    find_stored, now = codes.find_stored(texts_by_id), clock.now()
    added = 0
    for identifier, text in texts_by_id.items():
        found = find_stored.get(identifier)
        if isinstance(found, Code):
            continue
        new = Code(identifier, coupon.id, text, first_status(coupon), now)
        codes.save(changes, None, used(new, found) if isinstance(found, Use) else new)
        added += 1
    return added, len(texts_by_id) - added


def used(code: Code, use: Use) -> Code:
    """Returns the code after an order had it, whatever it was before."""
    return replace(code, status=CodeStatus.USED, use=use, error=None)
