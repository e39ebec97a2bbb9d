"""Budgets of a day, compared with a plain leaking bucket."""

from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.platform.budgets.daily import take_one
from storepost.platform.budgets.repository import opt_in_budget_key
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.budgeting import clock_at_rest
from tests.harness.world import World

HOUR = timedelta(hours=1)


@pytest.fixture
def _nothing_stored(world: World) -> None:
    """A table."""


@pytest.mark.usefixtures("_nothing_stored")
# Each example moves the fixture's clock, from wherever the one before has left it.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    per_day=st.sampled_from([1, 3, 4, 24]),
    hours=st.lists(st.sampled_from([0, 0, 0, 1, 5, 6, 8, 23, 24, 25, 72]), max_size=20),
)
def test_use_is_allowed_as_by_a_leaking_bucket(per_day: int, hours: list[int]) -> None:
    key, level = opt_in_budget_key(WorkspaceScope(new_id())), Fraction(per_day)
    with clock_at_rest():
        for each in hours:
            clock.advance(each * HOUR)
            level = min(Fraction(per_day), level + Fraction(each * per_day, 24))
            wait = take_one(key, per_day)
            if level >= 1:
                assert wait is None
                level -= 1
            else:
                missing = (1 - level) * Fraction(24, per_day)
                assert wait == timedelta(hours=float(missing))
