"""How many opt-in emails a workspace sends a day, to whatever addresses."""

from collections.abc import Iterator

import pytest

from storepost.accounts.identity.model import KeyScope
from tests.harness.budgeting import budgeted, clock_at_rest, new_container
from tests.harness.world import CANARY, Answer
from tests.people.matching.scenario import Scenario
from tests.people.opt_in.requested import somebody


class TestWorkspaceLimit:
    """So many emails of a workspace a day, by a parameter of the template."""

    @pytest.fixture(autouse=True)
    def _four_a_day(self, scenario: Scenario) -> Iterator[None]:
        """A limit that is soon reached; the clock only moves where a test moves it."""
        with clock_at_rest(), budgeted(OptInEmailsPerDay="4"):
            # The budgets of requests don't matter here.
            scenario.token = scenario.world.api_key(
                scenario.workspace, KeyScope.WRITE, scenario.owner
            )
            yield

    def ask(self, scenario: Scenario, number: int) -> Answer:
        """The answer to a request for the person of that number."""
        return somebody(scenario, f"ann{number}.{CANARY}@example.com").ask()

    def test_daily_limit_allows_burst_and_refills_over_the_day(self, scenario: Scenario) -> None:
        for number in range(4):
            assert self.ask(scenario, number).status == 202
        answer = self.ask(scenario, 4)
        assert answer.problem() == (429, "opt_in_send_limit")
        assert answer.header("retry-after") == str(6 * 60 * 60)
        scenario.world.advance(hours=5, minutes=59)
        assert self.ask(scenario, 4).header("retry-after") == "60"
        scenario.world.advance(minutes=1)
        assert self.ask(scenario, 4).status == 202
        assert self.ask(scenario, 5).status == 429
        scenario.world.advance(days=30)
        assert [self.ask(scenario, number).status for number in range(6, 11)] == [202] * 4 + [429]

    def test_limit_is_per_workspace(self, scenario: Scenario) -> None:
        for number in range(4):
            self.ask(scenario, number)
        assert self.ask(Scenario(scenario.world), 4).status == 202
        assert self.ask(scenario, 4).status == 429

    def test_refused_request_writes_and_sends_nothing(self, scenario: Scenario) -> None:
        for number in range(4):
            self.ask(scenario, number)
        person = somebody(scenario)
        assert person.ask().status == 429
        assert (person.changes, person.evidence, person.emails) == ([], [], [])

    def test_requests_refused_for_other_reasons_are_not_counted(self, scenario: Scenario) -> None:
        assert self.ask(scenario, 0).status == 202
        for _ in range(4):
            assert self.ask(scenario, 0).problem() == (429, "opt_in_recently_sent")
        assert [self.ask(scenario, number).status for number in range(1, 5)] == [202] * 3 + [429]

    def test_parameter_0_disables_limit(self, scenario: Scenario) -> None:
        with budgeted(OptInEmailsPerDay="0"):
            assert [self.ask(scenario, number).status for number in range(6)] == [202] * 6

    def test_containers_share_the_count(self, scenario: Scenario) -> None:
        """Each email is counted in the table, not once per lease."""
        for number in range(4):
            with new_container():
                assert self.ask(scenario, number).status == 202
        with new_container():
            assert self.ask(scenario, 4).status == 429
