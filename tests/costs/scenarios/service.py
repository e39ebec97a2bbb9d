"""The service about itself."""

from tests.costs.scenario import Ask
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain("health.get", lambda _town: Ask())
SCENARIOS.plain("openapi.get", lambda _town: Ask())
SCENARIOS.plain("docs.get", lambda _town: Ask())
SCENARIOS.plain("problems.list", lambda _town: Ask())
SCENARIOS.plain("problems.get", lambda _town: Ask(path={"kind": "conflict"}))
SCENARIOS.plain(
    "problems.getCode", lambda _town: Ask(path={"kind": "conflict", "code": "stale_update"})
)
SCENARIOS.plain("pages.get", lambda _town: Ask(path={"page": "invitation"}))
SCENARIOS.plain("webhookEventTypes.list", lambda town: Ask(town.key))
