"""Feeds, with a hundred rows: each a product of one variant."""

from collections.abc import Iterable

from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
ROWS = 100
MAPPING = {name: name for name in ("id", "title", "description", "price", "brand", "gtin")}


def _file(shop: Shop, numbers: Iterable[int], title: str = "Jasmintee") -> None:
    lines = ["id,title,description,price,brand,gtin"]
    for number in numbers:
        cells = f"{title} {number},{'Lose. ' * 20},12.90 EUR,Steinberger,90{number:011d}"
        lines.append(f"tea-{number},{cells}")
    shop.outside.file = "\n".join(lines).encode()


def _source(shop: Shop) -> dict[str, object]:
    return {"storeId": shop.store, "url": "https://feeds.example.com/catalogue.csv"}


def _draft(shop: Shop) -> dict[str, object]:
    return {**_source(shop), "mode": "add_and_enrich", "mapping": MAPPING}


def _created(shop: Shop, rows: int = ROWS) -> str:
    """A feed that was imported."""
    _file(shop, range(rows))
    body = {**_draft(shop), "name": "Catalogue"}
    feed = shop.send("feeds.create", Request(shop.key, body)).json["id"]
    shop.world.deliver()
    return str(feed)


def _import_of(shop: Shop, feed: str) -> Request:
    [latest] = shop.send("feeds.listImports", Request(shop.key, path={"id": feed})).json["items"]
    return Request(shop.key, path={"id": feed, "importId": latest["id"]})


@SCENARIOS.of("feeds.preview", "100 rows, nothing matches")
def preview(shop: Shop) -> Request:
    _created(shop, 1)
    _file(shop, range(1, ROWS + 1))
    return Request(shop.key, _source(shop))


@SCENARIOS.of("feeds.check", "100 rows, nothing matches")
def check(shop: Shop) -> Request:
    _created(shop, 1)
    _file(shop, range(1, ROWS + 1))
    return Request(shop.key, _draft(shop))


@SCENARIOS.of("feeds.list", "1 feed")
def list_feeds(shop: Shop) -> Request:
    _created(shop, 1)
    return Request(shop.key)


@SCENARIOS.of("feeds.create", "100 rows, all new")
def create(shop: Shop) -> Request:
    _file(shop, range(ROWS))
    return Request(shop.key, {**_draft(shop), "name": "Catalogue"})


@SCENARIOS.of("feeds.get")
def get(shop: Shop) -> Request:
    return Request(shop.key, path={"id": _created(shop, 1)})


@SCENARIOS.of("feeds.update", "its name")
def rename(shop: Shop) -> Request:
    return Request(shop.key, {"name": "Other"}, path={"id": _created(shop, 1)})


@SCENARIOS.of("feeds.delete", "100 products, removed")
def delete(shop: Shop) -> Request:
    return Request(shop.key, path={"id": _created(shop)})


@SCENARIOS.of("feeds.listImports", "1 import")
def list_imports(shop: Shop) -> Request:
    return Request(shop.key, path={"id": _created(shop, 1)})


@SCENARIOS.of("feeds.createImport", "100 rows, nothing new")
def import_unchanged(shop: Shop) -> Request:
    return Request(shop.key, path={"id": _created(shop)})


@SCENARIOS.of("feeds.createImport", "100 rows, all changed")
def import_changed(shop: Shop) -> Request:
    feed = _created(shop)
    _file(shop, range(ROWS), "Earl Grey")
    return Request(shop.key, path={"id": feed})


@SCENARIOS.of("feeds.getImport")
def get_import(shop: Shop) -> Request:
    return _import_of(shop, _created(shop, 1))


@SCENARIOS.of("feeds.listSkippedRows", "page 1 of 100 rows")
def list_skipped(shop: Shop) -> Request:
    feed = _created(shop, 1)
    shop.outside.file = b"id,title\n1,named\n" + b",nameless\n" * ROWS
    queued = shop.send("feeds.createImport", Request(shop.key, path={"id": feed})).json["id"]
    shop.world.deliver()
    return Request(shop.key, path={"id": feed, "importId": queued})
