"""Many new products of one import: the rows equal those of products written one by one."""

from typing import Any

import pytest

from storepost.catalog.products.matching import MatchKey, match
from storepost.catalog.products.rows import LayerItem, ProductItem
from storepost.feeds.imports import plan_writing, writing
from storepost.platform.persistence.counted_tree.items import PageItem
from tests.catalog.products.state import store_of
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv
from tests.feeds.feeds.interruptions import resume
from tests.feeds.feeds.loads import FEED, ROWS, kinds, one_by_one, says, small_loads, waiting
from tests.harness.call_interruption import counted


@pytest.fixture(autouse=True)
def _small_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    small_loads(monkeypatch)


class TestLoads:
    """A first import."""

    def test_load_equals_products_written_one_by_one(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begin = waiting(shop).begin
        feed = begin()
        one_by_one(shop, monkeypatch, lambda: resume(shop, feed))
        expected, plain_pages = says(shop), kinds(shop, PageItem)
        plain = {row["id"] for row in shop.get("/products", q="brand", pageSize=100)["items"]}
        feed = begin()
        resume(shop, feed)
        assert says(shop) == expected
        assert (plain_pages, kinds(shop, PageItem) > 4) == (0, True)
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert latest["counts"] == counts(rows=14, imported=14, created=14, products=14)
        shop.world.deliver()
        found = {row["id"] for row in shop.get("/products", q="brand", pageSize=100)["items"]}
        assert (plain, len(found)) == (set(), 14)

    def test_small_layer_is_stored_in_product_row(self, shop: Shop) -> None:
        """Only 2 loaded products at either end, and the store's own, have rows for their layers."""
        feed = waiting(shop).begin()
        resume(shop, feed)
        assert kinds(shop, ProductItem) == 15
        assert kinds(shop, LayerItem) == 5

    def test_loaded_variants_are_matched_by_sku(self, shop: Shop) -> None:
        """One of the names belonged to another variant before."""
        shop.put_product("other", variants=[_variant("SKU 5")])
        shop.feed(csv(*({**row, "id": f"q{n}"} for n, row in enumerate(ROWS))))
        store = store_of(shop.world, shop.store_id)
        keys = [MatchKey(f"?{n}", sku=f"SKU {n}") for n in (4, 6)]
        assert [m and m.product for m in match(store, keys)] == ["q4", "q6"]

    def test_lists_are_sorted_in_both_directions(self, shop: Shop) -> None:
        feed = waiting(shop).begin()
        resume(shop, feed)
        for sort in ("title", "-title", "addedAt", "-addedAt", "changedAt", "-changedAt"):
            pages = [
                [
                    row["externalId"]
                    for row in shop.get(path, sort=sort, pageSize=10, page=n)["items"]
                ]
                for path in ("/products",)
                for n in (1, 2)
            ]
            listed = [name for page in pages for name in page]
            assert sorted(listed) == sorted(["own", *(row["id"] for row in ROWS)])
            if sort.endswith("title"):
                titles = {row["id"]: row["title"] for row in ROWS} | {"own": "Store's own"}
                shown = [titles[name].lower() for name in listed]
                assert shown == sorted(shown, reverse=sort.startswith("-"))

    def test_load_takes_few_transactions(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """A transaction has several products, with all of their lists."""
        monkeypatch.setattr(plan_writing, "LOAD_READ_AHEAD", 50)
        monkeypatch.setattr(writing, "_MAX_LOADED", 50)
        feed = waiting(shop).begin()
        made = counted(lambda: resume(shop, feed))
        assert made.count("TransactWriteItems") <= 10


def _variant(sku: str) -> Json:
    return {
        "externalId": "v",
        "title": "One",
        "price": {"amount": 1000, "currency": "EUR"},
        "sku": sku,
    }


class TestAfterLoad:
    """Loaded products can be changed as any others."""

    def again(self, shop: Shop, feed: Json, monkeypatch: pytest.MonkeyPatch, text: str) -> Any:
        shop.again(feed, text)
        return says(shop)

    def test_unchanged_file_writes_no_product(self, shop: Shop) -> None:
        feed = waiting(shop).begin()
        resume(shop, feed)
        before = {row.key: row.serialize() for row in shop.world.rows() if _is_product(row)}
        assert shop.again(feed)["status"] == "completed"
        after = {row.key: row.serialize() for row in shop.world.rows() if _is_product(row)}
        assert after == before

    def test_changed_titles_and_fewer_rows_equal_single_writes(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Products move in the lists, also out of pages; layers outgrow the row, others are new."""
        begin = waiting(shop).begin
        changed = [
            {**row, "title": f"Z{row['title']}"} if n % 3 else row for n, row in enumerate(ROWS)
        ]
        long = [{**row, "description": "".join(map(chr, range(300, 1500)))} for row in changed[:4]]
        text = csv(*long, *changed[6:12])

        def work() -> None:
            feed = begin()
            resume(shop, feed)
            shop.again(feed, text)
            shop.put_product("p7")
            shop.again(feed, csv(*changed[:8]))

        one_by_one(shop, monkeypatch, work)
        expected = says(shop)
        work()
        assert says(shop) == expected

    def test_deleted_feed_removes_loaded_products(self, shop: Shop) -> None:
        feed = waiting(shop).begin()
        resume(shop, feed)
        assert shop.do("DELETE", f"/feeds/{feed['id']}").status == 204
        shop.world.deliver()
        assert {name for name, (is_live, *_) in says(shop).items() if is_live} == {"own"}

    def test_recreated_feed_restores_products(self, shop: Shop) -> None:
        """They exist already, as removed: none of them is new."""
        feed = waiting(shop).begin()
        resume(shop, feed)
        expected = says(shop)
        shop.do("DELETE", f"/feeds/{feed['id']}")
        shop.world.deliver()
        shop.feed(FEED)
        assert {n: v[:2] for n, v in says(shop).items()} == {n: v[:2] for n, v in expected.items()}

    def test_other_feed_matches_loaded_products_by_sku(self, shop: Shop) -> None:
        """All names of the store are read at once, also from pages."""
        feed = waiting(shop).begin()
        resume(shop, feed)
        rows = [
            {"id": f"o{n}", "sku": f"SKU {n}", "title": "Other", "price": "1"} for n in range(30)
        ]
        other = shop.feed(csv(*rows), path="/other", mode="enrich_only")
        assert other["latestImport"]["counts"]["imported"] == 14
        assert other["latestImport"]["counts"]["unmatched"] == 16


def _is_product(row: object) -> bool:
    return isinstance(row, (ProductItem, LayerItem, PageItem))
