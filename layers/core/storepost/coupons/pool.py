"""Adds codes to a coupon: generated ones, or imported ones that the store doesn't have yet."""

from collections.abc import Iterable
from dataclasses import replace

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id, made_code
from storepost.coupons.model import Code, CodeStatus, Coupon, Use
from storepost.platform.persistence.changes import Changes
from storepost.values import clock

CODES_ADDED_AT_ONCE = 38
"""Codes in one transaction: each has its row and its entry; nodes and the work's row take the rest.
"""


def first_status(coupon: Coupon) -> CodeStatus:
    """Returns a code's first status: `pending`, if the platform must accept it first."""
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
    """Adds the codes that the store doesn't have; returns how many, and how many it has.

    A code that an order used before is used from the beginning.
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
    """Returns the code as used by an order, whatever its status was."""
    return replace(code, status=CodeStatus.USED, use=use, error=None)
