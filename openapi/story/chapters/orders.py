"""Ada buys a throw and a candle; a batch has the shop's other records."""

from typing import Any

from openapi.story.chapters.catalog import eur
from openapi.story.steps import Step
from openapi.story.story_run import Chapter

ORDER: dict[str, Any] = {
    "number": "#1001",
    "placedAt": "2026-03-12T17:45:00.000Z",
    "updatedAt": "2026-03-13T09:00:00.000Z",
    "financialStatus": "paid",
    "fulfillmentStatus": "unfulfilled",
    "isTest": False,
    "locale": "en",
    "sourceName": "web",
    "adminUrl": "https://admin.example.com/orders/1001",
    "customer": {
        "externalId": "1001",
        "email": "ada.lind@example.com",
        "firstName": "Ada",
        "lastName": "Lind",
    },
    "total": eur(10680),
    "subtotal": eur(10190),
    "totalDiscounts": eur(0),
    "totalShipping": eur(490),
    "totalTax": eur(1705),
    "totalRefunded": eur(0),
    "lineItems": [
        {
            "title": "Wool throw",
            "variantTitle": "One size",
            "sku": "THROW-GREY",
            "quantity": 1,
            "unitPrice": eur(8900),
            "totalDiscount": eur(0),
            "isGiftCard": False,
            "productExternalId": "wool-throw",
            "variantExternalId": "feed-throw-grey",
        },
        {
            "title": "Beeswax candle",
            "variantTitle": "One size",
            "sku": "CANDLE",
            "quantity": 1,
            "unitPrice": eur(1290),
            "totalDiscount": eur(0),
            "isGiftCard": False,
            "productExternalId": "beeswax-candle",
            "variantExternalId": "beeswax-candle-1",
        },
    ],
    "discountCodes": [],
}
SECOND: dict[str, Any] = {
    **ORDER,
    "externalId": "5002",
    "number": "#1002",
    "placedAt": "2026-03-13T11:20:00.000Z",
    "updatedAt": "2026-03-13T11:20:00.000Z",
    "locale": "de",
    "adminUrl": "https://admin.example.com/orders/1002",
    "customer": {"email": "bruno.keller@example.com", "firstName": "Bruno", "lastName": "Keller"},
    "total": eur(13390),
    "subtotal": eur(12900),
    "totalTax": eur(2138),
    "lineItems": [
        {
            "title": "Linen sheet",
            "variantTitle": "One size",
            "sku": "SHEET-DOUBLE",
            "quantity": 1,
            "unitPrice": eur(12900),
            "totalDiscount": eur(0),
            "productExternalId": "linen-sheet",
            "variantExternalId": "linen-sheet-1",
        }
    ],
}
NEWCOMER: dict[str, Any] = {
    "externalId": "1003",
    "email": "chiara.rossi@example.com",
    "firstName": "Chiara",
    "lastName": "Rossi",
    "locale": "it",
    "externalCreatedAt": "2026-03-01T10:00:00.000Z",
    "externalUpdatedAt": "2026-03-01T10:00:00.000Z",
}
IMPORT = {"id": "{store.id}", "importId": "{batch.id}"}

CHAPTER: Chapter = [
    Step(
        "orders.put",
        path={"id": "{store.id}", "externalId": "5001"},
        body=ORDER,
        keep="order",
    ),
    Step("orders.put", path={"id": "{store.id}", "externalId": "5001"}, body=ORDER),
    Step(
        "stores.createBatch",
        path={"id": "{store.id}"},
        body={
            "customers": [NEWCOMER],
            "orders": [
                SECOND,
                {**SECOND, "externalId": "5003", "total": {**eur(13390), "currency": "USD"}},
            ],
        },
        keep="batch",
    ),
    Step("stores.getImport", path=IMPORT),
    Step("stores.listImportProblems", path=IMPORT, query={"page": 1, "pageSize": 25}),
    Step(
        "stores.listImports",
        path={"id": "{store.id}"},
        query={"scope": "customers_orders", "status": "completed", "page": 1, "pageSize": 25},
    ),
    Step(
        "orders.list",
        query={
            "q": "1001",
            "storeId": "{store.id}",
            "profileId": "{people.items.0.id}",
            "externalId": "5001",
            "financialStatus": "paid",
            "fulfillmentStatus": "unfulfilled",
            "cancelled": "false",
            "isTest": "false",
            "placedFrom": "2026-03-01T00:00:00.000Z",
            "placedTo": "2026-04-01T00:00:00.000Z",
            "sort": "-placedAt",
            "page": 1,
            "pageSize": 25,
        },
        keep="orders",
    ),
    Step("orders.get", path={"id": "{orders.items.0.id}"}),
    Step("search.get", query={"q": "ada", "kinds": "profile,order", "limit": 5}),
    Step("search.get", query={"q": "ada"}),
]
