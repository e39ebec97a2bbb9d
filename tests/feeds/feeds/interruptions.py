"""A feed whose second import is interrupted, and what becomes of it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.imports import running
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.persistence.sealing import clear_key_cache
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.harness.runs import run_worker

FIRST = csv(
    *({"id": f"p{n}", "title": f"Title {n}", "price": str(n + 1)} for n in range(7)),
    {"id": "x", "item_group_id": "g", "title": "X", "size": "S"},
    {"id": "y", "item_group_id": "g", "title": "Y", "size": "M"},
)
SECOND = csv(
    *({"id": f"p{n}", "title": f"Title {n}", "price": str(n + 1)} for n in range(3)),
    {"id": "p3", "title": "Other", "price": "4"},
    {"id": "x", "item_group_id": "g", "title": "X", "size": "S"},
    {"id": "new", "title": "New", "price": "9", "sku": "SKU-OWN"},
    {"id": "twice", "title": "Twice", "price": "ask"},
)
COUNTS = counts(rows=7, imported=6, fromFirstRow=1, created=1, products=6, skipped=1, removed=4)


def ready(shop: Shop) -> tuple[Json, Callable[[], None]]:
    """A feed whose second import's message is queued; a function that restores that state."""
    shop.put_product("own", variants=[])
    feed = shop.feed(FIRST)
    return feed, imported_again(shop, feed, SECOND)


def imported_again(shop: Shop, feed: Json, text: str) -> Callable[[], None]:
    """Queues the import of the feed's next text; returns a function that restores that state."""
    shop.server.put("/feed", text)
    clear_key_cache()
    back = shop.world.checkpoint()

    def begin() -> None:
        back()
        assert shop.do("POST", f"/feeds/{feed['id']}/imports").status == 202
        shop.world.deliver_outbox()

    begin()
    return begin


def message(shop: Shop, feed: Json) -> FeedImportMessage:
    """The message of the queue."""
    return FeedImportMessage(shop.workspace.id, UUID(feed["id"]))


def resume(shop: Shop, feed: Json, *, tries: int = 1, milliseconds: int = 300_000) -> None:
    """One run of the worker."""
    run_worker(running.resume, message(shop, feed), tries, milliseconds)


def outcome(shop: Shop, feed: Json) -> dict[str, Any]:
    """The latest import and all products, but for moments and ids."""
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    products = shop.products()
    moments = {"addedAt", "changedAt", "syncedAt", "updatedAt", "createdAt"}
    return {
        "import": {k: latest[k] for k in ("status", "counts", "error", "format", "bytes")},
        "skipped": shop.skipped(feed, latest["id"]),
        "products": {
            name: {k: v for k, v in product.items() if k not in moments}
            for name, product in products.items()
        },
        "removed": sorted(shop.products(status="removed")),
        "variants": {name: sorted(shop.variants(p)) for name, p in products.items()},
        "manifests": len([name for name in shop.world.objects() if "manifests/" in name]),
    }


def expected(shop: Shop, feed: Json) -> dict[str, Any]:
    """The result if nothing disturbs the import."""
    resume(shop, feed)
    shop.world.deliver()
    ended = outcome(shop, feed)
    assert ended["import"]["counts"] == COUNTS
    assert ended["removed"] == ["p4", "p5", "p6"]
    return ended


def lose(shop: Shop) -> None:
    """Deletes the messages that are queued."""
    for row in shop.world.rows(PARTITION):
        row.delete()
    shop.world.lose_stream()
