"""Profiles that change by hand, become one, and tell what they consist of."""

from tests.costs.scenario import Ask, Town, email_of, order_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

OTHER = 7
"""A customer of the first store, with four orders, as the buyer is."""


def _buyer(town: Town) -> dict[str, object]:
    return {"id": town.buyer}


def _merged(town: Town) -> dict[str, object]:
    """The buyer, once another customer is a part of them and has moved."""
    body = {"profileId": town.profile_of(email_of(OTHER))}
    town.ask("profiles.merge", Ask(town.key, body, path=_buyer(town)))
    town.world.deliver()
    return _buyer(town)


SCENARIOS.plain(
    "profiles.update",
    lambda town: Ask(town.key, {"firstName": "Nina", "locale": "fr"}, path=_buyer(town)),
    "name and locale",
)
SCENARIOS.plain(
    "profiles.update",
    lambda town: Ask(town.key, {"email": email_of(999)}, path=_buyer(town)),
    "another email",
)


@SCENARIOS.of("profiles.merge", "two customers of a store, 4 orders each")
def merge(town: Town) -> Ask:
    return Ask(town.key, {"profileId": town.profile_of(email_of(OTHER))}, path=_buyer(town))


@SCENARIOS.of("profiles.merge", "an anonymous one")
def merge_anonymous(town: Town) -> Ask:
    made = town.ask("profiles.upsert", Ask(town.key, {"anonymousId": "9d7f6f0e-browser"})).json
    return Ask(town.key, {"profileId": made["id"]}, path=_buyer(town))


@SCENARIOS.of("orders.put", "whose buyer was two")
def order_of_two(town: Town) -> Ask:
    phone = "+436604999999"
    town.ask("profiles.upsert", Ask(town.key, {"phone": phone}))
    body = order_of(900, 1)
    body["customer"] = {**body["customer"], "phone": phone}
    return Ask(town.key, body, path={"id": town.store, "externalId": "new"})


SCENARIOS.plain(
    "profiles.listIdentities", lambda town: Ask(town.key, path=_buyer(town)), "3 identities"
)


@SCENARIOS.of("profiles.deleteIdentity", "an address that was shown before")
def delete_identity(town: Town) -> Ask:
    path = _buyer(town)
    town.ask("profiles.update", Ask(town.key, {"email": email_of(998)}, path=path))
    town.ask("profiles.update", Ask(town.key, {"email": email_of(999)}, path=path))
    listed = town.ask("profiles.listIdentities", Ask(town.key, path=path)).json["items"]
    [mistyped] = [each["id"] for each in listed if each["value"] == email_of(998)]
    return Ask(town.key, path={**path, "identityId": mistyped})


SCENARIOS.plain("profiles.listMerges", lambda town: Ask(town.key, path=_merged(town)), "1 merge")
SCENARIOS.plain(
    "profiles.listCustomers", lambda town: Ask(town.key, path=_buyer(town)), "1 customer"
)
