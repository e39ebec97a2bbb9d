"""Codes whose worker meets throttling, conflicts and lost answers: each is stored once."""

import pytest

from storepost.coupons import filling, trees
from storepost.coupons.rows import CouponWorkItem
from storepost.platform.persistence.counted_tree import Packing
from tests.coupons.coupon_store import Shop, counts
from tests.harness.faults import FakeTime
from tests.harness.throttling import MANY, Throttling, run_until_done

QUEUE = "CouponCodeQueue"
TEXTS = [f"C-{n:02}" for n in range(36)]


@pytest.fixture(autouse=True)
def _small_chunks_and_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small, so that the codes are several chunks, and most of them are in pages."""
    monkeypatch.setattr(filling, "CODES_OF_A_CHUNK", 9)
    small = Packing(entries=5, fold_after=5, ends=2, node_fan_out=3)
    monkeypatch.setattr(trees, "PACKING", small)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seconds", [None, 30.1])
@pytest.mark.parametrize("kind", ["file", "made"])
def test_each_code_is_stored_once_despite_throttling(
    shop: Shop, fake_time: FakeTime, kind: str, seed: int, seconds: float | None
) -> None:
    """Three calls in ten are refused; one in ten is carried out and its answer lost.

    Also with runs of a tenth of a second, which leave the rest to the next message.
    """
    shop.use("c-03")
    shop.import_codes("c-07")
    shop.world.deliver()
    if kind == "file":
        coupon, expected = (
            shop.import_codes("\n".join(TEXTS)).json["id"],
            counts(available=34, used=1),
        )
    else:
        coupon, expected = shop.pool(38 + 36), counts(available=38 + 36)
    shop.world.deliver_outbox()
    faults = Throttling(fake_time, seed)
    requests = run_until_done(
        faults, QUEUE, lambda tries: shop.works(coupon, tries), lambda: works(shop) > 0, seconds
    )
    assert (requests.runs > 1) == (seconds is not None)
    assert faults.share > MANY
    after = shop.get(f"/coupons/{coupon}")
    assert after["codes"] == expected
    assert after["importSkipped"] == (1 if kind == "file" else None)
    assert len(set(shop.texts(coupon))) == sum(expected.values())
    shop.check()


def works(shop: Shop) -> int:
    """How many requests have codes that are still to be stored."""
    return sum(isinstance(row, CouponWorkItem) for row in shop.world.rows(shop.workspace.key))
