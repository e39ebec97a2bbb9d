"""The shop's three products: a throw, a sheet and a candle."""

from typing import Any

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

PRODUCT = {"id": "{throw.id}"}


def eur(amount: int) -> dict[str, Any]:
    """Money in euro cents."""
    return {"amount": amount, "currency": "EUR"}


def product(
    title: str,
    german: str,
    kind: str,
    *,
    variant: str,
    sku: str,
    price: int,
    inventory: int,
    **more: object,
) -> dict[str, Any]:
    """A product of one variant, as the shop's system sends it."""
    handle = title.lower().replace(" ", "-")
    return {
        "updatedAt": "2026-03-10T08:00:00.000Z",
        "createdAt": "2025-09-01T08:00:00.000Z",
        "publishedAt": "2025-09-15T08:00:00.000Z",
        "status": "active",
        "published": True,
        "handle": handle,
        "vendor": "Birch & Loom",
        "productType": kind,
        "tags": ["handmade"],
        "link": f"https://shop.example.com/products/{handle}",
        "image": {"url": f"https://shop.example.com/images/{handle}.jpg", "alt": title},
        "customFields": {"origin": "Sweden"},
        "adminUrl": f"https://admin.example.com/products/{handle}",
        "locales": [
            {"locale": "en", "title": title, "description": f"<p>{title}, made to last.</p>"},
            {"locale": "de", "title": german},
        ],
        "variants": [
            {
                "externalId": variant,
                "title": "One size",
                "sku": sku,
                "options": [{"name": "Size", "value": "One size"}],
                "price": eur(price),
                "inventory": inventory,
                "continueSellingWhenOutOfStock": False,
                "position": 1,
                **more,
            }
        ],
    }


THROW = product(
    "Wool throw",
    "Wolldecke",
    "Throws",
    variant="feed-throw-grey",
    sku="THROW-GREY",
    price=8900,
    inventory=12,
    barcode="4006381333931",
    compareAtPrice=eur(9900),
)
SHEET = product(
    "Linen sheet",
    "Leinentuch",
    "Bedding",
    variant="linen-sheet-1",
    sku="SHEET-DOUBLE",
    price=12900,
    inventory=7,
)
CANDLE = product(
    "Beeswax candle",
    "Bienenwachskerze",
    "Candles",
    variant="beeswax-candle-1",
    sku="CANDLE",
    price=1290,
    inventory=25,
)

CHAPTER: Chapter = [
    Step(
        "products.put",
        path={"id": "{store.id}", "externalId": "wool-throw"},
        body=THROW,
        keep="throw",
    ),
    Step("products.put", path={"id": "{store.id}", "externalId": "wool-throw"}, body=THROW),
    Step("products.put", path={"id": "{store.id}", "externalId": "linen-sheet"}, body=SHEET),
    Step("products.put", path={"id": "{store.id}", "externalId": "beeswax-candle"}, body=CANDLE),
    Step(
        "products.list",
        query={
            "storeId": "{store.id}",
            "externalId": "wool-throw",
            "locale": "en",
            "q": "throw",
            "status": "active",
            "published": "true",
            "stock": "in_stock",
            "vendor": "Birch & Loom",
            "productType": "Throws",
            "tag": "handmade",
            "changedFrom": "2026-03-01T00:00:00.000Z",
            "changedTo": "2026-04-01T00:00:00.000Z",
            "sort": "title",
            "page": 1,
            "pageSize": 25,
        },
        keep="products",
    ),
]
