"""Lists show products by their store's primary locale and currencies, also once these change."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.catalog.priorities import worker
from storepost.catalog.products import store_terms_worker
from storepost.catalog.products.jobs import Job, JobKind
from storepost.platform.jobs.runs import Run
from storepost.platform.messaging.outbox import OutboxItem
from storepost.values import clock
from tests.catalog.products.sample import product, put
from tests.catalog.products.state import check, store_of
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.runs import run_worker
from tests.harness.world import Someone, World

TITLES = {"de-AT": "Tee", "en": "Tea"}


class Shop:
    """A store in German and English, with three products and one that was removed."""

    def __init__(self, world: World, owner: Someone, store: str) -> None:
        self.world, self.owner, self.id = world, owner, store
        self.set_primary("de-AT")
        for number in range(4):
            texts = [{"locale": each, "title": f"{t} {number}"} for each, t in TITLES.items()]
            assert put(owner, store, f"p-{number}", product(locales=texts)).status == 201
        self.call("DELETE", f"/stores/{store}/products/p-3")
        world.deliver()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """What the owner gets."""
        answer = self.owner.call(method, path, body, query=query)
        assert answer.status < 300, answer.body
        return answer.json if answer.body else None

    def set_primary(self, locale: str, currency: str = "EUR") -> None:
        """Makes one of the two locales the primary one."""
        rows = [
            {
                "locale": each,
                "label": each,
                "isPrimary": each == locale,
                "country": "AT",
                "currency": currency,
                "url": None,
            }
            for each in TITLES
        ]
        self.call("PUT", f"/stores/{self.id}/locales", rows)

    def reconnect(self, currency: str) -> None:
        """Connects the store anew, in another currency."""
        shown = self.call("GET", f"/stores/{self.id}")
        self.call("POST", f"/stores/{self.id}/disconnect")
        names = ("platform", "name", "externalId", "primaryLocale", "adminUrl")
        body = {name: shown[name] for name in names}
        self.call("POST", "/stores", {**body, "currency": currency})

    def listed(self, **query: object) -> list[dict[str, Any]]:
        """The products in a list; each equals the product that its own read shows."""
        rows = self.call("GET", "/products", **query)["items"]
        for row in rows:
            whole = self.call("GET", f"/products/{row['id']}")
            assert {name: whole[name] for name in row} == row
        found: list[dict[str, Any]] = rows
        return found

    def titles(self, **query: object) -> list[str]:
        """Their titles."""
        return [row["title"] for row in self.listed(**query)]


@pytest.fixture
def shop(world: World, owner: Someone, store: str) -> Shop:
    """The store."""
    return Shop(world, owner, store)


def test_product_written_right_before_the_change_is_resolved_again(shop: Shop) -> None:
    texts = [{"locale": each, "title": f"New {title}"} for each, title in TITLES.items()]
    body = product(locales=texts, updatedAt="2026-04-01T00:00:00Z")

    def write() -> None:
        shop.world.advance(seconds=1)
        assert put(shop.owner, shop.id, "p-0", body).status == 200

    with before_the_commit(write):
        shop.set_primary("en")
    shop.world.deliver()
    assert sorted(shop.titles()) == ["New Tea", "Tea 1", "Tea 2"]
    check(shop.world, store_of(shop.world, shop.id))


def terms(shop: Shop, **more: Any) -> Job:
    """The message by which the products follow the store as it is now."""
    store, until = UUID(shop.id), clock.to_text(clock.now() + timedelta(seconds=1))
    workspace = store_of(shop.world, shop.id).workspace.id
    return Job(JobKind.TERMS, workspace, store, store, until, **more)


def queued(shop: Shop) -> list[dict[str, Any]]:
    """The worker's messages in the outbox."""
    rows = [row for row in shop.world.rows() if isinstance(row, OutboxItem)]
    jobs = (row for row in rows if row.queue == "product_jobs")
    return [json.loads(message.body) for row in jobs for message in row.messages]


