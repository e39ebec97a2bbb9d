"""A feed whose first import loads many new products, and the stored rows of those."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.trees import ProductLists
from storepost.feeds.imports import plan_writing, staging, writing
from storepost.platform.persistence.sealing import clear_key_cache
from tests.catalog.products.state import check, products, store_of
from tests.feeds.feeds.feed_store import Json, Shop, csv

ROWS = [
    {
        "id": f"p{n}",
        "title": f"{'acegikmobdfhjl'[n]} title",
        "price": str(n + 1),
        "sku": f"SKU {n}",
        "brand": f"Brand {n % 3}",
    }
    for n in range(14)
]
FEED = csv(*ROWS)


OWN_TITLES = {"between": "Store's own", "appended": "A"}
"""What the store's own product is called: the feed's titles come before that, or are appended.

Where they are appended the next rows are staged before the transaction of the ones before.
"""


def small_loads(monkeypatch: pytest.MonkeyPatch, titles: str = "between") -> None:
    """Lets a load begin with a few rows, whose titles are between others or are appended."""
    monkeypatch.setattr(f"{__name__}.own_title", OWN_TITLES[titles])
    monkeypatch.setattr(staging, "MIN_LOADED", 8)
    monkeypatch.setattr(plan_writing, "ENDS", 2)
    monkeypatch.setattr(plan_writing, "LOAD_READ_AHEAD", 5)
    monkeypatch.setattr(writing, "_MAX_LOADED", 5)
    monkeypatch.setattr(writing, "_MIN_LOADED", 2)


def says(shop: Shop) -> dict[str, Any]:
    """All products with their sources' values, without moments; checks that lists have them."""
    check(shop.world, store_of(shop.world, shop.store_id))
    repository = ProductRepository(shop.workspace)
    found = {}
    for product in products(shop.world):
        layers = repository.layers(product).values()
        found[product.external_id] = (
            product.removed_at is None,
            product.summaries,
            product.skus,
            sorted(repr((r.values, r.is_live)) for layer in layers for r in layer.records),
        )
    titles = ProductLists(shop.workspace).by_title.rows.everything()[1]
    live = sum(is_live for is_live, *_ in found.values())
    assert len({entry.id for entry in titles}) == live
    return found


def one_by_one(shop: Shop, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Does the work without a load."""
    with monkeypatch.context() as plain:
        plain.setattr(staging, "MIN_LOADED", 10**9)
        work()


@dataclass(frozen=True)
class Waiting:
    """A feed whose first import waits for the worker; a test may begin it repeatedly."""

    shop: Shop
    back: Callable[[], None]

    def begin(self) -> Json:
        """The feed, in that state again."""
        self.back()
        feed = self.shop.create(self.shop.server.put("/feed", FEED))
        self.shop.world.deliver_outbox()
        return feed


own_title = OWN_TITLES["between"]


def waiting(shop: Shop) -> Waiting:
    """The feed, beside a product of the store's own."""
    shop.put_product("own", variants=[], locales=[{"locale": "de-AT", "title": own_title}])
    clear_key_cache()
    return Waiting(shop, shop.world.checkpoint())


def kinds(shop: Shop, kind: type[object]) -> int:
    """How many rows of a kind there are."""
    return sum(isinstance(row, kind) for row in shop.world.rows())
