"""The schedule: which feeds it queues and when, and what a scheduled import may not do."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.events import pumps
from storepost.feeds.feeds.model import INTERVAL, next_import_after
from storepost.feeds.feeds.repository import FeedRepository
from storepost.values import clock
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.harness.world import World

CATALOGUE = [{"id": name, "title": f"Title {name}", "price": "5"} for name in "abcde"]


def next_of(shop: Shop, feed: Json) -> datetime:
    """When the feed is imported next."""
    return clock.from_text(shop.get(f"/feeds/{feed['id']}")["nextImportAt"])


def until_due(shop: Shop, feed: Json) -> None:
    """Moves the time to the feed's next import."""
    shop.world.advance(seconds=(next_of(shop, feed) - clock.now()).total_seconds() + 1)


def run(world: World) -> None:
    """Lets the schedule run, and what it queued."""
    pumps.run_schedule("feed_schedule")
    world.deliver()


def latest(shop: Shop, feed: Json) -> Json:
    """The import that is shown with the feed."""
    return dict(shop.get(f"/feeds/{feed['id']}")["latestImport"])


class TestDue:
    """Every five minutes."""

    def test_feed_is_imported_every_six_hours(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        first = next_of(shop, feed)
        run(shop.world)
        assert latest(shop, feed)["trigger"] == "created"
        until_due(shop, feed)
        run(shop.world)
        done = latest(shop, feed)
        assert (done["trigger"], done["status"]) == ("schedule", "completed")
        assert next_of(shop, feed) == first + timedelta(hours=6)
        run(shop.world)
        assert latest(shop, feed) == done

    def test_feed_of_disconnected_store_is_not_due(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        shop.do("POST", f"/stores/{shop.store_id}/disconnect")
        until_due(shop, feed)
        run(shop.world)
        assert latest(shop, feed)["trigger"] == "created"
        assert next_of(shop, feed) > clock.now()

    def test_queued_import_is_reused(self, shop: Shop) -> None:
        feed = shop.create(shop.server.put("/feed", csv(*CATALOGUE)))
        until_due(shop, feed)
        run(shop.world)
        assert shop.get(f"/feeds/{feed['id']}/imports")["total"] == 1

    def test_deleted_feed_is_not_due(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        shop.do("DELETE", f"/feeds/{feed['id']}")
        shop.world.deliver()
        shop.world.advance(hours=7)
        run(shop.world)
        assert shop.world.rows("due#feeds#") == []

    def test_failing_feed_does_not_block_others(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = shop.feed(csv(*CATALOGUE), "/1")
        second = shop.feed(csv(*CATALOGUE), "/2")
        shop.world.advance(hours=7)
        plain = FeedRepository.get

        def get(self: FeedRepository, feed_id: UUID) -> object:
            if str(feed_id) == first["id"]:
                raise TimeoutError
            return plain(self, feed_id)

        with monkeypatch.context() as broken:
            broken.setattr(FeedRepository, "get", get)
            pumps.run_schedule("feed_schedule")
        shop.world.deliver()
        assert latest(shop, second)["trigger"] == "schedule"
        assert latest(shop, first)["trigger"] == "created"
        run(shop.world)
        assert latest(shop, first)["trigger"] == "schedule"


class TestRemovalLimit:
    """A scheduled import that would remove more than half removes nothing."""

    def scheduled(self, shop: Shop, remaining: int) -> Json:
        feed = shop.feed(csv(*CATALOGUE[:4]))
        shop.server.put("/feed", csv(*CATALOGUE[:remaining]))
        until_due(shop, feed)
        run(shop.world)
        return latest(shop, feed)

    def test_scheduled_import_may_not_remove_more_than_half(self, shop: Shop) -> None:
        done = self.scheduled(shop, 1)
        assert (done["status"], done["error"]) == ("failed", "import_failed")
        assert (done["format"], done["counts"]) == ("csv", counts())
        assert set(shop.products()) == {"a", "b", "c", "d"}

    @pytest.mark.parametrize("by", ["asking", "changing"])
    def test_scheduled_import_requested_manually_may_remove_most(self, shop: Shop, by: str) -> None:
        feed = shop.feed(csv(*CATALOGUE[:4]))
        shop.server.put("/feed", csv(*CATALOGUE[:1]))
        until_due(shop, feed)
        pumps.run_schedule("feed_schedule")
        waiting = latest(shop, feed)
        assert waiting["trigger"] == "schedule"
        if by == "asking":
            answer = shop.do("POST", f"/feeds/{feed['id']}/imports")
            assert (answer.status, answer.json) == (200, {**waiting, "trigger": "manual"})
        else:
            mapping = {**feed["mapping"], "x": "ignore"}
            changed = shop.do("PATCH", f"/feeds/{feed['id']}", {"mapping": mapping})
            assert changed.json["latestImport"] == {**waiting, "trigger": "manual"}
        shop.world.deliver()
        done = latest(shop, feed)
        assert (done["id"], done["trigger"]) == (waiting["id"], "manual")
        assert done["counts"] == counts(rows=1, imported=1, products=1, removed=3)

    @pytest.mark.parametrize("remaining", [4, 1])
    def test_locale_changed_while_disconnected_removes_no_rows(
        self, shop: Shop, remaining: int
    ) -> None:
        """Each row is in another locale then, but the file has it all the same."""
        feed = shop.feed(csv(*CATALOGUE[:4]))
        store = shop.get(f"/stores/{shop.store_id}")
        shop.do("POST", f"/stores/{shop.store_id}/disconnect")
        shop.do("PATCH", f"/feeds/{feed['id']}", {"locale": "fr"})
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        again = shop.do("POST", "/stores", {name: store[name] for name in names})
        assert (again.status, again.json["id"]) == (200, shop.store_id)
        shop.server.put("/feed", csv(*CATALOGUE[:remaining]))
        until_due(shop, feed)
        run(shop.world)
        done = latest(shop, feed)
        if remaining == 1:
            assert (done["status"], done["error"]) == ("failed", "import_failed")
        else:
            assert done["counts"] == counts(rows=4, imported=4, products=4, removed=4)

    def test_products_removed_by_store_do_not_count(self, shop: Shop) -> None:
        for name in "abc":
            shop.put_product(name)
        feed = shop.feed(csv(*CATALOGUE[:3]), mode="enrich_only")
        for name in "ab":
            path = f"/stores/{shop.store_id}/products/{name}"
            assert shop.do("DELETE", path, {"updatedAt": "2026-11-02T00:00:00Z"}).status == 204
        until_due(shop, feed)
        run(shop.world)
        done = latest(shop, feed)
        assert (done["trigger"], done["status"]) == ("schedule", "completed")
        assert done["counts"] == counts(rows=3, imported=1, products=1, unmatched=2, removed=2)
        assert set(shop.products()) == {"c"}

    def test_scheduled_import_may_remove_half(self, shop: Shop) -> None:
        done = self.scheduled(shop, 2)
        assert done["counts"] == counts(rows=2, imported=2, products=2, removed=2)
        assert set(shop.products()) == {"a", "b"}


EARLIEST, LATEST = (datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (2024, 2090))


@given(feed_id=st.uuids(), seconds=st.floats(EARLIEST, LATEST))
def test_import_times_are_six_hours_apart_per_feed(feed_id: UUID, seconds: float) -> None:
    moment = datetime.fromtimestamp(seconds, UTC)
    following = next_import_after(feed_id, moment)
    assert timedelta() < following - moment <= INTERVAL
    assert next_import_after(feed_id, following) == following + INTERVAL
