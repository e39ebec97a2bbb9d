"""Feeds, with a hundred rows: each a product of one variant."""

from collections.abc import Iterable

from tests.costs.scenario import Ask, Town
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
ROWS = 100
MAPPING = {name: name for name in ("id", "title", "description", "price", "brand", "gtin")}


def _file(town: Town, numbers: Iterable[int], title: str = "Jasmintee") -> None:
    lines = ["id,title,description,price,brand,gtin"]
    for number in numbers:
        told = f"{title} {number},{'Lose. ' * 20},12.90 EUR,Steinberger,90{number:011d}"
        lines.append(f"tea-{number},{told}")
    town.outside.file = "\n".join(lines).encode()


def _source(town: Town) -> dict[str, object]:
    return {"storeId": town.store, "url": "https://feeds.example.com/catalogue.csv"}


def _draft(town: Town) -> dict[str, object]:
    return {**_source(town), "mode": "add_and_enrich", "mapping": MAPPING}


def _created(town: Town, rows: int = ROWS) -> str:
    """A feed that was imported."""
    _file(town, range(rows))
    body = {**_draft(town), "name": "Catalogue"}
    feed = town.ask("feeds.create", Ask(town.key, body)).json["id"]
    town.world.deliver()
    return str(feed)


def _import_of(town: Town, feed: str) -> Ask:
    [latest] = town.ask("feeds.listImports", Ask(town.key, path={"id": feed})).json["items"]
    return Ask(town.key, path={"id": feed, "importId": latest["id"]})


@SCENARIOS.of("feeds.preview", "100 rows, nothing matches")
def preview(town: Town) -> Ask:
    _created(town, 1)
    _file(town, range(1, ROWS + 1))
    return Ask(town.key, _source(town))


@SCENARIOS.of("feeds.check", "100 rows, nothing matches")
def check(town: Town) -> Ask:
    _created(town, 1)
    _file(town, range(1, ROWS + 1))
    return Ask(town.key, _draft(town))


@SCENARIOS.of("feeds.list", "1 feed")
def list_feeds(town: Town) -> Ask:
    _created(town, 1)
    return Ask(town.key)


@SCENARIOS.of("feeds.create", "100 rows, all new")
def create(town: Town) -> Ask:
    _file(town, range(ROWS))
    return Ask(town.key, {**_draft(town), "name": "Catalogue"})


@SCENARIOS.of("feeds.get")
def get(town: Town) -> Ask:
    return Ask(town.key, path={"id": _created(town, 1)})


@SCENARIOS.of("feeds.update", "its name")
def rename(town: Town) -> Ask:
    return Ask(town.key, {"name": "Other"}, path={"id": _created(town, 1)})


@SCENARIOS.of("feeds.delete", "100 products, removed")
def delete(town: Town) -> Ask:
    return Ask(town.key, path={"id": _created(town)})


@SCENARIOS.of("feeds.listImports", "1 import")
def list_imports(town: Town) -> Ask:
    return Ask(town.key, path={"id": _created(town, 1)})


@SCENARIOS.of("feeds.createImport", "100 rows, nothing new")
def import_unchanged(town: Town) -> Ask:
    return Ask(town.key, path={"id": _created(town)})


@SCENARIOS.of("feeds.createImport", "100 rows, all changed")
def import_changed(town: Town) -> Ask:
    feed = _created(town)
    _file(town, range(ROWS), "Earl Grey")
    return Ask(town.key, path={"id": feed})


@SCENARIOS.of("feeds.getImport")
def get_import(town: Town) -> Ask:
    return _import_of(town, _created(town, 1))


@SCENARIOS.of("feeds.listSkippedRows", "page 1 of 100 rows")
def list_skipped(town: Town) -> Ask:
    feed = _created(town, 1)
    town.outside.file = b"id,title\n" + b",nameless\n" * ROWS
    queued = town.ask("feeds.createImport", Ask(town.key, path={"id": feed})).json["id"]
    town.world.deliver()
    return Ask(town.key, path={"id": feed, "importId": queued})
