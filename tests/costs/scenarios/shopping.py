"""Stores."""

from tests.costs.scenario import HOOK, Ask, Town
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


def _store(town: Town) -> dict[str, object]:
    return {"id": town.store}


SCENARIOS.plain("stores.list", lambda town: Ask(town.key), "2 stores")
SCENARIOS.plain("stores.get", lambda town: Ask(town.key, path=_store(town)))
SCENARIOS.plain("stores.create", lambda town: Ask(town.key, NEW_STORE))


@SCENARIOS.of("stores.create", "connected again")
def connect_again(town: Town) -> Ask:
    path = {"id": town.ask("stores.create", Ask(town.key, NEW_STORE)).json["id"]}
    town.ask("stores.disconnect", Ask(town.owner.token, path=path))
    return Ask(town.key, NEW_STORE)


SCENARIOS.plain("stores.update", lambda town: Ask(town.key, {"name": "Teas"}, path=_store(town)))
SCENARIOS.plain("stores.disconnect", lambda town: Ask(town.owner.token, path=_store(town)))
SCENARIOS.plain("stores.listLocales", lambda town: Ask(town.key, path=_store(town)))
SCENARIOS.plain("stores.putLocales", lambda town: Ask(town.key, LOCALES, path=_store(town)))
SCENARIOS.plain("stores.getWriteBack", lambda town: Ask(town.owner.token, path=_store(town)))


@SCENARIOS.of("stores.putWriteBack", "for the first time")
def put_write_back(town: Town) -> Ask:
    path = {"id": town.ask("stores.create", Ask(town.key, NEW_STORE)).json["id"]}
    return Ask(town.owner.token, {"url": HOOK}, path=path)


SCENARIOS.plain("stores.rotateWriteBack", lambda town: Ask(town.owner.token, path=_store(town)))
SCENARIOS.plain("stores.deleteWriteBack", lambda town: Ask(town.owner.token, path=_store(town)))
