"""Imports: what becomes of a file's rows."""

from datetime import timedelta

import pytest

from storepost.feeds.records.reading import UNUSABLE_ID
from storepost.values import clock
from tests.feeds.feeds.feed_store import MAPPING, Shop, counts, csv, stored


class TestFirstImport:
    """What a feed's first import writes."""

    def test_rows_create_products(self, shop: Shop) -> None:
        feed = shop.feed(
            csv(
                {"id": "a", "title": "Cup", "price": "15.00 EUR", "link": "https://shop.example/a"},
                {
                    "id": "b",
                    "title": "Pot",
                    "price": "1.299,00 EUR",
                    "availability": "out of stock",
                },
            )
        )
        latest = feed["latestImport"]
        assert latest["status"] == "completed", latest
        assert latest["counts"] == counts(rows=2, imported=2, created=2, products=2)
        assert (latest["format"], latest["trigger"], latest["error"]) == ("csv", "created", None)
        products = shop.products()
        assert {name: product["title"] for name, product in products.items()} == {
            "a": "Cup",
            "b": "Pot",
        }
        assert products["a"]["price"]["min"] == {"amount": 1500, "currency": "EUR"}
        assert products["b"]["price"]["min"] == {"amount": 129900, "currency": "EUR"}
        assert [products[name]["stock"] for name in "ab"] == ["not_tracked", "out_of_stock"]

    def test_item_group_is_one_product(self, shop: Shop) -> None:
        feed = shop.feed(
            csv(
                {
                    "id": "s",
                    "item_group_id": "shirt",
                    "title": "Shirt S",
                    "size": "S",
                    "price": "9",
                },
                {"id": "shirt", "item_group_id": "shirt", "title": "The shirt"},
                {
                    "id": "m",
                    "item_group_id": "shirt",
                    "title": "Shirt M",
                    "size": "M",
                    "price": "11",
                },
                {"id": "x", "item_group_id": "sock", "title": "Sock X", "color": "red"},
                {"id": "y", "item_group_id": "sock", "title": "Sock Y"},
            )
        )
        assert feed["latestImport"]["counts"] == counts(
            rows=5, imported=5, variantOnly=3, fromFirstRow=1, created=2, products=2
        )
        products = shop.products()
        assert {name: product["title"] for name, product in products.items()} == {
            "shirt": "The shirt",
            "sock": "Sock X",
        }
        shirts, socks = shop.variants(products["shirt"]), shop.variants(products["sock"])
        assert {name: row["title"] for name, row in shirts.items()} == {
            "s": "Shirt S",
            "m": "Shirt M",
        }
        assert shirts["m"]["options"] == [{"name": "Size", "value": "M"}]
        assert {name: row["title"] for name, row in socks.items()} == {"x": "Sock X", "y": "Sock Y"}
        assert products["shirt"]["price"] == {
            "min": {"amount": 900, "currency": "EUR"},
            "max": {"amount": 1100, "currency": "EUR"},
        }

    def test_row_whose_id_is_the_group_is_the_product(self, shop: Shop) -> None:
        rows = [
            {"id": "s", "item_group_id": "shirt", "title": "Shirt S", "price": "9"},
            {"id": "shirt", "title": "The shirt", "price": "10"},
            {"id": "m", "item_group_id": "shirt", "title": "Shirt M", "price": "11"},
        ]
        feed = shop.feed(csv(*rows))
        assert feed["latestImport"]["counts"] == counts(
            rows=3, imported=3, variantOnly=2, created=1, products=1
        )
        [product] = shop.products().values()
        assert (product["externalId"], product["title"]) == ("shirt", "The shirt")
        assert set(shop.variants(product)) == {"s", "m"}
        fewer = shop.again(feed, csv(*rows[:2]))
        assert fewer["counts"] == counts(rows=2, imported=2, variantOnly=1, products=1, removed=1)
        assert set(shop.variants(product)) == {"s"}

    def test_removed_record_was_seen_by_the_last_import_that_had_it(self, shop: Shop) -> None:
        rows = [{"id": name, "item_group_id": "p", "title": name} for name in "ab"]
        feed = shop.feed(csv(*rows))
        shop.world.advance(hours=1)
        unchanged = shop.again(feed)
        shop.world.advance(hours=1)
        fewer = shop.again(feed, csv(*rows[:1]))
        [product] = shop.products().values()
        records = shop.get(f"/products/{product['id']}/sources")["items"]
        seen = {(each["removedAt"] is None, each["seenAt"]) for each in records}
        assert seen == {(True, fewer["completedAt"]), (False, unchanged["completedAt"])}

    def test_product_row_may_match_variant_of_store(self, shop: Shop) -> None:
        """It gives the product's fields and that variant's; the same row again writes nothing."""
        money = {"amount": 1000, "currency": "EUR"}
        mine = [{"externalId": name, "title": name, "price": money} for name in ("100", "101")]
        shop.put_product("100", variants=mine)
        rows = [
            {"id": "100", "sku": "SKU-100", "gtin": "4012", "quantity": "3", "brand": "B"},
            {"id": "101", "item_group_id": "100", "sku": "SKU-101", "quantity": "4"},
        ]
        feed = shop.feed(csv(*rows))
        assert feed["latestImport"]["counts"] == counts(
            rows=2, imported=2, variantOnly=1, products=1
        )
        [product] = shop.products().values()
        assert product["vendor"] == "B"
        variants = {
            name: (row["sku"], row["barcode"], row["inventory"])
            for name, row in shop.variants(product).items()
        }
        assert variants == {"100": ("SKU-100", "4012", 3), "101": ("SKU-101", None, 4)}
        before = stored(shop)
        again = shop.again(feed)
        assert again["counts"] == counts(rows=2, imported=2, variantOnly=1, products=1)
        assert stored(shop) == before

    def test_file_of_a_shop_with_its_usual_faults(self, shop: Shop) -> None:
        """Its server states another encoding, and programs added to its values."""
        rows = [
            {"id": "'0012", "title": "Gläser &amp; Krüge", "price": "+12,50", "quantity": "1.000"},
            {"id": '=""0013""', "title": "Süße Töpfe", "price": "7€50", "gtin": "4.0E+12"},
            {"id": "14", "title": "Schüssel", "price": "5", "availability": "schema:MadeToOrder"},
        ]
        body = csv(*rows).encode("cp1252")
        url = shop.server.put("/feed", body, content_type="text/csv; charset=utf-8")
        feed = shop.create(url)
        draft = shop.draft(url)
        del draft["name"]
        check = shop.do("POST", "/feeds/check", draft)
        assert check.json == {
            **{"checked": 3, "importable": 3, "variantOnly": 0, "fromFirstRow": 0},
            **{"unmatched": 0, "skipped": 0, "skippedRows": []},
        }
        shop.world.deliver()
        feed = shop.get(f"/feeds/{feed['id']}")
        assert feed["latestImport"]["counts"] == counts(rows=3, imported=3, created=3, products=3)
        products = shop.products()
        shown = {
            name: (row["title"], row["price"]["min"]["amount"], row["stock"], row["inventory"])
            for name, row in products.items()
        }
        assert shown == {
            "0012": ("Gläser & Krüge", 1250, "in_stock", 1000),
            "0013": ("Süße Töpfe", 750, "not_tracked", None),
            "14": ("Schüssel", 500, "in_stock", None),
        }
        [variant] = shop.variants(products["0013"]).values()
        assert (variant["externalId"], variant["barcode"]) == ("0013", None)
        [variant] = shop.variants(products["14"]).values()
        assert variant["continueSellingWhenOutOfStock"] is True
        before = stored(shop)
        shop.again(feed)
        assert stored(shop) == before

    @pytest.mark.parametrize(
        ("quantities", "read"),
        [
            (["1,000", "7", "12,500"], [1000, 7, 12_500]),
            (["1.000", "1.250.000", "7"], [1000, 1_250_000, 7]),
            (["1.000", "0.000", "7.000"], [1, 0, 7]),
            (["1,000", "7,0", "1,5"], [1, 7, None]),
            (["1,000", "2,000", "1,000"], [1000, 2000, 1000]),
            (["5,000", "12,000", "3,000", "7,000", "110,000"], [5, 12, 3, 7, 110]),
            (["5,000", "12,000", "3,500", "7,000", "110,000"], [5000, 12000, 3500, 7000, 110_000]),
        ],
        ids=[
            *("commas", "points", "three decimals", "one decimal"),
            *("few", "zeros as decimals", "hundreds"),
        ],
    )
    def test_column_shows_what_separates_quantities(
        self, shop: Shop, quantities: list[str], read: list[int | None]
    ) -> None:
        """A shop with a thousand pieces must not seem to have its last one."""
        rows = [
            {"id": name, "title": "Cup", "quantity": quantity}
            for name, quantity in zip("abcde", quantities, strict=False)
        ]
        feed = shop.feed(csv(*rows))
        number = len(rows)
        assert feed["latestImport"]["counts"] == counts(
            rows=number, imported=number, created=number, products=number
        )
        products = shop.products()
        assert [products[row["id"]]["inventory"] for row in rows] == read

    def test_point_in_json_number_is_decimal(self, shop: Shop) -> None:
        """JSON has no thousands' separators, whereas text may."""
        feed = shop.feed('[{"id": 1, "price": 24.375}, {"id": 2.5, "price": "24.375"}]')
        assert feed["latestImport"]["counts"] == counts(rows=2, imported=2, created=2, products=2)
        prices = {name: row["price"]["min"]["amount"] for name, row in shop.products().items()}
        assert prices == {"1": 2438, "2.5": 2437500}

    def test_sale_ending_at_a_timestamp(self, shop: Shop) -> None:
        """As WordPress stores it; the same file has the former price once the moment has passed."""
        ends = int((clock.now() + timedelta(hours=2)).timestamp())
        row = {
            "id": "a",
            "title": "A",
            "price": "9",
            "sale_price": "5",
            "sale_price_dates_to": ends,
        }
        feed = shop.feed(csv(row), mapping={**MAPPING, "sale_price_dates_to": "ignore"})
        assert shop.products()["a"]["price"]["min"]["amount"] == 500
        shop.world.advance(hours=3)
        shop.again(feed)
        assert shop.products()["a"]["price"]["min"]["amount"] == 900

    def test_price_with_sign_and_currency_code(self, shop: Shop) -> None:
        """Shopify writes prices with their currency so."""
        feed = shop.feed(csv({"id": "a", "title": "A", "price": "€1.299,00 EUR"}))
        assert feed["latestImport"]["counts"] == counts(rows=1, imported=1, created=1, products=1)
        money = {"amount": 129900, "currency": "EUR"}
        assert shop.products()["a"]["price"] == {"min": money, "max": money}

    @pytest.mark.parametrize("price", ["1 299:-", "1\u066c299\u066b00"])
    def test_price_in_national_notation(self, shop: Shop, price: str) -> None:
        shop.feed(csv({"id": "a", "title": "A", "price": price}))
        assert shop.products()["a"]["price"]["min"] == {"amount": 129900, "currency": "EUR"}

    def test_invisible_characters_change_no_price(self, shop: Shop) -> None:
        """Spreadsheets and shops that write from right to left put them beside numbers."""
        prices = {
            "a": "15.90\u200e",
            "b": "\u200f15.90",
            "c": "15.90\u200b",
            "d": "15.90 \u200fEUR",
        }
        rows = [{"id": name, "title": name, "price": price} for name, price in prices.items()]
        feed = shop.feed(csv(*rows))
        assert shop.skipped(feed) == []
        money = {"amount": 1590, "currency": "EUR"}
        assert [row["price"] for row in shop.products().values()] == [
            {"min": money, "max": money}
        ] * 4

    def test_rows_match_by_variant_product_sku_and_barcode(self, shop: Shop) -> None:
        """By a variant's id, a product's, a SKU, a barcode: in that order."""
        shop.put_product("p1")
        money = {"amount": 1000, "currency": "EUR"}
        shop.put_product(
            "p2", variants=[{"externalId": "v2", "title": "V", "price": money, "sku": "SKU-2"}]
        )
        shop.put_product(
            "p3", variants=[{"externalId": "v3", "title": "V", "price": money, "barcode": "4012"}]
        )
        shop.put_product("p4")
        feed = shop.feed(
            csv(
                {"id": "p1-v", "brand": "by variant"},
                {"id": "x2", "sku": "SKU-2", "brand": "by sku"},
                {"id": "x3", "gtin": "4012", "brand": "by barcode"},
                {"id": "p4", "brand": "by product"},
                {"id": "nobody", "brand": "nobody's"},
            ),
            mode="enrich_only",
        )
        assert feed["latestImport"]["counts"] == counts(
            rows=5, imported=4, fromFirstRow=3, products=4, unmatched=1
        )
        vendors = {name: product["vendor"] for name, product in shop.products().items()}
        assert vendors == {
            "p1": "by variant",
            "p2": "by sku",
            "p3": "by barcode",
            "p4": "by product",
        }
        assert [len(shop.variants(product)) for product in shop.products().values()] == [1] * 4

    def test_id_column_matches_unique_sku(self, shop: Shop) -> None:
        """It matches by an id column if the row has no SKU of its own and the SKU is unique."""
        money = {"amount": 1000, "currency": "EUR"}
        skus = {"p1": "one", "p2": "two", "p3": "same", "p4": "same", "p5": "p1"}
        for name, sku in skus.items():
            variant = {"externalId": f"{name}-v", "title": "V", "price": money, "sku": sku}
            shop.put_product(name, variants=[variant])
        rows = [{"SKU": sku, "Brand": f"{sku}'s"} for sku in ("one", "two", "same", "p1")]
        url = shop.server.put("/feed", csv(*rows))
        preview = shop.do("POST", "/feeds/preview", {"storeId": shop.store_id, "url": url}).json
        mapping = {column["name"]: column["suggested"] for column in preview["columns"]}
        assert (mapping, preview["matches"]) == ({"SKU": "id", "Brand": "brand"}, 3)
        feed = shop.feed(csv(*rows), mode="enrich_only", mapping=mapping)
        # Two rows are about p1: its own row, and one of its variant.
        assert feed["latestImport"]["counts"] == counts(
            rows=4, imported=3, variantOnly=1, fromFirstRow=1, products=2, unmatched=1
        )
        vendors = {name: product["vendor"] for name, product in shop.products().items()}
        assert vendors == {"p1": "p1's", "p2": "two's", "p3": None, "p4": None, "p5": None}

    def test_ambiguous_sku_matches_nothing(self, shop: Shop) -> None:
        money = {"amount": 1000, "currency": "EUR"}
        for name in ("p1", "p2"):
            variant = {"externalId": f"{name}-v", "title": "V", "price": money, "sku": "same"}
            shop.put_product(name, variants=[variant])
        feed = shop.feed(csv({"id": "x", "sku": "same", "brand": "B"}), mode="enrich_only")
        assert feed["latestImport"]["counts"] == counts(rows=1, unmatched=1)

    def test_new_variants_join_product_matched_by_group(self, shop: Shop) -> None:
        shop.put_product("p1")
        feed = shop.feed(
            csv(
                {"id": "p1-v", "item_group_id": "g", "title": "Old"},
                {"id": "new", "item_group_id": "g", "title": "New"},
            )
        )
        assert feed["latestImport"]["counts"] == counts(
            rows=2, imported=2, variantOnly=1, fromFirstRow=1, products=1
        )
        [product] = shop.products().values()
        assert set(shop.variants(product)) == {"p1-v", "new"}

    def test_unusable_rows_are_skipped_with_reasons(self, shop: Shop) -> None:
        feed = shop.feed(
            "id,title,price,locale\n"
            "a,One,1,\n"
            ",No id,1,\n"
            "a,Again,2,\n"
            "b,Too few\n"
            "c,Bad price,ask us,\n"
            "d,Bad locale,1,klingon\n"
            "a,Other locale,3,fr\n"
        )
        assert feed["latestImport"]["counts"] == counts(
            rows=7, imported=2, created=1, products=1, skipped=5
        )
        assert shop.skipped(feed) == [
            (2, None, "The row has no id."),
            (3, "a", "An earlier row has the same id and locale."),
            (4, None, "The row has more or fewer columns than the header."),
            (5, "c", "The price can't be read."),
            (6, "d", "The locale isn't known."),
        ]

    @pytest.mark.parametrize("placeholder", ["0", "000", "null", "undefined", "-1", "--"])
    def test_placeholder_id_is_skipped(self, shop: Shop, placeholder: str) -> None:
        feed = shop.feed(csv({"id": placeholder, "title": "x", "item_group_id": "g"}))
        assert shop.skipped(feed) == [(1, None, "The row has no id.")]

    def test_placeholder_group_is_ignored(self, shop: Shop) -> None:
        rows = [{"id": name, "title": name, "item_group_id": "0"} for name in "ab"]
        shop.feed(csv(*rows))
        assert set(shop.products()) == {"a", "b"}

    def test_placeholder_group_does_not_continue_previous_group(self, shop: Shop) -> None:
        shop.feed(
            csv(
                {"id": "a", "item_group_id": "g", "title": "Vest", "price": "1", "color": "red"},
                {"id": "b", "item_group_id": "0", "title": "", "price": "2", "color": "blue"},
            )
        )
        assert set(shop.products()) == {"g", "b"}

    def test_placeholder_id_falls_back_to_next_id_column(self, shop: Shop) -> None:
        """A variation's id, `0` where the product has none, and then the product's."""
        feed = shop.feed(
            csv(
                {"variation": "11", "product": "1", "title": "Vest"},
                {"variation": "0", "product": "2", "title": "Hat"},
            ),
            mapping={"variation": "id", "product": "id", "title": "title"},
        )
        assert shop.skipped(feed) == []
        assert set(shop.products()) == {"11", "2"}

    @pytest.mark.parametrize("value", ["Blue\nNavy", "Gr\ufffdn", "Blue\tNavy"])
    def test_option_values_may_have_any_characters(self, shop: Shop, value: str) -> None:
        """An id made of a handle and of such values is no product's."""
        columns = {"Title": "title", "Option1 Value": "color", "Variant SKU": "sku"}
        feed = shop.feed(
            csv(
                {"Handle": "vest", "Title": "Vest", "Option1 Value": value, "Variant SKU": "1"},
                {"Handle": "vest", "Title": "", "Option1 Value": "Red", "Variant SKU": "2"},
            ),
            mapping={"Handle": "id", **columns},
        )
        assert shop.skipped(feed) == []
        assert set(shop.products()) == {"vest"}

    @pytest.mark.parametrize("name", [".", "..", "a\x07b", "a\ufffdb"])
    def test_ids_unusable_in_requests_are_skipped(self, shop: Shop, name: str) -> None:
        feed = shop.feed(
            csv(
                {"id": name, "title": "x", "item_group_id": ""},
                {"id": "v", "title": "x", "item_group_id": name},
            )
        )
        assert [reason for *_, reason in shop.skipped(feed)] == [UNUSABLE_ID] * 2
        assert shop.products() == {}
