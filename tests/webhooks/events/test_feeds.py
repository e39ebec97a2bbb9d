"""Events of feeds: their imports, and the marked writes of those."""

from collections import Counter
from uuid import UUID

import pytest

from tests.feeds.feeds import feed_store
from tests.feeds.feeds.conftest import running_server, server
from tests.feeds.feeds.interruptions import resume
from tests.feeds.feeds.serving import FeedServer
from tests.harness.call_interruption import before_the_commit
from tests.webhooks.events.shop import Shop, of

__all__ = ["running_server", "server"]

ROWS = ({"id": "p-1", "title": "Tea"}, {"id": "p-2", "title": "Cup"})


@pytest.fixture
def feeds(shop: Shop, server: FeedServer) -> feed_store.Shop:
    """Makes the store one with feeds."""
    return feed_store.Shop(shop.world, server, shop.owner, shop.workspace, shop.store)


class TestImports:
    def test_completed_import_and_products_marked_imported(
        self, shop: Shop, feeds: feed_store.Shop
    ) -> None:
        feed = feeds.feed(feed_store.csv(*ROWS))
        events = shop.events()
        [ended] = [event for event in events if event.type == "feed_import.completed"]
        assert not ended.imported
        _, import_id = of(ended)
        assert shop.data(ended) == shop.get(f"/feeds/{feed['id']}/imports/{import_id}")
        marked = Counter(event.type for event in events if event.imported)
        assert marked == {"product.created": 2}
        assert len(events) == 3

    def test_removed_row_is_marked_imported(self, shop: Shop, feeds: feed_store.Shop) -> None:
        feed = feeds.feed(feed_store.csv(*ROWS))
        shop.events()
        feeds.again(feed, feed_store.csv(ROWS[0]))
        events = sorted((event.type, event.imported) for event in shop.events())
        assert events == [("feed_import.completed", False), ("product.removed", True)]

    def test_failed_import(self, shop: Shop, feeds: feed_store.Shop) -> None:
        feed = feeds.create(feeds.server.put("/feed", "", status=404))
        shop.world.deliver()
        [event] = shop.events()
        assert event.type == "feed_import.failed"
        _, import_id = of(event)
        assert shop.data(event) == shop.get(f"/feeds/{feed['id']}/imports/{import_id}")

    def test_import_of_a_feed_that_is_deleted_before_its_end_is_not_completed(
        self, shop: Shop, feeds: feed_store.Shop
    ) -> None:
        feed = feeds.create(feeds.server.put("/feed", feed_store.csv(*ROWS)))
        shop.world.deliver_outbox()
        with before_the_commit(lambda: shop.call("DELETE", f"/feeds/{feed['id']}"), which=5):
            resume(feeds, feed)
        ended = [event.type for event in shop.events() if event.type.startswith("feed_import.")]
        assert ended == ["feed_import.failed"]

    def test_pending_event_of_a_deleted_feed_has_only_ids(
        self, shop: Shop, feeds: feed_store.Shop
    ) -> None:
        feed = feeds.feed(feed_store.csv(*ROWS))
        event = shop.only("feed_import.completed")
        shop.call("DELETE", f"/feeds/{feed['id']}")
        assert shop.data(event) == {"id": str(of(event)[1]), "feedId": feed["id"]}

    def test_deleted_feed_removes_products_unmarked(
        self, shop: Shop, feeds: feed_store.Shop
    ) -> None:
        feed = feeds.feed(feed_store.csv(*ROWS))
        shop.events()
        shop.call("DELETE", f"/feeds/{feed['id']}")
        shop.world.deliver()
        events = [(event.type, event.imported) for event in shop.events()]
        assert events == [("product.removed", False)] * 2


class TestPriority:
    def test_changed_winner_causes_product_updated(
        self, shop: Shop, feeds: feed_store.Shop
    ) -> None:
        product = feeds.put_product("p-1")
        feeds.feed(feed_store.csv({"id": "p-1", "title": "The feed's"}))
        path = f"/stores/{shop.store}/product-priority"
        order = [each["id"] for each in shop.get(path)["sources"]]
        change = shop.call("POST", f"{path}/changes", {"order": order[::-1], "fields": {}}).json
        shop.delivered()
        shop.call("POST", f"/product-priority-changes/{change['id']}/apply")
        shop.world.deliver()
        [event] = [each for each in shop.events() if each.type.startswith("product.")]
        assert (event.type, event.imported) == ("product.updated", False)
        assert of(event)[1] == UUID(product["id"])
        assert shop.data(event)["title"] == "The feed's"
