"""Profiles that change by hand, become one, and tell what they consist of."""

from tests.costs.scenario import Request, Shop, email_of, order_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

OTHER = 7
"""A customer of the first store, with four orders, as the buyer is."""


def _buyer(shop: Shop) -> dict[str, object]:
    return {"id": shop.buyer}


def _merged(shop: Shop) -> dict[str, object]:
    """The buyer, once another customer was merged into them and the rows have moved."""
    body = {"profileId": shop.profile_of(email_of(OTHER))}
    shop.send("profiles.merge", Request(shop.key, body, path=_buyer(shop)))
    shop.world.deliver()
    return _buyer(shop)


SCENARIOS.plain(
    "profiles.update",
    lambda shop: Request(shop.key, {"firstName": "Nina", "locale": "fr"}, path=_buyer(shop)),
    "name and locale",
)
SCENARIOS.plain(
    "profiles.update",
    lambda shop: Request(shop.key, {"email": email_of(999)}, path=_buyer(shop)),
    "another email",
)


@SCENARIOS.of("profiles.merge", "two customers of a store, 4 orders each")
def merge(shop: Shop) -> Request:
    return Request(shop.key, {"profileId": shop.profile_of(email_of(OTHER))}, path=_buyer(shop))


@SCENARIOS.of("profiles.merge", "an anonymous one")
def merge_anonymous(shop: Shop) -> Request:
    made = shop.send("profiles.upsert", Request(shop.key, {"anonymousId": "9d7f6f0e-browser"})).json
    return Request(shop.key, {"profileId": made["id"]}, path=_buyer(shop))


@SCENARIOS.of("orders.put", "whose buyer was two")
def order_of_two(shop: Shop) -> Request:
    phone = "+436604999999"
    shop.send("profiles.upsert", Request(shop.key, {"phone": phone}))
    body = order_of(900, 1)
    body["customer"] = {**body["customer"], "phone": phone}
    return Request(shop.key, body, path={"id": shop.store, "externalId": "new"})


SCENARIOS.plain(
    "profiles.listIdentities", lambda shop: Request(shop.key, path=_buyer(shop)), "3 identities"
)


@SCENARIOS.of("profiles.deleteIdentity", "an address that was shown before")
def delete_identity(shop: Shop) -> Request:
    path = _buyer(shop)
    shop.send("profiles.update", Request(shop.key, {"email": email_of(998)}, path=path))
    shop.send("profiles.update", Request(shop.key, {"email": email_of(999)}, path=path))
    listed = shop.send("profiles.listIdentities", Request(shop.key, path=path)).json["items"]
    [mistyped] = [each["id"] for each in listed if each["value"] == email_of(998)]
    return Request(shop.key, path={**path, "identityId": mistyped})


SCENARIOS.plain(
    "profiles.listMerges", lambda shop: Request(shop.key, path=_merged(shop)), "1 merge"
)
SCENARIOS.plain(
    "profiles.listCustomers", lambda shop: Request(shop.key, path=_buyer(shop)), "1 customer"
)
