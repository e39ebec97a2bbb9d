"""Storing the codes of a pool: made ones, or those of a file, a chunk in a transaction.

How far the work is stands in its row, which each chunk moves on. So it may be killed anywhere: no
code is stored twice, and none is left out.
"""

from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.model import Coupon
from storepost.coupons.pool import CODES_ADDED_AT_ONCE, add_codes, made_codes
from storepost.coupons.repository import CouponRepository, CouponWork
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.objects import ObjectGone, get_object
from storepost.platform.persistence.reads import ReadAhead
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope


class Filling:
    """One run's storing of a coupon's codes."""

    def __init__(self, workspace: WorkspaceScope, coupon_id: UUID) -> None:
        """Nothing read yet."""
        self._coupons = CouponRepository(workspace)
        self._scope = workspace
        self._coupon_id = coupon_id
        self._reads = ReadAhead()
        self._content: tuple[str, bytes] | None = None

    def store_some(self) -> bool:
        """Stores a chunk of the oldest request's codes; returns whether there may be more."""
        return commit_anew(self._store_some, self._reads)

    def _store_some(self, changes: Changes) -> bool:
        coupon = self._coupons.get(self._coupon_id)
        works = self._coupons.works(self._coupon_id)
        if coupon is None or not works:
            return False
        self._reads.next()
        if coupon.is_active(clock.now()):
            self._store(changes, coupon, works[0])
        else:
            self._coupons.end_unstored(changes, coupon.id, works[0])
        return True

    def _store(self, changes: Changes, coupon: Coupon, work: CouponWork) -> None:
        codes = CodeRepository(self._scope, self._reads)
        if work.object_name is None:
            texts = made_codes(coupon, min(work.remaining, CODES_ADDED_AT_ONCE))
            added, _ = add_codes(changes, codes, coupon, texts)
            remaining = work.remaining - added
            self._coupons.save_progress(changes, work, remaining=remaining, next_byte=0)
            return
        try:
            content = self._content_of(work.object_name)
        except ObjectGone as error:
            log_unexpected(error)
            self._coupons.drop(changes, work)
            return
        texts, next_byte = next_lines(content, work.next_byte, CODES_ADDED_AT_ONCE)
        _, known = add_codes(changes, codes, coupon, texts)
        if known:
            self._coupons.skip(changes, coupon.id, known)
        remaining = work.remaining - len(texts) if next_byte < len(content) else 0
        self._coupons.save_progress(changes, work, remaining=remaining, next_byte=next_byte)

    def _content_of(self, name: str) -> bytes:
        if self._content is None or self._content[0] != name:
            self._content = (name, get_object(name))
        return self._content[1]


def next_lines(content: bytes, begin: int, limit: int) -> tuple[list[str], int]:
    """Returns the lines from a byte on, and the byte at which the next one begins."""
    lines, at = list[str](), begin
    while len(lines) < limit and at < len(content):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        lines.append(content[at:end].decode())
        at = end + 1
    return lines, at
