"""A feed's next imports, and feeds that add no products."""

from uuid import UUID

import pytest

from storepost.catalog.products.keys import product_partition
from tests.feeds.feeds.feed_store import Shop, counts, csv, stored

CATALOGUE = [{"id": name, "title": f"Title {name}", "price": "5"} for name in "abcdef"]


class TestNextImport:
    """What the next file changes."""

    def test_unchanged_file_writes_no_product(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        before = stored(shop)
        again = shop.again(feed)
        assert again["status"] == "completed"
        assert again["counts"] == counts(rows=6, imported=6, products=6)
        assert stored(shop) == before

    def test_only_changed_products_are_written(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        before = stored(shop)
        changed = [{**row, "title": "Other"} if row["id"] == "c" else row for row in CATALOGUE]
        added = [*changed, {"id": "g", "title": "G", "price": "7"}]
        again = shop.again(feed, csv(*added))
        assert again["counts"] == counts(rows=7, imported=7, created=1, products=7)
        after = stored(shop)
        assert {key for key in before if before[key] != after[key]} == {
            key for key in before if titles(shop)[key[0]] == "Other"
        }
        assert len({key[0] for key in after} - {key[0] for key in before}) == 1

    def test_missing_rows_are_removed(self, shop: Shop) -> None:
        shop.put_product("a", variants=[])
        feed = shop.feed(csv(*CATALOGUE))
        again = shop.again(feed, csv(*CATALOGUE[1:]))
        assert again["counts"] == counts(rows=5, imported=5, products=5, removed=1)
        products = shop.products()
        assert products["a"]["title"] == "Store's a"
        gone = shop.again(feed, csv(*CATALOGUE[2:]))
        assert gone["counts"] == counts(rows=4, imported=4, products=4, removed=1)
        assert set(shop.products()) == {"a", "c", "d", "e", "f"}
        assert set(shop.products(status="removed")) == {"b"}

    def test_returning_product_has_same_id(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        identifier = shop.products()["b"]["id"]
        shop.again(feed, csv(*CATALOGUE[2:]))
        assert "b" not in shop.products()
        back = shop.again(feed, csv(*CATALOGUE))
        assert back["counts"] == counts(rows=6, imported=6, products=6)
        assert shop.products()["b"]["id"] == identifier

    @pytest.mark.parametrize("title", ["The shirt", "Another title"])
    @pytest.mark.parametrize("gone", [["s"], ["s", "m"]])
    def test_group_reduced_to_product_row_has_one_variant(
        self, shop: Shop, gone: list[str], title: str
    ) -> None:
        """It becomes the product's only variant, as if the other rows had never existed."""
        own = {"id": "shirt", "title": "The shirt", "price": "10", "sku": "SHIRT"}
        others = [
            {"id": name, "item_group_id": "shirt", "title": name, "price": "9"} for name in gone
        ]
        feed = shop.feed(csv(own, *others))
        [product] = shop.products().values()
        assert set(shop.variants(product)) == set(gone)
        left = shop.again(feed, csv({**own, "title": title}))
        assert left["counts"] == counts(rows=1, imported=1, products=1, removed=len(gone))
        [product] = shop.products().values()
        variants = shop.variants(product)
        assert (product["title"], list(variants)) == (title, ["shirt"])
        assert variants["shirt"]["price"] == {"amount": 1000, "currency": "EUR"}

    @pytest.mark.parametrize("title", ["The shirt", "Another title"])
    def test_row_becomes_product_once_variants_join(self, shop: Shop, title: str) -> None:
        """It becomes the product alone, as if the other rows had been there from the beginning."""
        own = {"id": "shirt", "title": "The shirt", "price": "10", "sku": "SHIRT"}
        feed = shop.feed(csv(own))
        [product] = shop.products().values()
        assert set(shop.variants(product)) == {"shirt"}
        joined = {"id": "s", "item_group_id": "shirt", "title": "S", "price": "9"}
        more = shop.again(feed, csv({**own, "title": title}, joined))
        assert more["counts"] == counts(rows=2, imported=2, variantOnly=1, products=1)
        [product] = shop.products().values()
        variants = shop.variants(product)
        assert (product["title"], list(variants)) == (title, ["s"])
        assert variants["s"]["price"] == {"amount": 900, "currency": "EUR"}

    def placed(self, shop: Shop) -> dict[str, set[str]]:
        """The variants that each product has."""
        return {name: set(shop.variants(each)) for name, each in shop.products().items()}

    def test_row_moves_with_its_group(self, shop: Shop) -> None:
        """Each import places it as a first import would: out of its group, into another, back."""
        own = {"id": "shirt", "item_group_id": "", "title": "The shirt", "price": "10"}
        row = {"id": "s", "title": "S", "price": "9"}
        feed = shop.feed(csv(own, {**row, "item_group_id": "shirt"}))
        assert self.placed(shop) == {"shirt": {"s"}}
        alone = shop.again(feed, csv(own, row))
        assert alone["counts"] == counts(rows=2, imported=2, created=1, products=2)
        assert self.placed(shop) == {"shirt": {"shirt"}, "s": {"s"}}
        other = shop.again(feed, csv(own, {**row, "item_group_id": "other"}))
        assert other["counts"] == counts(rows=2, imported=2, created=1, products=2, fromFirstRow=1)
        assert self.placed(shop) == {"shirt": {"shirt"}, "other": {"s"}}
        back = shop.again(feed, csv(own, {**row, "item_group_id": "shirt"}))
        assert back["counts"] == counts(rows=2, imported=2, products=1, variantOnly=1)
        assert self.placed(shop) == {"shirt": {"s"}}

    @pytest.mark.parametrize("leaves", ["the group", "the file"])
    def test_group_follows_matched_row_until_it_leaves(self, shop: Shop, leaves: str) -> None:
        """It joined the store's product by another row, which changes, and then leaves."""
        shop.put_product("p1")
        own = {"id": "shirt", "item_group_id": "", "title": "The shirt", "price": "10"}
        match = {"id": "p1-v", "item_group_id": "shirt", "title": "V", "price": "9"}
        third = {"id": "m", "item_group_id": "shirt", "title": "M", "price": "9"}
        feed = shop.feed(csv(own, match, third))
        together = {"p1": {"p1-v", "shirt", "m"}}
        assert self.placed(shop) == together
        shop.again(feed, csv(own, {**match, "title": "Other"}, third))
        assert self.placed(shop) == together
        left = [{**match, "item_group_id": ""}] if leaves == "the group" else []
        shop.again(feed, csv(own, *left, third))
        assert self.placed(shop) == {"p1": {"p1-v"}, "shirt": {"m"}}

    def test_added_product_joins_store_product_with_same_sku(self, shop: Shop) -> None:
        """It joins once the store has the SKU and the row is read again."""
        row = {"id": "a", "title": "A", "price": "9", "sku": "SKU-A"}
        feed = shop.feed(csv(row))
        assert self.placed(shop) == {"a": {"a"}}
        money = {"amount": 1000, "currency": "EUR"}
        variant = {"externalId": "v", "title": "V", "price": money, "sku": "SKU-A"}
        shop.put_product("p1", variants=[variant])
        again = shop.again(feed, csv({**row, "title": "Other"}))
        assert again["counts"] == counts(rows=1, imported=1, products=1, fromFirstRow=1)
        assert self.placed(shop) == {"p1": {"v"}}

    @pytest.mark.parametrize(
        ("read_as", "file"),
        [
            ("csv", "id,title,price\n"),
            (
                "xml",
                "<rss><channel><title>T</title><link>https://shop.example/</link></channel></rss>",
            ),
            (
                "xml",
                "<shop><name>S</name><categories><category id='1' parentId='2'>A</category>"
                "<category id='2'>B</category></categories><offers/></shop>",
            ),
            ("json", '{"error": "maintenance"}'),
            ("csv", "Too many connections\nTry again later\n"),
            ("csv", "number,title\n1,A\n2,B\n"),
            ("csv", "id,title,price\na;A;5\nb;B;5\n"),
        ],
    )
    def test_file_without_data_rows_removes_nothing(
        self, shop: Shop, read_as: str, file: str
    ) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        before = stored(shop)
        again = shop.again(feed, file)
        assert (again["status"], again["error"], again["format"]) == ("failed", "no_rows", read_as)
        assert stored(shop) == before

    def test_rows_with_unusable_ids_count_as_rows(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        again = shop.again(feed, csv({**CATALOGUE[0], "price": "ask us"}))
        assert again["counts"] == counts(rows=1, skipped=1, removed=6)

    def test_manual_import_may_remove_most_products(self, shop: Shop) -> None:
        feed = shop.feed(csv(*CATALOGUE))
        again = shop.again(feed, csv(CATALOGUE[0]))
        assert again["counts"] == counts(rows=1, imported=1, products=1, removed=5)
        assert set(shop.products()) == {"a"}

    def test_unmatched_row_matches_later_product(self, shop: Shop) -> None:
        feed = shop.feed(csv({"id": "p1", "brand": "B"}), mode="enrich_only")
        assert feed["latestImport"]["counts"] == counts(rows=1, unmatched=1)
        shop.put_product("p1")
        again = shop.again(feed)
        assert again["counts"] == counts(rows=1, imported=1, products=1)
        assert shop.products()["p1"]["vendor"] == "B"


class TestEnrichOnly:
    """Feeds that have no products of their own."""

    def test_product_added_before_becomes_unmatched(self, shop: Shop) -> None:
        shop.put_product("a")
        feed = shop.feed(csv(*CATALOGUE[:2]))
        settings = {"mode": "enrich_only", "mapping": feed["mapping"], "url": feed["url"]}
        check = shop.do("POST", "/feeds/check", {"storeId": shop.store_id, **settings}).json
        assert (check["importable"], check["unmatched"]) == (1, 1)
        shop.do("PATCH", f"/feeds/{feed['id']}", {"mode": "enrich_only"})
        shop.world.deliver()
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert latest["counts"] == counts(rows=2, imported=1, products=1, unmatched=1, removed=1)
        assert set(shop.products()) == {"a"}
        assert set(shop.products(status="removed")) == {"b"}
        shop.do("PATCH", f"/feeds/{feed['id']}", {"mode": "add_and_enrich"})
        shop.world.deliver()
        assert set(shop.products()) == {"a", "b"}

    def test_product_removed_by_store_is_not_retained(self, shop: Shop) -> None:
        """Its values alone don't keep the product; nor do those of two such feeds together."""
        for name in ("a", "b"):
            shop.put_product(name)
        one = shop.feed(csv(*CATALOGUE[:2]), "/one", mode="enrich_only")
        two = shop.feed(csv(*CATALOGUE[:2]), "/two", mode="enrich_only")
        shop.do(
            "DELETE",
            f"/stores/{shop.store_id}/products/b",
            {"updatedAt": "2026-11-02T00:00:00Z"},
        )
        for feed in (one, two):
            again = shop.again(feed)
            assert again["counts"] == counts(rows=2, imported=1, products=1, unmatched=1, removed=1)
        assert set(shop.products()) == {"a"}
        assert set(shop.products(status="removed")) == {"b"}

    def test_unchanged_file_writes_nothing(self, shop: Shop) -> None:
        shop.put_product("a")
        feed = shop.feed(csv(*CATALOGUE), mode="enrich_only")
        before = stored(shop)
        again = shop.again(feed)
        assert again["counts"] == counts(rows=6, imported=1, products=1, unmatched=5)
        assert stored(shop) == before


def titles(shop: Shop) -> dict[str, str]:
    """Each product's title, by its partition."""
    return {
        product_partition(shop.workspace, UUID(product["id"])): product["title"]
        for product in shop.products().values()
    }
