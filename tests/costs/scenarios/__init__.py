"""The requests that are measured, at least one scenario an operation, each in a new shop.

A scenario prepares what its operation needs and returns the request. Only that is measured, with
what it triggers; the caller has just sent another request, so no use of the caller is recorded.
"""

from tests.costs.scenarios import (
    connecting,
    consenting,
    couponing,
    events,
    feeding,
    importing,
    merging,
    people,
    proposing,
    searching,
    selling,
    service,
    shopping,
    sign_in,
    stocking,
    suppressing,
    webhooks,
)
from tests.costs.scenarios.registry import Scenario, Scenarios

GROUPS: dict[str, Scenarios] = {
    "Signing in, and one's own account": sign_in.SCENARIOS,
    "Workspaces, members, keys, locales": people.SCENARIOS,
    "Stores": shopping.SCENARIOS,
    "Connections to Shopify": connecting.SCENARIOS,
    "Batches and imports": importing.SCENARIOS,
    "Profiles, customers, orders": selling.SCENARIOS,
    "Products and field priority": stocking.SCENARIOS,
    "Feeds": feeding.SCENARIOS,
    "Profiles that become one": merging.SCENARIOS,
    "Events": events.SCENARIOS,
    "Consent": consenting.SCENARIOS,
    "Suppressions": suppressing.SCENARIOS,
    "Definitions and change proposals": proposing.SCENARIOS,
    "Search": searching.SCENARIOS,
    "Coupons": couponing.SCENARIOS,
    "Webhook endpoints": webhooks.SCENARIOS,
    "The service about itself": service.SCENARIOS,
}

ALL: tuple[Scenario, ...] = tuple(each for group in GROUPS.values() for each in group)
