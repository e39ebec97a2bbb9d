"""The service about itself."""

from tests.costs.scenario import Request
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain("health.get", lambda _shop: Request())
SCENARIOS.plain("openapi.get", lambda _shop: Request())
SCENARIOS.plain("docs.get", lambda _shop: Request())
SCENARIOS.plain("problems.list", lambda _shop: Request())
SCENARIOS.plain("problems.get", lambda _shop: Request(path={"kind": "conflict"}))
SCENARIOS.plain(
    "problems.getCode", lambda _shop: Request(path={"kind": "conflict", "code": "stale_update"})
)
SCENARIOS.plain("pages.get", lambda _shop: Request(path={"page": "invitation"}))
SCENARIOS.plain("webhookEventTypes.list", lambda shop: Request(shop.key))
