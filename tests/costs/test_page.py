"""The page of costs against what every operation uses, and how pages are compared."""

import pytest

from storepost.accounts.identity import passwords
from tests.costs.measuring import measure_all
from tests.costs.page import (
    CONSENT,
    MAX_A_CONSENT,
    MAX_WRITES_OF_A_CONSENT,
    ONE_STORE,
    PAGE,
    differences,
    dollars_a_consent,
    named,
    page,
)
from tests.costs.scenario import operations
from tests.costs.scenarios import ALL
from tests.costs.summary import runs_a_month
from tests.harness import least_privilege


def test_every_operation_has_a_scenario() -> None:
    """A new operation needs a scenario too."""
    assert len(operations()) > 80
    assert {scenario.operation for scenario in ALL} == set(operations())


def test_scenario_names_are_unique() -> None:
    """The page distinguishes them."""
    names = [(scenario.operation, scenario.case) for scenario in ALL]
    assert len(names) == len(set(names))


def test_page_lists_every_scenario() -> None:
    """Without dynoxide, this test at least finds a scenario that the page lacks."""
    text = PAGE.read_text("utf-8")
    for scenario in ALL:
        assert f"\n| {named(scenario)} |" in text, "run `make costs`"


@pytest.mark.dynoxide
def test_measured_costs_equal_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of consent costs no more than its bound, too."""
    passwords._hasher.cache_clear()
    # The page leaves out what a container does once, such as fetching its keys.
    monkeypatch.setattr(least_privilege, "clear_key_cache", lambda: None)
    findings = measure_all(ALL)
    off = differences(PAGE.read_text("utf-8"), page(findings))
    assert off == [], "`make costs` writes docs/costs.md anew: see whether you want what it says"
    assert dollars_a_consent(findings) <= MAX_A_CONSENT
    assert findings.of(CONSENT, ONE_STORE).own.writes <= MAX_WRITES_OF_A_CONSENT


@pytest.mark.parametrize(
    ("rule", "runs"), [("rate(1 minute)", 43_200), ("rate(6 hours)", 120), ("rate(1 day)", 30)]
)
def test_runs_per_month_of_a_rate(rule: str, runs: int) -> None:
    """A month has 30 days."""
    assert runs_a_month(rule) == runs


def test_schedule_without_a_rate_is_refused() -> None:
    """The page can't compute their runs yet."""
    with pytest.raises(ValueError, match="no rate"):
        runs_a_month("cron(0 3 * * ? *)")


class TestDifferences:
    """Two pages."""

    LINE = "| `orders.get` | 5 | 0 | 100 | 1,000.50 |"

    def test_equal_pages(self) -> None:
        assert differences(self.LINE, self.LINE) == []

    @pytest.mark.parametrize("calls", ["95", "105"])
    def test_difference_within_five_percent_is_ignored(self, calls: str) -> None:
        assert differences(self.LINE, self.LINE.replace("100 ", f"{calls} ")) == []

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("100 ", "94 "),
            ("100 ", "106 "),
            ("| 0 ", "| 1 "),
            ("1,000.50", "1,060"),
            ("get", "put"),
        ],
    )
    def test_difference_over_five_percent_is_reported(self, before: str, after: str) -> None:
        other = self.LINE.replace(before, after)
        assert differences(self.LINE, other) == [other]

    def test_missing_line_is_reported(self) -> None:
        assert differences(f"a\n{self.LINE}", "a") == [self.LINE]
        assert differences("a", f"a\n{self.LINE}") == [self.LINE]
