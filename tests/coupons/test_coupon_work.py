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

    def test_that_of_no_load_or_an_earlier_chunk(self) -> None:
        for work in (WORK, replace(WORK, chunk=None)):
            assert work.has_listed(_code(None), LATER)
            assert work.has_listed(_code(49), LATER)

    def test_those_of_the_chunk_up_to_the_last_one_that_is_listed(self) -> None:
        assert WORK.has_listed(_code(50), EARLIER)
        assert WORK.has_listed(_code(50), KEY)
        assert not WORK.has_listed(_code(50), LATER)

    def test_none_of_a_chunk_that_began_after_the_work_was_read(self) -> None:
        """A batch of orders keeps what it read: an old row must not make a new code listed."""
        for work in (WORK, replace(WORK, chunk=None)):
            assert not work.has_listed(_code(90), EARLIER)
        assert not replace(WORK, chunk=None).has_listed(_code(50), EARLIER)
