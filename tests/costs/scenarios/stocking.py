"""Products, their sales, and field priority."""

from typing import Any

from tests.catalog.products.sample import product, variant
from tests.costs.scenario import Ask, Town
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
PRODUCTS = 100


def _of(town: Town, number: int, variants: int = 1, **given: object) -> Ask:
    """A product as its store puts it."""
    texts = [
        {"locale": "de-AT", "title": f"Jasmintee, Ernte {number}", "description": "Lose. " * 40},
        {"locale": "en-GB", "title": f"Jasmine tea, harvest {number}"},
    ]
    rows = [
        variant(n, externalId=f"v{number}-{n}", sku=f"TEA-{number}-{n}", barcode=None)
        for n in range(1, variants + 1)
    ]
    path = {"id": town.store, "externalId": f"9{number:012}"}
    return Ask(town.key, product(locales=texts, variants=rows, **given), path=path)


def _stocked(town: Town) -> Town:
    """With products in the first store, brought as batches."""
    for first in range(0, PRODUCTS, 50):
        records = [_of(town, number) for number in range(first, first + 50)]
        bodies: list[Any] = [
            {"externalId": each.path["externalId"], **dict(each.body)}  # type: ignore[call-overload]
            for each in records
        ]
        batch = Ask(town.key, {"products": bodies}, path={"id": town.store})
        town.ask("stores.createBatch", batch)
        town.world.deliver()
    return town


def _one(town: Town, **query: object) -> Ask:
    asked = Ask(town.key, query={"externalId": f"9{1:012}"})
    [found] = _stocked(town).ask("products.list", asked).json["items"]
    return Ask(town.key, path={"id": found["id"]}, query=query)


SCENARIOS.plain("products.list", lambda town: Ask(_stocked(town).key), "page 1 of 100")
SCENARIOS.plain(
    "products.list", lambda town: Ask(_stocked(town).key, query={"q": "jasmine"}), "by a word"
)
SCENARIOS.plain("products.get", _one)
SCENARIOS.plain("products.getOfStore", lambda town: Ask(town.key, path=_of(_stocked(town), 1).path))
SCENARIOS.plain("products.listVariants", _one)
SCENARIOS.plain("products.getSources", _one)
SCENARIOS.plain("products.getSales", _one)
SCENARIOS.plain("products.put", lambda town: _of(town, 999), "new, one variant")
SCENARIOS.plain("products.put", lambda town: _of(town, 999, 10), "new, ten variants")
SCENARIOS.plain("products.put", lambda town: _of(_stocked(town), 1), "the same again")


@SCENARIOS.of("products.put", "another price")
def changed_product(town: Town) -> Ask:
    later = _of(_stocked(town), 1, 2, updatedAt="2026-05-01T00:00:00Z")
    return Ask(later.token, later.body, path=later.path)


@SCENARIOS.of("products.delete")
def delete_product(town: Town) -> Ask:
    return Ask(town.key, path=_of(_stocked(town), 1).path)


SCENARIOS.plain("productPriority.get", lambda town: Ask(town.key, path={"id": town.store}))


def _rules(town: Town) -> dict[str, Any]:
    path = {"id": _stocked(town).store}
    [source] = town.ask("productPriority.get", Ask(town.key, path=path)).json["sources"]
    return {"order": [source["id"]], "fields": {"product.title": [source["id"]]}}


@SCENARIOS.of("productPriorityChanges.create", "100 products")
def propose(town: Town) -> Ask:
    return Ask(town.key, _rules(town), path={"id": town.store})


def _ready(town: Town) -> Ask:
    asked = Ask(town.key, _rules(town), path={"id": town.store})
    change = town.ask("productPriorityChanges.create", asked).json
    town.world.deliver()
    return Ask(town.key, path={"id": change["id"]})


SCENARIOS.plain("productPriorityChanges.get", _ready)


@SCENARIOS.of("productPriorityChanges.list", "1 change")
def list_priority_changes(town: Town) -> Ask:
    _ready(town)
    return Ask(town.key, path={"id": town.store})


SCENARIOS.plain("productPriorityChanges.listProducts", _ready)
SCENARIOS.plain("productPriorityChanges.apply", _ready, "100 products")
SCENARIOS.plain("productPriorityChanges.refresh", _ready, "100 products")
SCENARIOS.plain("productPriorityChanges.delete", _ready)
