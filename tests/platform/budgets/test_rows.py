"""Rows of budgets: counted by one update, with concurrent counts, and without answers."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pynamodb.exceptions import UpdateError

from storepost.platform.budgets import spending
from storepost.platform.budgets.model import LEASE, Budget, Policy, Usage
from storepost.platform.budgets.repository import BudgetItem, count, workspace_budget_key
from storepost.platform.budgets.spending import Spending
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.budgeting import clock_at_rest
from tests.harness.world import World
from tests.platform.budgets.test_bucket import Row

POLICY = Policy("workspace", 50, 2)


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    with clock_at_rest():
        yield


@pytest.fixture
def budget() -> Budget:
    """A workspace's."""
    return Budget(workspace_budget_key(WorkspaceScope(new_id())), POLICY)


class TestCounting:
    """`count` against the model that the bucket's own tests use."""

    @given(
        st.lists(
            st.tuples(st.integers(0, 3000), st.integers(1, 800), st.integers(0, 3)), max_size=12
        )
    )
    def test_count_equals_the_model(self, reports: list[tuple[int, int, int]]) -> None:
        key, row, seen = workspace_budget_key(WorkspaceScope(new_id())), Row(), [0, 0, 0, 0]
        try:
            for since, cost, container in reports:
                usage = Usage(1_000_000 + since, cost)
                expected = row.count(usage, seen[container])
                assert count(key, usage, seen[container]) == expected
                seen[container] = expected[0]
        finally:
            World().close()

    def test_row_expires_after_a_day(self, world: World, budget: Budget) -> None:
        for _ in range(2):
            stored = count(budget.key, Usage(int(clock.now().timestamp() * 1000), 400), 0)[0]
            [row] = world.rows()
            assert isinstance(row, BudgetItem)
            assert row.full_at == stored
            assert row.expiration is not None
            remaining = row.expiration - clock.now()
            assert 23.9 < remaining.total_seconds() / 3600 <= 24

    def test_deleted_row_is_created_again(self, world: World, budget: Budget) -> None:
        stored, _ = count(budget.key, Usage(1_000_000, 400), 0)
        BudgetItem(*budget.key).delete()
        assert count(budget.key, Usage(1_000_100, 400), stored) == (0, 1)
        assert world.rows() == [], "it would begin in 1970"
        assert count(budget.key, Usage(1_000_200, 400), 0) == (1_000_600, 1)


@pytest.fixture
def unanswered() -> Iterator[list[Any]]:
    """The calls to the table while it throttles every count."""
    calls: list[Any] = []

    def throttled(*args: Any) -> Any:
        calls.append(args)
        raise UpdateError("throttled")

    with mock.patch.object(spending, "count", throttled):
        yield calls


class TestSpending:
    """What one container does with budgets."""

    def test_table_is_written_once_per_twenty_requests(self, world: World, budget: Budget) -> None:
        spent, counted = Spending(), list[tuple[int, float]]()
        for number in range(10 * LEASE):
            assert spent.spend([budget])[0].wait == 0
            row = find(BudgetItem, budget.key)
            if row and (not counted or row.full_at != counted[-1][1]):
                counted.append((number, row.full_at))
            world.advance(seconds=1)
        assert [number for number, _ in counted] == list(range(LEASE - 1, 10 * LEASE, LEASE))

    def test_requests_pass_if_the_table_is_throttled(
        self, world: World, budget: Budget, unanswered: list[Any]
    ) -> None:
        spent = Spending()
        for _ in range(10 * POLICY.quota):
            assert spent.spend([budget])[0].wait == 0
        assert len(unanswered) == 10 * POLICY.quota / LEASE

    def test_exhausted_budget_spends_none_of_the_other(self, world: World, budget: Budget) -> None:
        small = Budget((budget.key[0], "small"), Policy("key", 10, 1))
        spent = Spending()
        remaining = [spent.spend([small, budget])[1].remaining for _ in range(50)]
        assert remaining[9:] == [remaining[9]] * 41

    def test_evicts_the_least_recently_used_budget(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(spending, "MAX_BUCKETS", 2)
        spent = Spending()
        budgets = [Budget(("pk", f"{n}"), POLICY) for n in range(3)]
        for chosen in (0, 1, 0, 2, 0):
            remaining = spent.spend([budgets[chosen]])[0].remaining
        assert remaining == POLICY.quota - 3
        assert spent.spend([budgets[1]])[0].remaining == POLICY.quota - 1
