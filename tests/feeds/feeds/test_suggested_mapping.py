"""Makers' files from preview to check and import, with the suggested mapping unchanged."""

from typing import Any

import pytest

from tests.feeds.feeds.careful import Product, Variant
from tests.feeds.feeds.feed_store import Shop
from tests.feeds.feeds.test_makers import SAMPLES, content_of

NAMES = ("woocommerce_parents.csv", "skroutz_products.xml", "shopify_products.json")
"""Of each format one."""


def shown_variant(variant: Variant, product: Product, currency: str) -> dict[str, Any]:
    """What a read of the variant shows of the file's values."""
    fields = variant.fields(product, currency)
    names = ("title", "sku", "barcode", "price", "compareAtPrice", "image")
    shown = {name: fields.get(name) for name in names}
    return {**shown, "options": fields.get("options", []), "inventory": variant.stock}


@pytest.mark.parametrize("name", NAMES)
def test_sample_is_imported_with_expected_products(shop: Shop, name: str) -> None:
    sample = SAMPLES[name]
    store_id = shop.world.store(shop.owner, currency=sample.currency)
    url = shop.server.put("/feed", content_of(name))
    previewed = shop.do("POST", "/feeds/preview", {"storeId": store_id, "url": url}).json
    mapping = {column["name"]: column["suggested"] for column in previewed["columns"]}
    draft = shop.draft(url, storeId=store_id, mapping=mapping)
    checked = shop.do("POST", "/feeds/check", {k: v for k, v in draft.items() if k != "name"}).json
    assert (checked["skipped"], checked["skippedRows"]) == (0, [])
    assert checked["importable"] == previewed["sampled"]
    assert shop.do("POST", "/feeds", draft).status == 201
    shop.world.deliver()
    listed = shop.get("/products", storeId=store_id, pageSize=100)["items"]
    assert {row["externalId"] for row in listed} == set(sample.products)
    for row in listed:
        product, read = sample.products[row["externalId"]], shop.get(f"/products/{row['id']}")
        fields = product.fields(sample.currency)
        for field, column in (("title", "title"), ("vendor", "vendor"), ("image", "image")):
            assert read[field] == fields.get(column)
        found = {
            each: {k: variant[k] for k in shown_variant(Variant(), product, sample.currency)}
            for each, variant in shop.variants(read).items()
        }
        assert found == {
            each: shown_variant(variant, product, sample.currency)
            for each, variant in product.variants.items()
        }


def test_price_in_other_currency_is_listed(shop: Shop) -> None:
    """The row is imported and doesn't count as skipped, but is listed with the reason."""
    content = "id,title,price\na,Cup,5\nb,Pot,7 USD\n,None,8\n"
    reason = "The price is in USD, not in the store's currency; it was left out."
    url = shop.server.put("/feed", content)
    draft = {**shop.draft(url), "mapping": {"id": "id", "title": "title", "price": "price"}}
    body = {name: value for name, value in draft.items() if name != "name"}
    checked = shop.do("POST", "/feeds/check", body).json
    assert (checked["importable"], checked["skipped"]) == (2, 1)
    skipped: list[dict[str, Any]] = [
        {"row": 2, "id": "b", "reason": reason},
        {"row": 3, "id": None, "reason": "The row has no id."},
    ]
    assert checked["skippedRows"] == skipped
    feed = shop.feed(content)
    assert feed["latestImport"]["counts"]["skipped"] == 1
    assert shop.skipped(feed) == [(row["row"], row["id"], row["reason"]) for row in skipped]
    assert shop.products()["b"]["price"] is None


def test_malformed_xml_is_refused_with_line_and_column(shop: Shop) -> None:
    url = shop.server.put("/feed", b"<r>\n<item><id>1</id></item>\n<item><id>2</item></r>")
    answer = shop.do("POST", "/feeds/preview", {"storeId": shop.store_id, "url": url})
    assert answer.problem() == (422, "unreadable")
    assert answer.json["detail"] == (
        "The XML isn't well-formed at line 3, column 14: mismatched tag."
    )


def test_undetectable_encoding_is_refused(shop: Shop) -> None:
    content = b"id,title\n" + bytes(range(128, 256)) * 3 + b",x\n"
    body = {"storeId": shop.store_id, "url": shop.server.put("/feed", content)}
    answer = shop.do("POST", "/feeds/preview", body)
    assert answer.problem() == (422, "unreadable")
    assert "encoding" in answer.json["detail"]
