"""Stores."""

from tests.costs.scenario import HOOK, Request, Shop
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

NEW_STORE = {
    "platform": "custom",
    "name": "Steinberger Outlet",
    "externalId": "steinberger-outlet",
    "currency": "EUR",
    "primaryLocale": "de-AT",
    "adminUrl": "https://admin.shop.example.com/",
}
LOCALES = [
    {"locale": "de-AT", "label": "German", "isPrimary": True, "country": "AT", "currency": "EUR"},
    {"locale": "sl-SI", "label": "Slovene", "isPrimary": False, "country": "SI", "currency": "EUR"},
]


def _store(shop: Shop) -> dict[str, object]:
    return {"id": shop.store}


SCENARIOS.plain("stores.list", lambda shop: Request(shop.key), "2 stores")
SCENARIOS.plain("stores.get", lambda shop: Request(shop.key, path=_store(shop)))
SCENARIOS.plain("stores.create", lambda shop: Request(shop.key, NEW_STORE))


@SCENARIOS.of("stores.create", "connected again")
def connect_again(shop: Shop) -> Request:
    path = {"id": shop.send("stores.create", Request(shop.key, NEW_STORE)).json["id"]}
    shop.send("stores.disconnect", Request(shop.owner.token, path=path))
    return Request(shop.key, NEW_STORE)


SCENARIOS.plain(
    "stores.update", lambda shop: Request(shop.key, {"name": "Teas"}, path=_store(shop))
)
SCENARIOS.plain("stores.disconnect", lambda shop: Request(shop.owner.token, path=_store(shop)))
SCENARIOS.plain("stores.listLocales", lambda shop: Request(shop.key, path=_store(shop)))
SCENARIOS.plain("stores.putLocales", lambda shop: Request(shop.key, LOCALES, path=_store(shop)))
SCENARIOS.plain("stores.getWriteBack", lambda shop: Request(shop.owner.token, path=_store(shop)))


@SCENARIOS.of("stores.putWriteBack", "for the first time")
def put_write_back(shop: Shop) -> Request:
    path = {"id": shop.send("stores.create", Request(shop.key, NEW_STORE)).json["id"]}
    return Request(shop.owner.token, {"url": HOOK}, path=path)


SCENARIOS.plain("stores.rotateWriteBack", lambda shop: Request(shop.owner.token, path=_store(shop)))
SCENARIOS.plain("stores.deleteWriteBack", lambda shop: Request(shop.owner.token, path=_store(shop)))
