"""Coupons and their codes."""

from typing import Any

from storepost.stores.stores.model import ConnectionStatus
from tests.costs.scenario import Request, Shop, order_of
from tests.costs.scenarios.registry import Scenarios
from tests.shopify.shops import canary_shops, connection_is

SCENARIOS = Scenarios()

PEOPLE = 100
"""Codes of a pool, as many as an hour's campaign gives out."""


def _pool(shop: Shop, **overrides: object) -> Request:
    body: dict[str, Any] = {
        "storeId": shop.store,
        "name": "Spring sale",
        "kind": "bulk",
        "quantity": PEOPLE,
        "prefix": "SPRING-",
        "valueType": "percentage",
        "value": 15,
        "minimumSubtotal": {"amount": 5000, "currency": "EUR"},
        "validity": {"type": "days", "days": 30},
        "reissue": "after_use_or_expiry",
        **overrides,
    }
    return Request(shop.key, {name: value for name, value in body.items() if value is not None})


def _personal(shop: Shop) -> Request:
    return _pool(shop, kind="personal", quantity=None)


def _made(shop: Shop, request: Request | None = None) -> dict[str, object]:
    """The path of a coupon whose codes are all made."""
    made = shop.send("coupons.create", request or _pool(shop)).json
    shop.world.deliver()
    return {"id": made["id"]}


def _file(first: int = 0) -> str:
    rows = (f"person{n:05}@mail.example.com,GIFT-{n:06}" for n in range(first, first + PEOPLE))
    return "\n".join(("email,code", *rows))


def _import(shop: Shop) -> dict[str, Any]:
    return {
        "storeId": shop.store,
        "content": _file(),
        "name": "Gift cards",
        "validity": {"type": "none"},
        "reissue": "every_email",
    }


def _code_of(shop: Shop) -> dict[str, object]:
    coupon = _made(shop)
    return {
        "id": shop.send("coupons.listCodes", Request(shop.key, path=coupon)).json["items"][0]["id"]
    }


def _assignment(shop: Shop) -> dict[str, str]:
    return {"profileId": shop.buyer}


SCENARIOS.plain("coupons.create", _pool, "a pool of 100 codes")
SCENARIOS.plain("coupons.create", _personal, "personal")
SCENARIOS.plain(
    "coupons.checkImport",
    lambda shop: Request(shop.key, {"storeId": shop.store, "content": _file()}),
    "100 codes",
)
SCENARIOS.plain("coupons.import", lambda shop: Request(shop.key, _import(shop)), "100 codes")


@SCENARIOS.of("coupons.list", "3 coupons")
def list_coupons(shop: Shop) -> Request:
    for _ in range(3):
        _made(shop)
    return Request(shop.key)


SCENARIOS.plain("coupons.get", lambda shop: Request(shop.key, path=_made(shop)))
SCENARIOS.plain(
    "coupons.update", lambda shop: Request(shop.key, {"name": "Summer sale"}, path=_made(shop))
)
SCENARIOS.plain(
    "coupons.createCodes",
    lambda shop: Request(shop.key, {"quantity": 10}, path=_made(shop)),
    "10 more",
)
SCENARIOS.plain("coupons.end", lambda shop: Request(shop.key, path=_made(shop)), "100 codes")


@SCENARIOS.of("coupons.archive")
def archive(shop: Shop) -> Request:
    coupon = _made(shop)
    shop.send("coupons.end", Request(shop.key, path=coupon))
    shop.world.deliver()
    return Request(shop.key, path=coupon)


SCENARIOS.plain("coupons.listCodes", lambda shop: Request(shop.key, path=_made(shop)), "25 of 100")
SCENARIOS.plain(
    "coupons.assign", lambda shop: Request(shop.key, _assignment(shop), path=_made(shop)), "of 100"
)
SCENARIOS.plain(
    "coupons.assign",
    lambda shop: Request(shop.key, _assignment(shop), path=_made(shop, _personal(shop))),
    "personal",
)


@SCENARIOS.of("coupons.assign", "kept")
def assign_again(shop: Shop) -> Request:
    request = Request(shop.key, _assignment(shop), path=_made(shop))
    shop.send("coupons.assign", request)
    return request


@SCENARIOS.of("orders.put", "with a code of ours")
def order_with_code(shop: Shop) -> Request:
    coupon = _made(shop)
    code = shop.send("coupons.assign", Request(shop.key, _assignment(shop), path=coupon)).json[
        "code"
    ]
    body = {**order_of(900, 1), "discountCodes": [code]}
    return Request(shop.key, body, path={"id": shop.store, "externalId": "new"})


@SCENARIOS.of("couponCodes.retry", "in a shop")
def retry(shop: Shop) -> Request:
    shop.shopify.server.begin(*canary_shops())
    store = shop.shopify.connect(shop.owner, shop.workspace)
    connection_is(store, ConnectionStatus.NEEDS_REAUTH)
    coupon = _made(shop, _pool(shop, storeId=str(store.id), quantity=1))
    connection_is(store, ConnectionStatus.CONNECTED)
    [code] = shop.send("coupons.listCodes", Request(shop.key, path=coupon)).json["items"]
    return Request(shop.key, path={"id": code["id"]})


SCENARIOS.plain("couponCodes.get", lambda shop: Request(shop.key, path=_code_of(shop)))
SCENARIOS.plain("couponCodes.delete", lambda shop: Request(shop.key, path=_code_of(shop)))
