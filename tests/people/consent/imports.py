"""Imports of consent as a client sends them, and what became of an address."""

from datetime import UTC, datetime, timedelta
from typing import Any

from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from tests.harness.world import CANARY, Answer
from tests.people.consent.listening_store import Shop

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
ANN, BEN, CAT = (f"{name}.{CANARY}@example.com" for name in ("ann", "ben", "cat"))

PROOF = {"reference": "form-1"}
"""What proves when somebody subscribed."""

type Row = dict[str, Any]


def at(minutes: int) -> str:
    """A moment of last year, so many minutes after its first."""
    return clock.to_text(BEGIN + timedelta(minutes=minutes))


def row(address: str, state: str = "subscribed", minutes: int = 0, **more: object) -> Row:
    """A change of an email's or a phone's consent."""
    name = "phone" if address.startswith("+") else "email"
    return {name: address, "state": state, "occurredAt": at(minutes), **more}


def send(
    shop: Shop, rows: list[Any], *, key: str | None = None, token: str | None = None
) -> Answer:
    """The answer to an import."""
    return shop.world.call(
        "POST",
        "/consent/import",
        token=token or shop.owner.token,
        json_body={"changes": rows},
        key=key,
    )


def counts(shop: Shop, *rows: Row, key: str | None = None) -> tuple[int, int, int]:
    """The counts of an import whose rows can all be read: recorded, unchanged, older."""
    answer = send(shop, list(rows), key=key)
    assert answer.status == 200, answer.body
    assert set(answer.json) == {"recorded", "unchanged", "older", "failed"}
    assert answer.json["failed"] == []
    return answer.json["recorded"], answer.json["unchanged"], answer.json["older"]


def profile_of(shop: Shop, address: str) -> dict[str, Any]:
    """The one profile that has an address."""
    name = "phone" if address.startswith("+") else "email"
    answer = shop.owner.call("GET", "/profiles", query={name: address})
    [profile] = answer.json["items"]
    assert answer.json["total"] == 1
    return dict(profile)


def history_of(shop: Shop, profile: dict[str, Any]) -> list[dict[str, Any]]:
    """The changes of a profile, recorded last first."""
    answer = shop.owner.call("GET", f"/profiles/{profile['id']}/consent", query={"pageSize": 100})
    assert answer.json["total"] == len(answer.json["items"])
    return list(answer.json["items"])


def total(shop: Shop, **query: object) -> int:
    """How many profiles the workspace lists."""
    answer = shop.owner.call("GET", "/profiles", query=query)
    return int(answer.json["total"])


def upserted(shop: Shop, **fields: object) -> dict[str, Any]:
    """A profile made by an upsert."""
    answer = shop.owner.call("POST", "/profiles", fields)
    assert answer.status in {200, 201}, answer.body
    return dict(answer.json)


def put_customer(shop: Shop, store_id: object, **fields: object) -> dict[str, Any]:
    """A store's customer `c-1`, updated now."""
    answer = shop.owner.call(
        "PUT",
        f"/stores/{store_id}/customers/c-1",
        {
            "externalCreatedAt": at(0),
            "externalUpdatedAt": clock.to_text(clock.now()),
            **fields,
        },
    )
    assert answer.status in {200, 201}, answer.body
    return dict(answer.json)


OTHER_PHONE = "+436607654321"


def check_lists(shop: Shop) -> None:
    """All nodes of the workspace's lists are the sums of what is below them."""
    lists = ProfileLists(shop.workspace)
    for tree in (lists.by_first_seen, lists.by_name, lists.by_email):
        assert faults(tree) == []
