"""The list of orders."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from storepost.orders import listing
from tests.harness.world import CANARY, Someone, World
from tests.orders.sample import in_yen, order, put


class TestList:
    """GET /orders."""

    def test_other_workspaces_orders_are_not_listed(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(owner, store, "o-1", order())
        stranger = world.owner()
        for query in ({}, {"storeId": store}, {"externalId": "o-1"}):
            answer = stranger.call("GET", "/orders", query=query)
            assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_filter_too_broad(
        self, owner: Someone, store: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(listing, "MAX_ROWS", 1)
        [one, _] = [put(owner, store, f"o-{n}", order()).json for n in range(2)]
        query = {"profileId": one["buyer"]["profileId"], "cancelled": "false"}
        broad = owner.call("GET", "/orders", query=query)
        assert broad.problem() == (422, "filter_too_broad")
        assert broad.json["errors"][0]["path"] == "query.placedFrom"

    def test_pagination_of_orders_of_one_buyer(self, owner: Someone, store: str) -> None:
        made = [
            put(owner, store, f"o-{n}", order(placedAt=f"2026-02-{n:02d}T00:00:00Z")).json
            for n in range(1, 13)
        ]
        buyer = made[0]["buyer"]["profileId"]
        for sort, expected in (("placedAt", made), ("-placedAt", made[::-1])):
            for page in (1, 2, 3):
                query = {"profileId": buyer, "sort": sort, "page": page, "pageSize": 10}
                answer = owner.call("GET", "/orders", query=query).json
                shown = expected[(page - 1) * 10 : page * 10]
                assert [row["id"] for row in answer["items"]] == [row["id"] for row in shown]
                assert answer["total"] == 12

    def test_every_filter_matches_model(self, world: World, owner: Someone, store: str) -> None:
        other = world.store(owner, currency="JPY")
        made = [self._made(owner, number, (store, other)[number % 3 == 0]) for number in range(24)]
        buyer = next(row["buyer"]["profileId"] for row in made if row["buyer"])

        def keeps(row: dict[str, Any], query: dict[str, str]) -> bool:
            tests: dict[str, Callable[[str], bool]] = {
                "storeId": lambda v: row["storeId"] == v,
                "profileId": lambda v: bool(row["buyer"]) and row["buyer"]["profileId"] == v,
                "externalId": lambda v: row["number"] == v,
                "financialStatus": lambda v: row["financialStatus"] in v.split(","),
                "fulfillmentStatus": lambda v: row["fulfillmentStatus"] in v.split(","),
                "cancelled": lambda v: row["cancelled"] == (v == "true"),
                "isTest": lambda v: row["isTest"] == (v == "true"),
                "placedFrom": lambda v: row["placedAt"] >= v,
                "placedTo": lambda v: row["placedAt"] < v,
            }
            return all(tests[name](value) for name, value in query.items())

        queries: list[dict[str, str]] = [
            {},
            {"storeId": store},
            {"storeId": str(uuid4())},
            {"profileId": buyer},
            {"profileId": buyer, "storeId": store, "cancelled": "false"},
            {"profileId": str(uuid4())},
            {"externalId": "o-7"},
            {"externalId": "o-7", "storeId": store},
            {"externalId": "o-7", "profileId": buyer},
            {"externalId": "none"},
            {"financialStatus": "paid"},
            {"financialStatus": "paid,voided"},
            {"fulfillmentStatus": "restocked", "storeId": other},
            {"cancelled": "true"},
            {"isTest": "true"},
            {"isTest": "false", "cancelled": "false", "financialStatus": "paid,pending"},
            {"placedFrom": "2026-01-05T00:00:00.000Z"},
            {"placedTo": "2026-01-05T00:00:00.000Z", "storeId": store},
            {
                "placedFrom": "2026-01-03T00:00:00.000Z",
                "placedTo": "2026-01-07T00:00:00.000Z",
                "cancelled": "false",
            },
            {"placedFrom": "2026-01-07T00:00:00.000Z", "placedTo": "2026-01-07T00:00:00.000Z"},
        ]
        for query in queries:
            matching = sorted(
                (row for row in made if keeps(row, query)),
                key=lambda row: (row["placedAt"], row["id"]),
            )
            for sort, expected in (("placedAt", matching), ("-placedAt", matching[::-1])):
                for page in (1, 2, 3):
                    parameters = {**query, "sort": sort, "page": page, "pageSize": 10}
                    answer = owner.call("GET", "/orders", query=parameters)
                    assert answer.status == 200, answer.body
                    shown = expected[(page - 1) * 10 : page * 10]
                    assert [row["id"] for row in answer.json["items"]] == [
                        row["id"] for row in shown
                    ], parameters
                    assert answer.json["total"] == len(expected)
                    for row, order_whole in zip(answer.json["items"], shown, strict=True):
                        assert row == {name: order_whole[name] for name in row}

    def _made(self, by: Someone, number: int, store: str) -> dict[str, Any]:
        """The n-th order of a varied set: five buyers, all states, some equal times."""
        body = order(
            number=f"o-{number}",
            placedAt=f"2026-01-{number // 3 + 1:02d}T00:00:00Z",
            financialStatus=["paid", "pending", "voided", "refunded"][number % 4],
            fulfillmentStatus=["unfulfilled", "fulfilled", "restocked"][number % 3],
            cancelledAt="2026-02-01T00:00:00Z" if number % 5 == 0 else None,
            isTest=number % 7 == 0,
            locale=[None, "de", "fr-CH"][number % 3],
            customer={"email": f"b{number % 5}.{CANARY}@example.com"} if number % 6 else None,
        )
        if number % 3 == 0:
            body = in_yen(body)
        answer = put(by, store, f"o-{number}", body)
        assert answer.status == 201, answer.body
        made: dict[str, Any] = answer.json
        return made
