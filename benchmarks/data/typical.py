"""Typical requests to a shop: one of each kind, with another body each time."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.data.shop import CUSTOMERS, ORDERS, Event, Shop, customer, order

PAGE = 25


@dataclass(frozen=True)
class Typical:
    """A kind of request, made from a number; each number from 1 on is used once."""

    name: str
    event: Callable[[int], Event]


def typical(shop: Shop) -> list[Typical]:
    """Returns the kinds. Each request succeeds for every number, in any order."""
    newest, known = (shop.send("GET", path)["items"][0]["id"] for path in ("/orders", "/profiles"))
    return [
        *_reads(shop, {"{order}": newest}),
        Typical("PUT a new customer", lambda n: _put_customer(shop, CUSTOMERS + n)),
        Typical("PUT a known customer", lambda n: _put_customer(shop, n % CUSTOMERS)),
        Typical("PUT a new order", lambda n: _put_order(shop, ORDERS + n)),
        Typical("PUT a known order", lambda n: _put_order(shop, n % ORDERS)),
        Typical("PUT email consent", lambda n: _put_consent(shop, known, n)),
        Typical("POST a profile, once", lambda n: _post_profile(shop, n)),
        _again(shop),
    ]


def _reads(shop: Shop, ids: dict[str, str]) -> list[Typical]:
    deep = f"/orders?page={ORDERS // PAGE}"
    paths = ("/me", "/members", "/profiles", "/orders", deep, "/orders/{order}")

    def event(path: str) -> Callable[[int], Event]:
        for name, identifier in ids.items():
            path = path.replace(name, identifier)
        return lambda _: shop.event("GET", path)

    return [Typical(f"GET {path}", event(path)) for path in paths]


def _put_customer(shop: Shop, number: int) -> Event:
    return shop.event("PUT", shop.customer_path(number), customer(number))


def _put_order(shop: Shop, number: int) -> Event:
    return shop.event("PUT", shop.order_path(number), order(number))


def _put_consent(shop: Shop, profile_id: str, number: int) -> Event:
    """Returns a change of consent, alternately to either state."""
    body = {"state": ("subscribed", "unsubscribed")[number % 2]}
    return shop.event("PUT", f"/profiles/{profile_id}/consent/email", body)


def _post_profile(shop: Shop, number: int) -> Event:
    body = {"email": f"person-{number}@example.com", "firstName": "Ada", "lastName": "Lind"}
    return shop.event("POST", "/profiles", body, key=f"key {number}")


def _again(shop: Shop) -> Typical:
    """Returns a retry of an answered request, which gets the stored answer."""
    first = _post_profile(shop, 0)
    shop.answer(first)
    return Typical("the same again", lambda _: first)
