"""Many products that changed since the last import: their order, and concurrent writers."""

import threading
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from storepost.catalog.products.writing import replace_layer
from storepost.feeds.imports import import_run, writing
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.loads.in_flight import InTurn
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.feeds.feeds.interruptions import imported_again, resume
from tests.feeds.feeds.loads import ROWS, says, small_loads, waiting
from tests.harness.call_interruption import before_write, counted
from tests.harness.crash_points import Shard, crashes, in_shards

CHANGED = [{**row, "price": "99"} for row in ROWS[:11]]
NEW = [{"id": f"new{n}", "title": f"{title} new", "price": "5"} for n, title in enumerate("zcb")]
SECOND = csv(*CHANGED, *NEW, *ROWS[11:13])
"""Of the first import's products eleven have another price, and one is gone."""
BY_TITLE = [row["id"] for row in sorted(CHANGED, key=lambda row: row["title"])]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    small_loads(monkeypatch)
    monkeypatch.setattr(writing, "READ_AHEAD", 4)
    monkeypatch.setattr(writing, "_MIN_READ_AHEAD", 2)
    monkeypatch.setattr(import_run, "READ_AHEAD", 4)
    monkeypatch.setattr(writing, "_ROOM", 25)


def ready(shop: Shop, text: str = SECOND) -> tuple[Json, Callable[[], None]]:
    """A feed whose second import waits for the worker, and a function that restores that state."""
    feed = waiting(shop).begin()
    resume(shop, feed)
    shop.world.deliver()
    return feed, imported_again(shop, feed, text)


def latest(shop: Shop, feed: Json) -> Json:
    """The second import's status and counts."""
    found = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    return {"status": found["status"], **found["counts"]}


COMPLETED = {
    "status": "completed",
    **counts(rows=16, imported=16, created=3, products=16, removed=1),
}


class TestOrder:
    """The changed products are written in the order of their list: by title, as neighbours."""

    def written(self, shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str) -> list[str]:
        """The products that the second import writes, in order."""
        plain, written = replace_layer, dict[str, None]()

        def noted(changes: Changes, source: Any, product: Any) -> Any:
            written[product.external_id] = None
            return plain(changes, source, product)

        feed, _ = ready(shop, text)
        with monkeypatch.context() as noting:
            noting.setattr(writing, "replace_layer", noted)
            resume(shop, feed)
        return list(written)

    def test_many_changed_products_are_written_by_title_after_new(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written = self.written(shop, monkeypatch, SECOND)
        assert written == [*(row["id"] for row in NEW), *BY_TITLE]

    def test_few_changed_products_are_written_in_file_order(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = csv(*CHANGED[5:9], NEW[0], *CHANGED[:2], *ROWS[2:5], *ROWS[9:])
        written = self.written(shop, monkeypatch, text)
        assert written == ["p5", "p6", "p7", "p8", "new0", "p0", "p1"]


@in_shards(2)
def test_killed_at_any_call(shop: Shop, shard: Shard) -> None:
    feed, begin = ready(shop)
    resume(shop, feed)
    undisturbed = says(shop)
    assert latest(shop, feed) == COMPLETED
    begin()
    found = crashes(shop.world, partial(resume, shop, feed), deliver=False)
    for positions in found.shard(shard):
        resume(shop, feed, tries=2)
        assert says(shop) == undisturbed, positions
        assert latest(shop, feed) == COMPLETED, positions


class Others:
    """The store writes products of the feed, and changes one that the import doesn't."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def write(self) -> None:
        """Writes them."""
        self._shop.put_product("p5")
        self._shop.put_product("p9")
        locales = [{"locale": "de-AT", "title": "b"}]
        self._shop.put_product("own", updatedAt="2026-11-02T00:00:00Z", locales=locales)

    def check(self, feed: Json, where: object) -> None:
        """Both sources' values are stored, and nothing that the import wrote is lost."""
        found = says(self._shop)
        live = {name for name, (is_live, *_) in found.items() if is_live}
        names = {row["id"] for row in [*CHANGED, *NEW, *ROWS[11:13]]}
        assert live == {"own", *names}, where
        for name in BY_TITLE:
            title = next(iter(found[name][1].values())).title
            assert title.startswith("Store's") == (name in {"p5", "p9"}), (where, name)
            assert any("9900" in message for message in found[name][3]), (where, name)
        assert latest(self._shop, feed) == COMPLETED, where


def test_concurrent_writer_before_each_write(shop: Shop) -> None:
    feed, begin = ready(shop)
    others = Others(shop)
    writes = [name for name in counted(lambda: resume(shop, feed)) if "Write" in name]
    for number in range(1, len(writes) + 1):
        begin()
        with before_write(number, others.write):
            resume(shop, feed)
        others.check(feed, number)


@pytest.mark.parametrize("number", range(1, 5))
def test_concurrent_writer_with_two_transactions_in_flight(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The rows that both transactions are decided on change before the first one is sent."""
    feed, _ = ready(shop)
    others, units, behind = Others(shop), count(1), threading.Event()
    plain_write, plain_start, started = Changes.write_unit, InTurn.start, count(1)

    def write_unit(changes: Changes) -> None:
        if next(units) == number:
            assert behind.wait(10)
            others.write()
        plain_write(changes)

    def start(turn: InTurn, prepare: Callable[[], object], work: Callable[[], object]) -> None:
        plain_start(turn, prepare, work)
        if next(started) > number:
            behind.set()

    monkeypatch.setattr(Changes, "write_unit", write_unit)
    monkeypatch.setattr(InTurn, "start", start)
    resume(shop, feed)
    others.check(feed, number)
