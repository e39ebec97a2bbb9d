"""What a work row that was read earlier says of codes that are loaded."""

from dataclasses import replace
from uuid import uuid4

from storepost.coupons.coupon_work import Chunk, CouponWork
from storepost.coupons.model import Code, CodeStatus, LoadMark
from storepost.values import clock

KEY, EARLIER, LATER = "2026-m", "2026-a", "2026-z"
WORK = CouponWork(uuid4(), 1, 36, "codes", 50, None, Chunk(clock.now(), 18, 90, 9, KEY))


def _code(begin: int | None) -> Code:
    load = None if begin is None else LoadMark(WORK.id, begin)
    return Code(uuid4(), uuid4(), "A-1", CodeStatus.AVAILABLE, clock.now(), load=load)


class TestListed:
    """Whether the coupon's list shows a code."""

    def test_code_of_no_load_or_earlier_chunk_is_listed(self) -> None:
        for work in (WORK, replace(WORK, chunk=None)):
            assert work.has_listed(_code(None), LATER)
            assert work.has_listed(_code(49), LATER)

    def test_codes_of_chunk_are_listed_up_to_its_last_listed_key(self) -> None:
        assert WORK.has_listed(_code(50), EARLIER)
        assert WORK.has_listed(_code(50), KEY)
        assert not WORK.has_listed(_code(50), LATER)

    def test_codes_of_later_chunk_are_not_listed(self) -> None:
        """A batch of orders keeps what it read: an old row must not make a new code listed."""
        for work in (WORK, replace(WORK, chunk=None)):
            assert not work.has_listed(_code(90), EARLIER)
        assert not replace(WORK, chunk=None).has_listed(_code(50), EARLIER)
