"""The service about itself."""

from tests.costs.scenario import Ask
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain("health.get", lambda _shop: Ask())
SCENARIOS.plain("openapi.get", lambda _shop: Ask())
SCENARIOS.plain("docs.get", lambda _shop: Ask())
SCENARIOS.plain("problems.list", lambda _shop: Ask())
SCENARIOS.plain("problems.get", lambda _shop: Ask(path={"kind": "conflict"}))
SCENARIOS.plain(
    "problems.getCode", lambda _shop: Ask(path={"kind": "conflict", "code": "stale_update"})
)
SCENARIOS.plain("pages.get", lambda _shop: Ask(path={"page": "invitation"}))
SCENARIOS.plain("webhookEventTypes.list", lambda shop: Ask(shop.key))
