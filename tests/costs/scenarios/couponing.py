"""Coupons and their codes."""

from typing import Any

from storepost.stores.stores.model import ConnectionStatus
from tests.costs.scenario import Ask, Town, order_of
from tests.costs.scenarios.registry import Scenarios
from tests.shopify.shops import canary_shops, connection_is

SCENARIOS = Scenarios()

PEOPLE = 100
"""Codes of a pool, as many as an hour's campaign gives out."""


def _pool(town: Town, **given: object) -> Ask:
    body: dict[str, Any] = {
        "storeId": town.store,
        "name": "Spring sale",
        "kind": "bulk",
        "quantity": PEOPLE,
        "prefix": "SPRING-",
        "valueType": "percentage",
        "value": 15,
        "minimumSubtotal": {"amount": 5000, "currency": "EUR"},
        "validity": {"type": "days", "days": 30},
        "reissue": "after_use_or_expiry",
        **given,
    }
    return Ask(town.key, {name: value for name, value in body.items() if value is not None})


def _personal(town: Town) -> Ask:
    return _pool(town, kind="personal", quantity=None)


def _made(town: Town, asked: Ask | None = None) -> dict[str, object]:
    """The path of a coupon whose codes are all made."""
    made = town.ask("coupons.create", asked or _pool(town)).json
    town.world.deliver()
    return {"id": made["id"]}


def _file(first: int = 0) -> str:
    rows = (f"person{n:05}@mail.example.com,GIFT-{n:06}" for n in range(first, first + PEOPLE))
    return "\n".join(("email,code", *rows))


def _import(town: Town) -> dict[str, Any]:
    return {
        "storeId": town.store,
        "content": _file(),
        "name": "Gift cards",
        "validity": {"type": "none"},
        "reissue": "every_email",
    }


def _code_of(town: Town) -> dict[str, object]:
    coupon = _made(town)
    return {"id": town.ask("coupons.listCodes", Ask(town.key, path=coupon)).json["items"][0]["id"]}


def _assignment(town: Town) -> dict[str, str]:
    return {"profileId": town.buyer}


SCENARIOS.plain("coupons.create", _pool, "a pool of 100 codes")
SCENARIOS.plain("coupons.create", _personal, "personal")
SCENARIOS.plain(
    "coupons.checkImport",
    lambda town: Ask(town.key, {"storeId": town.store, "content": _file()}),
    "100 codes",
)
SCENARIOS.plain("coupons.import", lambda town: Ask(town.key, _import(town)), "100 codes")


@SCENARIOS.of("coupons.list", "3 coupons")
def list_coupons(town: Town) -> Ask:
    for _ in range(3):
        _made(town)
    return Ask(town.key)


SCENARIOS.plain("coupons.get", lambda town: Ask(town.key, path=_made(town)))
SCENARIOS.plain(
    "coupons.update", lambda town: Ask(town.key, {"name": "Summer sale"}, path=_made(town))
)
SCENARIOS.plain(
    "coupons.createCodes", lambda town: Ask(town.key, {"quantity": 10}, path=_made(town)), "10 more"
)
SCENARIOS.plain("coupons.end", lambda town: Ask(town.key, path=_made(town)), "100 codes")


@SCENARIOS.of("coupons.archive")
def archive(town: Town) -> Ask:
    coupon = _made(town)
    town.ask("coupons.end", Ask(town.key, path=coupon))
    town.world.deliver()
    return Ask(town.key, path=coupon)


SCENARIOS.plain("coupons.listCodes", lambda town: Ask(town.key, path=_made(town)), "25 of 100")
SCENARIOS.plain(
    "coupons.assign", lambda town: Ask(town.key, _assignment(town), path=_made(town)), "of 100"
)
SCENARIOS.plain(
    "coupons.assign",
    lambda town: Ask(town.key, _assignment(town), path=_made(town, _personal(town))),
    "personal",
)


@SCENARIOS.of("coupons.assign", "kept")
def assign_again(town: Town) -> Ask:
    asked = Ask(town.key, _assignment(town), path=_made(town))
    town.ask("coupons.assign", asked)
    return asked


@SCENARIOS.of("orders.put", "with a code of ours")
def order_with_code(town: Town) -> Ask:
    coupon = _made(town)
    code = town.ask("coupons.assign", Ask(town.key, _assignment(town), path=coupon)).json["code"]
    body = {**order_of(900, 1), "discountCodes": [code]}
    return Ask(town.key, body, path={"id": town.store, "externalId": "new"})


@SCENARIOS.of("couponCodes.retry", "in a shop")
def retry(town: Town) -> Ask:
    town.shopify.server.begin(*canary_shops())
    store = town.shopify.connect(town.owner, town.workspace)
    connection_is(store, ConnectionStatus.NEEDS_REAUTH)
    coupon = _made(town, _pool(town, storeId=str(store.id), quantity=1))
    connection_is(store, ConnectionStatus.CONNECTED)
    [code] = town.ask("coupons.listCodes", Ask(town.key, path=coupon)).json["items"]
    return Ask(town.key, path={"id": code["id"]})


SCENARIOS.plain("couponCodes.get", lambda town: Ask(town.key, path=_code_of(town)))
SCENARIOS.plain("couponCodes.delete", lambda town: Ask(town.key, path=_code_of(town)))
