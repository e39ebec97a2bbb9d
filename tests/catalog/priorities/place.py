"""A store with a feed, whose priorities change."""

import json
from typing import Any
from uuid import UUID

from storepost.catalog.products.rules import product_source_id
from tests.catalog.products.sample import product, put
from tests.catalog.products.state import store_of
from tests.harness.world import Answer, Someone, World


class Place:
    """A store with a feed, and its owner."""

    def __init__(self, world: World, owner: Someone, store: str) -> None:
        self.world, self.owner, self.id = world, owner, store
        self.value = store_of(world, store)
        self.own = str(product_source_id(UUID(store), UUID(store)))
        self.path = f"/stores/{store}/product-priority"

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        return self.owner.call(method, path, body, **more)

    def put(self, external_id: str, **change: object) -> dict[str, Any]:
        answer = put(self.owner, self.id, external_id, product(**change))
        assert answer.status in {200, 201}, answer.body
        body: dict[str, Any] = answer.json
        return body

    def get(self, path: str, **query: object) -> Any:
        answer = self.call("GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def propose(self, *order: str, **fields: list[str]) -> dict[str, Any]:
        named = {name.replace("__", "."): ids for name, ids in fields.items()}
        answer = self.call("POST", f"{self.path}/changes", {"order": order, "fields": named})
        assert answer.status == 202, answer.body
        body: dict[str, Any] = answer.json
        return body

    def ready(self, *order: str, **fields: list[str]) -> dict[str, Any]:
        """A change whose preview is done."""
        change = self.propose(*order, **fields)
        self.world.deliver()
        shown: dict[str, Any] = self.change(change)
        assert shown["status"] == "ready", shown
        return shown

    def change(self, change: dict[str, Any]) -> Any:
        return self.get(f"/product-priority-changes/{change['id']}")

    def act(self, change: dict[str, Any], what: str) -> Answer:
        return self.call("POST", f"/product-priority-changes/{change['id']}/{what}")


def answered(row: dict[str, Any]) -> int:
    """How many bytes an answer has of a row."""
    return len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())
