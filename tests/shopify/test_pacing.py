"""Shopify's limit: how long is long enough, against a bucket that is only counted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.shopify.documents import SHOP, SHOP_LOCALES
from storepost.shopify.errors import RequestRefused
from storepost.shopify.pacing import Bucket, Cost, Pacer, cost_of

AT = datetime(2026, 11, 21, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def held_after(bucket: Bucket, milliseconds: int) -> float:
    """The bucket's content then, filled millisecond by millisecond."""
    level = bucket.available
    for _ in range(milliseconds):
        level = min(bucket.maximum, level + bucket.restored_a_second / 1000)
    return level


@given(
    available=st.integers(0, 2000),
    rate=st.sampled_from([50.0, 100.0, 1000.0]),
    cost=st.integers(1, 2000),
    passed=st.integers(0, 3000),
)
def test_wait_is_the_shortest_that_restores_the_cost(
    available: int, rate: float, cost: int, passed: int
) -> None:
    bucket = Bucket(2000.0, float(available), rate, AT)
    seconds = bucket.seconds_until(cost, AT + passed * MILLISECOND)
    milliseconds = round(seconds * 1000)
    assert held_after(bucket, passed + milliseconds) >= cost - 1e-6
    if milliseconds:
        assert held_after(bucket, passed + milliseconds - 1) < cost + 1e-6
    assert seconds <= cost / rate + 0.001


def test_clock_going_backwards_restores_nothing() -> None:
    bucket = Bucket(100.0, 10.0, 10.0, AT)
    assert bucket.seconds_until(20, AT - timedelta(hours=1)) == 1.0


class TestPacer:
    """The state of one client."""

    def test_no_wait_before_first_response(self) -> None:
        assert Pacer().seconds_before(SHOP) == 0

    def test_wait_depends_on_cost_of_document(self) -> None:
        pacer, empty = Pacer(), Bucket(1000.0, 0.0, 100.0, AT.replace(year=2100))
        pacer.note(SHOP, Cost(50.0, empty))
        assert pacer.seconds_before(SHOP) == 0.5
        assert pacer.seconds_before(SHOP_LOCALES) == 0
        pacer.note(SHOP_LOCALES, Cost(500.0, empty))
        assert pacer.seconds_before(SHOP_LOCALES) == 5.0
        assert pacer.seconds_before(SHOP) == 0.5

    def test_cost_above_bucket_maximum_is_refused(self) -> None:
        bucket = Bucket(1000.0, 1000.0, 100.0, AT)
        Pacer().note(SHOP, Cost(1000.0, bucket))
        with pytest.raises(RequestRefused, match="shop costs more"):
            Pacer().note(SHOP, Cost(1000.5, bucket))


TOLD: dict[str, Any] = {
    "requestedQueryCost": 101,
    "actualQueryCost": 46,
    "throttleStatus": {
        "maximumAvailable": 1000.0,
        "currentlyAvailable": 954,
        "restoreRate": 50.0,
    },
}


class TestCost:
    """The cost in an answer."""

    def test_cost_is_read_from_response(self) -> None:
        cost = cost_of({"extensions": {"cost": TOLD}})
        assert cost is not None
        assert cost.requested == 101
        assert replace(cost.bucket, at=AT) == Bucket(1000.0, 954.0, 50.0, AT)

    @pytest.mark.parametrize(
        "answer",
        [
            {},
            {"extensions": None},
            {"extensions": {}},
            {"extensions": {"cost": {}}},
            {"extensions": {"cost": {**TOLD, "requestedQueryCost": None}}},
            {"extensions": {"cost": {**TOLD, "throttleStatus": []}}},
            {"extensions": {"cost": {**TOLD, "throttleStatus": {"restoreRate": 1}}}},
            {
                "extensions": {
                    "cost": {
                        **TOLD,
                        "throttleStatus": {**TOLD["throttleStatus"], "restoreRate": 0},
                    }
                }
            },
        ],
    )
    def test_malformed_cost_is_ignored(self, answer: dict[str, Any]) -> None:
        assert cost_of(answer) is None
