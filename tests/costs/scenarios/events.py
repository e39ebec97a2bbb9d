"""Events of profiles: sent one by one, or 500 at once, and read."""

from collections.abc import Iterable
from typing import Any

from tests.costs.scenario import PROFILES, Request, Shop, email_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
MOST, NEW = 500, 1000
MOMENT = "2026-11-20T09:00:00.000Z"
PROPERTIES = {
    "productId": "8071562133827",
    "title": "Sencha, first flush, 100 g",
    "url": "https://shop.example.com/products/sencha-first-flush",
    "price": {"amount": 1490, "currency": "EUR"},
}


def _event(number: int, **more: object) -> dict[str, Any]:
    """An event of a viewed product."""
    body = {"profile": {"email": email_of(number)}, "name": "viewed_product"}
    return {**body, "occurredAt": MOMENT, "properties": PROPERTIES, **more}


SCENARIOS.plain("events.create", lambda shop: Request(shop.key, _event(1)), "a known person's")
SCENARIOS.plain(
    "events.create",
    lambda shop: Request(shop.key, _event(1, uniqueId="5f1d8c0a-9a0e-4c55-8e57-1c9f3a3c8f10")),
    "a known person's, with a uniqueId",
)


@SCENARIOS.of("events.create", "a uniqueId that is known")
def known_event(shop: Shop) -> Request:
    body = _event(1, uniqueId="5f1d8c0a-9a0e-4c55-8e57-1c9f3a3c8f10")
    shop.send("events.create", Request(shop.key, body))
    return Request(shop.key, body)


SCENARIOS.plain("events.create", lambda shop: Request(shop.key, _event(NEW)), "a new person's")


def _bulk(case: str, numbers: Iterable[int], **more: object) -> None:
    body = {"events": [_event(number, **more) for number in numbers]}
    SCENARIOS.plain("events.createBulk", lambda shop: Request(shop.key, body), case)


_bulk("500 of one known person", [1] * MOST)
_bulk("500 of 200 known people", [number % PROFILES for number in range(MOST)])
_bulk("500 of as many new people", range(NEW, NEW + MOST))


def _with_events(shop: Shop, count: int) -> dict[str, object]:
    events = [_event(1, name=f"name {number % 5}") for number in range(count)]
    if events:
        shop.send("events.createBulk", Request(shop.key, {"events": events}))
    return {"id": shop.buyer}


SCENARIOS.plain(
    "profiles.listEvents",
    lambda shop: Request(shop.key, path=_with_events(shop, 0)),
    "4 orders' events",
)
SCENARIOS.plain(
    "profiles.listEvents",
    lambda shop: Request(shop.key, path=_with_events(shop, MOST)),
    "page 1 of 504",
)
SCENARIOS.plain(
    "profiles.listEvents",
    lambda shop: Request(shop.key, path=_with_events(shop, MOST), query={"page": 20}),
    "page 20",
)
SCENARIOS.plain(
    "profiles.listEvents",
    lambda shop: Request(shop.key, path=_with_events(shop, MOST), query={"name": "name 1"}),
    "100 of one name among 504",
)
