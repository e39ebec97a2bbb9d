"""A store whose feeds are on the test's own server."""

from dataclasses import dataclass
from typing import Any

from storepost.feeds.records.mapping import FeedField
from storepost.values.scope import WorkspaceScope
from tests.feeds.feeds.serving import FeedServer
from tests.harness.world import Answer, Someone, World

type Json = dict[str, Any]

MAPPING = {
    target.value: target.value
    for target in FeedField
    if target not in {FeedField.MPN, FeedField.IGNORE}
}
NO_COUNTS = {
    "rows": 0,
    "imported": 0,
    "variantOnly": 0,
    "fromFirstRow": 0,
    "created": 0,
    "products": 0,
    "unmatched": 0,
    "skipped": 0,
    "removed": 0,
}


def counts(**overrides: int) -> Json:
    """An import's counts: those that aren't given are 0."""
    return {**NO_COUNTS, **overrides}


def csv(*rows: Json) -> str:
    """The rows as CSV, with the columns of all of them."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(columns)]
    lines += [",".join(f'"{row.get(name, "")}"' for name in columns) for row in rows]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Shop:
    """A store of a workspace, and its owner."""

    world: World
    server: FeedServer
    owner: Someone
    workspace: WorkspaceScope
    store_id: str

    def do(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """A request of the owner's."""
        return self.owner.call(method, path, body, **more)

    def get(self, path: str, **query: object) -> Any:
        """What a read answers."""
        answer = self.do("GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def draft(self, url: str, **overrides: Any) -> Json:
        """A feed to create."""
        return {
            "storeId": self.store_id,
            "name": "Catalogue",
            "url": url,
            "mode": "add_and_enrich",
            "mapping": MAPPING,
            **overrides,
        }

    def create(self, url: str, **overrides: Any) -> Json:
        """A new feed, its first import still to come."""
        answer = self.do("POST", "/feeds", self.draft(url, **overrides))
        assert answer.status == 201, answer.body
        return dict(answer.json)

    def feed(self, body: str | bytes, path: str = "/feed", **overrides: Any) -> Json:
        """A new feed with this file, once it is imported."""
        feed = self.create(self.server.put(path, body), **overrides)
        self.world.deliver()
        return dict(self.get(f"/feeds/{feed['id']}"))

    def again(self, feed: Json, body: str | bytes | None = None, path: str = "/feed") -> Json:
        """The next import of a feed, with another file, once it has ended."""
        if body is not None:
            self.server.put(path, body)
        answer = self.do("POST", f"/feeds/{feed['id']}/imports")
        assert answer.status == 202, answer.body
        self.world.deliver()
        return dict(self.get(f"/feeds/{feed['id']}/imports/{answer.json['id']}"))

    def put_product(self, external_id: str, **overrides: Any) -> Json:
        """A product of the store's own."""
        body = {
            "updatedAt": "2026-11-01T00:00:00Z",
            "status": "active",
            "locales": [{"locale": "de-AT", "title": f"Store's {external_id}"}],
            "variants": [
                {
                    "externalId": f"{external_id}-v",
                    "title": "One",
                    "price": {"amount": 1000, "currency": "EUR"},
                }
            ],
            **overrides,
        }
        answer = self.do("PUT", f"/stores/{self.store_id}/products/{external_id}", body)
        assert answer.status in {200, 201}, answer.body
        return dict(answer.json)

    def products(self, **query: object) -> dict[str, Json]:
        """The store's products by their external ids, as one reads them."""
        listed = self.get("/products", pageSize=100, **query)["items"]
        return {row["externalId"]: self.get(f"/products/{row['id']}") for row in listed}

    def variants(self, product: Json) -> dict[str, Json]:
        """A product's variants by their external ids."""
        found = self.get(f"/products/{product['id']}/variants", pageSize=100)["items"]
        return {row["externalId"]: row for row in found}

    def skipped(
        self, feed: Json, import_id: str | None = None
    ) -> list[tuple[int, str | None, str]]:
        """What an import skipped."""
        which = import_id or feed["latestImport"]["id"]
        found = self.get(f"/feeds/{feed['id']}/imports/{which}/skipped-rows", pageSize=100)
        assert found["total"] == len(found["items"])
        return [(row["row"], row["id"], row["reason"]) for row in found["items"]]


def open_shop(world: World, server: FeedServer) -> Shop:
    """A store of a new workspace."""
    owner = world.person()
    workspace = world.workspace(owner)
    return Shop(world, server, owner, workspace, world.store(owner))


def stored(shop: Shop) -> dict[tuple[str, str], object]:
    """The rows of all products, by their keys."""
    rows = shop.world.rows(shop.workspace.partition("product", ""))
    return {row.key: row.to_dynamodb_dict() for row in rows}
