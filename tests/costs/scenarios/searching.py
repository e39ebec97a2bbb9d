"""Search over everything."""

from tests.costs.scenario import Request, email_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

SCENARIOS.plain(
    "search.get", lambda shop: Request(shop.key, query={"q": email_of(1)}), "somebody's email"
)
SCENARIOS.plain("search.get", lambda shop: Request(shop.key, query={"q": "exa"}), "all 200 people")
SCENARIOS.plain("search.get", lambda shop: Request(shop.key, query={"q": "ann lee"}), "two words")
SCENARIOS.plain("search.get", lambda shop: Request(shop.key, query={"q": "zzz"}), "nothing")
