"""A person whom a store knows, and the states of their consent."""

from typing import Any

from tests.harness.world import Someone

EMAIL = "erika.canary@example.com"
STATES = ("subscribed", "unsubscribed")


def customer(email: str, phone: str | None = None, **more: object) -> dict[str, Any]:
    """Returns a customer as a store sends it."""
    created = "2026-01-02T03:04:05.678Z"
    sent = {"email": email, "phone": phone, "externalCreatedAt": created}
    return {**sent, "externalUpdatedAt": created, **more}


def profiles(by: Someone, **query: object) -> list[dict[str, Any]]:
    """Returns the workspace's profiles, up to 100."""
    answer = by.call("GET", "/profiles", query={"pageSize": 100, **query})
    listed: list[dict[str, Any]] = answer.json["items"]
    assert answer.json["total"] == len(listed)
    return listed


def new_person(by: Someone, store: str) -> str:
    """Creates a customer of the store with `EMAIL`; returns the profile's id."""
    assert by.call("PUT", f"/stores/{store}/customers/c-1", customer(EMAIL)).status == 201
    (profile,) = profiles(by)
    return str(profile["id"])