class TestPrimaryLocale:
    """PUT /stores/{id}/locales."""

    def test_lists_and_search_follow_new_primary_locale(self, shop: Shop) -> None:
        assert shop.titles(sort="title") == ["Tee 0", "Tee 1", "Tee 2"]
        shop.set_primary("en")
        shop.world.deliver()
        assert shop.titles(sort="title") == ["Tea 0", "Tea 1", "Tea 2"]
        assert {row["locale"] for row in shop.listed()} == {"en"}
        assert shop.titles(status="removed") == ["Tea 3"]
        [group] = shop.call("GET", "/search", q="Tea 1")["groups"]
        assert [each["title"] for each in group["items"]] == ["Tea 1"]
        check(shop.world, store_of(shop.world, shop.id))

    def test_locale_restored_before_worker_changes_nothing(self, shop: Shop) -> None:
        before = shop.listed()
        for locale in ("en", "de-AT"):
            shop.set_primary(locale)
        shop.world.deliver()
        assert shop.listed() == before
        check(shop.world, store_of(shop.world, shop.id))

    def test_unchanged_locale_queues_no_message(self, shop: Shop) -> None:
        before = shop.listed()
        shop.set_primary("de-AT")
        assert queued(shop) == []
        assert shop.listed() == before

    def test_changed_locale_queues_one_message(self, shop: Shop) -> None:
        before = clock.now()
        shop.set_primary("en")
        [message] = queued(shop)
        until = clock.from_text(message.pop("until"))
        until -= store_terms_worker.UNDER_WAY
        assert before - timedelta(milliseconds=1) <= until <= clock.now()
        workspace = store_of(shop.world, shop.id).workspace.id
        assert message == {
            "job": "terms",
            "workspaceId": str(workspace),
            "storeId": shop.id,
            "id": shop.id,
        }


class TestCurrency:
    """POST /stores, by which a store is connected again."""

    def test_prices_in_former_currency_are_hidden(self, shop: Shop) -> None:
        assert {row["price"]["max"]["currency"] for row in shop.listed()} == {"EUR"}
        assert shop.call("GET", "/products", missing="price")["total"] == 0
        shop.reconnect("KWD")
        shop.world.deliver()
        assert [row["price"] for row in shop.listed()] == [None] * 3
        assert shop.call("GET", "/products", missing="price")["total"] == 3
        check(shop.world, store_of(shop.world, shop.id))


class TestWorker:
    """Messages that come twice or late, runs that are cut short, and kills."""

    @pytest.fixture(autouse=True)
    def _small_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_terms_worker, "RESOLVED_AT_ONCE", 2)

    def test_run_out_of_time_is_continued_by_next_message(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Run, "is_over", lambda _run: True)
        shop.set_primary("en")
        shop.world.deliver()
        assert shop.titles(sort="title") == ["Tea 0", "Tea 1", "Tea 2"]
        assert shop.titles(status="removed") == ["Tea 3"]
        check(shop.world, store_of(shop.world, shop.id))

    def test_duplicate_and_late_messages(self, shop: Shop) -> None:
        shop.set_primary("en")
        shop.world.deliver()
        before = shop.listed()
        shop.world.advance(minutes=1)
        for more in ({}, {"after": "~"}, {"is_at_removed": True}):
            run_worker(worker.run_job, terms(shop, **more))
        assert shop.listed() == before

    def test_deleted_store_is_ignored(self, shop: Shop) -> None:
        gone = UUID(int=7)
        run_worker(worker.run_job, Job(JobKind.TERMS, gone, gone, gone, None))

    def test_killed_at_any_call(self, shop: Shop) -> None:
        shop.set_primary("en")
        job = terms(shop)
        found = crashes(shop.world, lambda: run_worker(worker.run_job, job), deliver=False)
        assert len(found.positions) > 8
        for positions in found:
            run_worker(worker.run_job, job)
            shop.world.deliver()
            assert shop.titles(sort="title") == ["Tea 0", "Tea 1", "Tea 2"], positions
            check(shop.world, store_of(shop.world, shop.id))
