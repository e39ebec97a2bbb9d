"""Requests about suppressions, as a client sends them."""

from typing import Any

from storepost.values import clock
from tests.harness.world import Answer
from tests.people.consent.listening_store import Shop

type Json = dict[str, Any]


def channel_of(address: str) -> str:
    """What an address is."""
    return "sms" if address.startswith("+") else "email"


def row(address: str, reason: str = "manual", **more: object) -> Json:
    """A suppression as a request has it."""
    return {"channel": channel_of(address), "address": address, "reason": reason, **more}


def call(shop: Shop, method: str, path: str, body: object = None, **more: Any) -> Answer:
    """The answer to a member of the workspace."""
    more.setdefault("token", shop.owner.token)
    return shop.world.call(method, path, json_body=body, **more)


def create(shop: Shop, address: str, reason: str = "manual", **more: object) -> Json:
    """The suppression that a request created or found."""
    answer = call(shop, "POST", "/suppressions", row(address, reason, **more))
    assert answer.status in {200, 201}, answer.body
    return dict(answer.json)


def lift(shop: Shop, suppression: Json, note: str | None = None, **more: Any) -> Answer:
    """The answer to the lifting of a suppression."""
    query = {} if note is None else {"note": note}
    return call(shop, "DELETE", f"/suppressions/{suppression['id']}", query=query, **more)


def get(shop: Shop, suppression: Json) -> Json:
    """A suppression as it is now."""
    answer = call(shop, "GET", f"/suppressions/{suppression['id']}")
    assert answer.status == 200, answer.body
    return dict(answer.json)


def listed(shop: Shop, **query: object) -> list[Json]:
    """The suppressions on a list's page of a hundred; the total is exact."""
    answer = call(shop, "GET", "/suppressions", query={"pageSize": 100, **query})
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    return list(answer.json["items"])


def addresses_of(suppressions: list[Json]) -> list[str]:
    """Their addresses, in their order."""
    return [each["address"] for each in suppressions]


def reachable(shop: Shop, *channels: str, **query: object) -> set[str]:
    """The ids of the profiles that may get marketing by one of the channels."""
    params = {"reachable": ",".join(channels), "pageSize": 100, **query}
    answer = call(shop, "GET", "/profiles", query=params)
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    return {each["id"] for each in answer.json["items"]}


def reachability(shop: Shop, profile: Json) -> dict[str, Json]:
    """What may be sent to a person, by channel."""
    answer = call(shop, "GET", f"/profiles/{profile['id']}/reachability")
    assert answer.status == 200, answer.body
    channels = answer.json["channels"]
    assert [each["channel"] for each in channels] == ["email", "sms"]
    return {each["channel"]: each for each in channels}


def consent(shop: Shop, profile: Json, state: str, channel: str = "email") -> None:
    """A request changes a person's consent."""
    answer = call(shop, "PUT", f"/profiles/{profile['id']}/consent/{channel}", {"state": state})
    assert answer.status == 200, answer.body


def now() -> str:
    """This moment as answers have it."""
    return clock.to_text(clock.now())
