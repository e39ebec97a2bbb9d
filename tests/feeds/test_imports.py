"""Imports: what becomes of a file's rows."""

from tests.feeds.shop import Shop, counts, csv


class TestFirstImport:
    """What a feed brings at first."""

    def test_products_are_made_of_rows(self, shop: Shop) -> None:
        feed = shop.feed(
            csv(
                {"id": "a", "title": "Cup", "price": "15.00 EUR", "link": "https://shop.example/a"},
                {"id": "b", "title": "Pot", "price": "1.299,00 EUR", "availability": "out of stock"},
            )
        )
        latest = feed["latestImport"]
        assert latest["status"] == "completed", latest
        assert latest["counts"] == counts(rows=2, imported=2, created=2, products=2)
        assert (latest["format"], latest["trigger"], latest["error"]) == ("csv", "created", None)
        products = shop.products()
        assert {name: product["title"] for name, product in products.items()} == {"a": "Cup", "b": "Pot"}
        assert products["a"]["price"]["min"] == {"amount": 1500, "currency": "EUR"}
        assert products["b"]["price"]["min"] == {"amount": 129900, "currency": "EUR"}
        assert [products[name]["stock"] for name in "ab"] == ["not_tracked", "out_of_stock"]
