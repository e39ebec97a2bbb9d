"""Many takers of one pool: each code is assigned once, and late requests are refused."""

import json
import os
from typing import Any
from uuid import UUID

import pytest

from storepost.coupons.trees import CodeList
from storepost.platform.persistence.counted_tree.checking import faults
from tests.concurrency.containers import containers
from tests.concurrency.people import customer
from tests.concurrency.requests import request
from tests.harness.world import Someone, World

pytestmark = pytest.mark.dynoxide

TAKERS = int(os.environ.get("TAKERS", "8"))
CODES = int(os.environ.get("POOL", "400"))
"""`TAKERS=32 POOL=4000` runs for minutes."""

ASSIGNMENTS = CODES * 5 // 4
PEOPLE = 20


def people(by: Someone, store: str) -> list[str]:
    """Creates customers of the store; returns their profiles' ids."""
    for number in range(PEOPLE):
        path = f"/stores/{store}/customers/c-{number}"
        body = customer(f"p{number}.canary@example.com")
        assert by.call("PUT", path, body).status == 201
    listed = by.call("GET", "/profiles", query={"pageSize": 100})
    return [str(row["id"]) for row in listed.json["items"]]


def pool(world: World, by: Someone, store: str) -> str:
    """Creates a coupon with all its codes; returns its id."""
    body = {
        "storeId": store,
        "name": "Pool",
        "kind": "bulk",
        "quantity": CODES,
        "valueType": "percentage",
        "value": 10,
        "validity": {"type": "days", "days": 3},
        "reissue": "every_email",
    }
    answer = by.call("POST", "/coupons", body)
    assert answer.status == 201, answer.body
    world.deliver()
    return str(answer.json["id"])


def test_each_code_is_assigned_once(world: World) -> None:
    owner = world.person()
    workspace = world.workspace(owner)
    store = world.store(owner)
    persons, coupon = people(owner, store), pool(world, owner, store)

    references = shared_out()
    events = [
        [assignment(owner, coupon, persons[number % PEOPLE], number) for number in own]
        for own in references
    ]
    with containers(TAKERS) as takers_at_once:
        answers = takers_at_once.in_turn(events, again=["conflict"])

    results = [
        (number, answer.status, json.loads(answer.body))
        for own, numbers in zip(answers, references, strict=True)
        for number, answer in zip(numbers, own, strict=True)
    ]
    refused = {number: body["code"] for number, status, body in results if status == 409}
    codes = {(number, body["code"]) for number, status, body in results if status in {200, 201}}
    assert set(refused.values()) == {"no_codes_left"}
    assert len(refused) + len({number for number, _ in codes}) == ASSIGNMENTS
    assert len(codes) == len({number for number, _ in codes}), "a reference has one code"
    assert len({code for _, code in codes}) == CODES, "each code went out once"
    assert [status for _, status, _ in results].count(201) == CODES
    shown = owner.call("GET", f"/coupons/{coupon}").json["codes"]
    assert (shown["assigned"], shown["available"]) == (CODES, 0)
    assert faults(CodeList(workspace, UUID(coupon)).tree) == []
    assert takers_at_once.refused["TransactWriteItems"] > 0, "somebody was in somebody's way"
    print(
        f"\n{TAKERS} takers, {CODES} codes, {ASSIGNMENTS} references: "
        f"{dict(takers_at_once.refused)}, {dict(takers_at_once.again)}"
    )


def shared_out() -> list[list[int]]:
    """Returns each taker's references; two takers request every seventh at about the same time."""
    references: list[list[int]] = [[] for _ in range(TAKERS)]
    for number in range(ASSIGNMENTS):
        references[number % TAKERS].append(number)
        if number % 7 == 0:
            references[(number + 1) % TAKERS].append(number)
    return references


def assignment(by: Someone, coupon: str, person: str, number: int) -> dict[str, Any]:
    """Returns a request for a code."""
    body = {"profileId": person, "reference": f"mail-{number}"}
    return request("POST", f"/coupons/{coupon}/assign", by, body)
