"""The answers of a link that is over."""

from tests.people.matching.scenario import Scenario
from tests.people.opt_in.requested import pressed
from tests.people.unsubscribing.following import BROWSER, opened
from tests.people.unsubscribing.test_page import Page

IS_OVER = "This link is no longer valid"


def is_over(scenario: Scenario, path: str) -> None:
    """Neither the page nor its button has an effect any more, and both answer so."""
    before = [row.serialize() for row in scenario.world.rows()]
    for answer in (scenario.world.call("GET", path), pressed(scenario, path)):
        assert answer.problem() == (410, "gone")
        assert answer.header("cache-control") == "no-store"
    for answer in (opened(scenario, path), pressed(scenario, path, accept=BROWSER)):
        page = Page(answer)
        assert (answer.status, page.all("form")) == (410, [])
        assert IS_OVER in page.text
    assert [row.serialize() for row in scenario.world.rows()] == before
