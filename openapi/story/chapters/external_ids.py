"""The shop reads its records by its own ids, and sends some whose ids no path can contain."""

from typing import Any

from openapi.story.chapters.catalog import CANDLE
from openapi.story.chapters.orders import ORDER
from openapi.story.chapters.people import CUSTOMER
from openapi.story.chapters.team import ANTON
from openapi.story.steps import Step
from openapi.story.story_run import Chapter

STORE = {"id": "{store.id}"}
SEVENTH: dict[str, Any] = {
    **ORDER,
    "number": "#1007",
    "placedAt": "2026-03-14T08:15:00.000Z",
    "updatedAt": "2026-03-14T08:15:00.000Z",
    "adminUrl": "https://admin.example.com/orders/1007",
}
DESK: dict[str, Any] = {
    "email": "desk@shop.example.com",
    "firstName": "Front",
    "lastName": "Desk",
    "externalCreatedAt": CUSTOMER["externalCreatedAt"],
    "externalUpdatedAt": CUSTOMER["externalUpdatedAt"],
}
BUNDLE: dict[str, Any] = {
    **CANDLE,
    "handle": "candle-pair",
    "locales": [{"locale": "en", "title": "Pair of beeswax candles"}],
    "variants": [{**CANDLE["variants"][0], "externalId": "candle-pair/1", "sku": "CANDLE-2"}],
}
_CUSTOMER = {"externalId": "desk/1"}
_ORDER = {"externalId": "2026/1007"}
_PRODUCT = {"externalId": "candle/pair"}

CHAPTER: Chapter = [
    Step("customers.get", ANTON, path={**STORE, "externalId": "1001"}),
    Step("orders.getOfStore", ANTON, path={**STORE, "externalId": "5001"}),
    Step(
        "products.getOfStore",
        ANTON,
        path={**STORE, "externalId": "wool-throw"},
        query={"locale": "de"},
    ),
    Step("customers.putByQuery", ANTON, path=STORE, query=_CUSTOMER, body=DESK),
    Step("customers.putByQuery", ANTON, path=STORE, query=_CUSTOMER, body=DESK),
    Step("customers.getByQuery", ANTON, path=STORE, query=_CUSTOMER),
    Step("customers.deleteByQuery", ANTON, path=STORE, query=_CUSTOMER),
    Step("orders.putByQuery", ANTON, path=STORE, query=_ORDER, body=SEVENTH),
    Step("orders.putByQuery", ANTON, path=STORE, query=_ORDER, body=SEVENTH),
    Step("orders.getOfStoreByQuery", ANTON, path=STORE, query=_ORDER),
    Step("orders.deleteByQuery", ANTON, path=STORE, query=_ORDER),
    Step("products.putByQuery", ANTON, path=STORE, query=_PRODUCT, body=BUNDLE),
    Step("products.putByQuery", ANTON, path=STORE, query=_PRODUCT, body=BUNDLE),
    Step("products.getOfStoreByQuery", ANTON, path=STORE, query={**_PRODUCT, "locale": "en"}),
    Step("products.deleteByQuery", ANTON, path=STORE, query=_PRODUCT),
]
