"""Products, their sales, and field priority."""

from typing import Any

from tests.catalog.products.sample import product, variant
from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
PRODUCTS = 100


def _of(shop: Shop, number: int, variants: int = 1, **overrides: object) -> Request:
    """A product as its store puts it."""
    texts = [
        {"locale": "de-AT", "title": f"Jasmintee, Ernte {number}", "description": "Lose. " * 40},
        {"locale": "en-GB", "title": f"Jasmine tea, harvest {number}"},
    ]
    rows = [
        variant(n, externalId=f"v{number}-{n}", sku=f"TEA-{number}-{n}", barcode=None)
        for n in range(1, variants + 1)
    ]
    path = {"id": shop.store, "externalId": f"9{number:012}"}
    return Request(shop.key, product(locales=texts, variants=rows, **overrides), path=path)


def _stocked(shop: Shop) -> Shop:
    """Puts products into the first store, by batches."""
    for first in range(0, PRODUCTS, 50):
        records = [_of(shop, number) for number in range(first, first + 50)]
        bodies: list[Any] = [
            {"externalId": each.path["externalId"], **dict(each.body)}  # type: ignore[call-overload]
            for each in records
        ]
        batch = Request(shop.key, {"products": bodies}, path={"id": shop.store})
        shop.send("stores.createBatch", batch)
        shop.world.deliver()
    return shop


def _one(shop: Shop, **query: object) -> Request:
    request = Request(shop.key, query={"externalId": f"9{1:012}"})
    [found] = _stocked(shop).send("products.list", request).json["items"]
    return Request(shop.key, path={"id": found["id"]}, query=query)


SCENARIOS.plain("products.list", lambda shop: Request(_stocked(shop).key), "page 1 of 100")
SCENARIOS.plain(
    "products.list", lambda shop: Request(_stocked(shop).key, query={"q": "jasmine"}), "by a word"
)
SCENARIOS.plain("products.get", _one)
SCENARIOS.plain(
    "products.getOfStore", lambda shop: Request(shop.key, path=_of(_stocked(shop), 1).path)
)
SCENARIOS.plain("products.listVariants", _one)
SCENARIOS.plain("products.getSources", _one)
SCENARIOS.plain("products.getSales", _one)
SCENARIOS.plain("products.put", lambda shop: _of(shop, 999), "new, one variant")
SCENARIOS.plain("products.put", lambda shop: _of(shop, 999, 10), "new, ten variants")
SCENARIOS.plain("products.put", lambda shop: _of(_stocked(shop), 1), "the same again")


@SCENARIOS.of("products.put", "another price")
def changed_product(shop: Shop) -> Request:
    later = _of(_stocked(shop), 1, 2, updatedAt="2026-05-01T00:00:00Z")
    return Request(later.token, later.body, path=later.path)


@SCENARIOS.of("products.delete")
def delete_product(shop: Shop) -> Request:
    return Request(shop.key, path=_of(_stocked(shop), 1).path)


SCENARIOS.plain("productPriority.get", lambda shop: Request(shop.key, path={"id": shop.store}))


def _rules(shop: Shop) -> dict[str, Any]:
    path = {"id": _stocked(shop).store}
    [source] = shop.send("productPriority.get", Request(shop.key, path=path)).json["sources"]
    return {"order": [source["id"]], "fields": {"product.title": [source["id"]]}}


@SCENARIOS.of("productPriorityChanges.create", "100 products")
def propose(shop: Shop) -> Request:
    return Request(shop.key, _rules(shop), path={"id": shop.store})


def _ready(shop: Shop) -> Request:
    request = Request(shop.key, _rules(shop), path={"id": shop.store})
    change = shop.send("productPriorityChanges.create", request).json
    shop.world.deliver()
    return Request(shop.key, path={"id": change["id"]})


SCENARIOS.plain("productPriorityChanges.get", _ready)


@SCENARIOS.of("productPriorityChanges.list", "1 change")
def list_priority_changes(shop: Shop) -> Request:
    _ready(shop)
    return Request(shop.key, path={"id": shop.store})


SCENARIOS.plain("productPriorityChanges.listProducts", _ready)
SCENARIOS.plain("productPriorityChanges.apply", _ready, "100 products")
SCENARIOS.plain("productPriorityChanges.refresh", _ready, "100 products")
SCENARIOS.plain("productPriorityChanges.delete", _ready)
