"""Rows, read as values of products."""

import json
from typing import Any

import pytest

from storepost.feeds.files.objects import Number
from storepost.feeds.records.amounts import (
    NO_PRICE,
    NO_SALE_PRICE,
    OTHER_SALE_CURRENCY,
    FeedDefaults,
)
from storepost.feeds.records.images import image_addresses
from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.reading import RowReader, RowSkipped
from storepost.feeds.records.suggesting import suggested_mapping

DEFAULTS = FeedDefaults("EUR", {"de-AT": "EUR", "en-GB": "GBP"})
EVERYTHING = {target.value: target.value for target in FeedField if target is not FeedField.IGNORE}


def values(
    defaults: FeedDefaults = DEFAULTS, mapping: dict[str, str] | None = None, **cells: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The product's fields and the variant's."""
    entry = RowReader(mapping or EVERYTHING, defaults).read({"id": "a", **cells})
    product, variant = json.loads(entry.content)
    return product, variant


def money(amount: int, currency: str = "EUR") -> dict[str, object]:
    return {"amount": amount, "currency": currency}


@pytest.mark.parametrize(
    ("cell", "images"),
    [
        ("https://a.example/i?w=5&amp;h=7", ["https://a.example/i?w=5&amp;h=7"]),
        (
            "https://a.example/i;w=5;http://b.example/j",
            ["https://a.example/i;w=5", "http://b.example/j"],
        ),
        ("https://a.example/i; Front", ["https://a.example/i"]),
        ("https://a.example/i;", ["https://a.example/i"]),
        ("https://a.example/i|Front", ["https://a.example/i"]),
    ],
)
def test_semicolon_within_address_of_image_is_part_of_it(cell: str, images: list[str]) -> None:
    assert image_addresses(cell) == images


def test_empty_column_of_a_custom_field_hides_no_field_of_that_name() -> None:
    mapping = {"id": "id", "number": "mpn", "maker": "custom.mpn"}
    assert values(mapping=mapping, number="M-1", maker=" ")[0] == {"custom.mpn": "M-1"}
    assert values(mapping=mapping, number="M-1", maker="X")[0] == {"custom.mpn": "X"}


def test_every_target_field() -> None:
    product, variant = values(
        item_group_id="g",
        title="Vest",
        description="Warm",
        link="https://shop.example/a b",
        image_link="http://cdn.example/a.jpg",
        additional_image_link="http://cdn.example/b.jpg",
        price="20",
        availability="in stock",
        quantity="7",
        brand="Birch",
        product_type="Wool > Vests",
        gtin="4012345678901",
        mpn="M-1",
        sku="S-1",
        color="grey",
        size="M",
        material="wool",
        pattern="plain",
    )
    image = {"url": "http://cdn.example/a.jpg", "alt": None}
    assert product == {
        "title": "Vest",
        "description": "Warm",
        "link": "https://shop.example/a%20b",
        "image": image,
        "vendor": "Birch",
        "productType": "Wool > Vests",
        "custom.mpn": "M-1",
        "custom.additional_image_link": "http://cdn.example/b.jpg",
    }
    assert variant == {
        "title": "Vest",
        "options": [
            {"name": "Color", "value": "grey"},
            {"name": "Size", "value": "M"},
            {"name": "Material", "value": "wool"},
            {"name": "Pattern", "value": "plain"},
        ],
        "sku": "S-1",
        "barcode": "4012345678901",
        "image": image,
        "price": money(2000),
        "inventoryQuantity": 7,
        "availableForSale": True,
    }


@pytest.mark.parametrize(
    ("price", "sale", "expected"),
    [
        ("20", "15", (money(1500), money(2000))),
        ("20", "20", (money(2000), None)),
        ("20", "25", (money(2000), None)),
        ("20", "0", (money(2000), None)),
        ("20", "soon", (money(2000), None)),
        ("20", "15 USD", (money(2000), None)),
        ("", "15", (money(1500), None)),
        ("0", "15", (money(1500), None)),
    ],
)
def test_sale_prices(price: str, sale: str, expected: tuple[object, object]) -> None:
    _, variant = values(price=price, sale_price=sale)
    assert (variant.get("price"), variant.get("compareAtPrice")) == expected


@pytest.mark.parametrize(
    ("sale", "reason"),
    [
        ("15", None),
        ("0", None),
        ("20", None),
        ("-15", NO_SALE_PRICE),
        ("soon", NO_SALE_PRICE),
        ("15 USD", OTHER_SALE_CURRENCY.format(currency="USD")),
    ],
)
def test_unusable_sale_price_is_listed_with_reason(sale: str, reason: str | None) -> None:
    entry = RowReader(EVERYTHING, DEFAULTS).read({"id": "a", "price": "20", "sale_price": sale})
    assert entry.left_out == reason
    assert json.loads(entry.content)[1]["price"] in (money(2000), money(1500))


@pytest.mark.parametrize("column", ["price", "sale_price"])
def test_row_with_only_negative_price_is_skipped(column: str) -> None:
    for text in ("-5", "-5.00 EUR", Number("-5")):
        with pytest.raises(RowSkipped) as skipped:
            RowReader(EVERYTHING, DEFAULTS).read({"id": "a", column: text})
        assert skipped.value.reason == NO_PRICE


@pytest.mark.parametrize(
    ("locale", "price", "expected"),
    [
        ("", "3 USD", None),
        ("", "3 GBP", None),
        ("en-GB", "3 GBP", money(300, "GBP")),
        ("en-gb", "3 GBP", money(300, "GBP")),
        ("en-GB", "3 EUR", money(300)),
        ("en-GB", "3", money(300)),
        ("fr", "3 USD", None),
    ],
)
def test_price_must_be_in_currency_of_store_or_locale(
    locale: str, price: str, expected: object
) -> None:
    assert values(locale=locale, price=price)[1].get("price") == expected


@pytest.mark.parametrize(
    ("word", "sells", "sells_on"),
    [
        ("in stock", True, None),
        ("in_stock", True, None),
        ("In Stock", True, None),
        ("https://schema.org/InStock", True, None),
        ("http://schema.org/InStock/", True, None),
        ("schema:InStock", True, None),
        ("schema.org/LimitedAvailability", True, None),
        ("ONLINE_ONLY", True, None),
        ("https://schema.org/InStoreOnly", True, None),
        ("https://schema.org/BackOrder", True, True),
        ("https://www.schema.org/PreOrder", True, True),
        ("pre_sale", True, True),
        ("http://schema.org/MadeToOrder", True, True),
        ("made to order", True, True),
        ("https://schema.org/OutOfStock", False, None),
        ("schema:SoldOut", False, None),
        ("https://schema.org/Discontinued", False, None),
        ("https://schema.org/Reserved", False, None),
        ("available for order", True, True),
        ("mark_as_sold", False, None),
        ("pending", False, None),
        ("lieferbar", True, None),
        ("nicht lieferbar", False, None),
        ("auf Anfrage", True, True),
        ("På lager", True, None),
        ("Ikke på lager", False, None),
        ("в наличии", True, None),
        ("Нет в наличии", False, None),
        ("out of stock", False, None),
        ("sold-out", False, None),
        ("preorder", True, True),
        ("Nein", False, None),
        ("Não", False, None),
        ("pre-order", True, True),
        ("backorder", True, True),
        ("maybe", None, None),
    ],
)
def test_availability(word: str, sells: bool | None, sells_on: bool | None) -> None:
    _, variant = values(availability=word)
    assert variant.get("availableForSale") is sells
    assert variant.get("continueSellingWhenOutOfStock") is sells_on


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("12", 12),
        ("12.0", 12),
        ("-3", -3),
        ("1.5", None),
        ("many", None),
        ("9" * 11, None),
        ("1,000", 1000),
        ("1.000", 1000),
        ("1 000", 1000),
        ("1'000", 1000),
        ("-1.234.567", -1_234_567),
        ("1,000.00", 1000),
        ("12.0000", 12),
        (Number("12.000"), 12),
        ("0.000", 0),
        ("12 3", None),
        ("1.2.3", None),
        ("9" * 100_000, None),
    ],
)
def test_quantities(text: str, expected: int | None) -> None:
    assert values(quantity=text)[1].get("inventoryQuantity") == expected


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("Black &amp; White", "Black & White"),
        ("Caf&eacute; &#8211; 5&nbsp;&euro;", "Caf\u00e9 \u2013 5\u00a0\u20ac"),
        ("Socks&#x2122;", "Socks\u2122"),
        ("AT&T R&D; &copy 50% &nothing;", "AT&T R&D; &copy 50% &nothing;"),
        ("&#0;&#xd800;&#9999999;Cup", "\ufffd\ufffd\ufffdCup"),
        ("5 &lt; 7", "5 < 7"),
    ],
)
def test_names_are_as_their_shop_shows_them(cell: str, shown: str) -> None:
    """WordPress stores names of products with references of HTML, and exports them so."""
    product, variant = values(title=cell, brand=cell, product_type=cell, color=cell)
    assert product == {"title": shown, "vendor": shown, "productType": shown}
    assert variant == {"title": shown, "options": [{"name": "Color", "value": shown}]}


@pytest.mark.parametrize("cell", ['="00123456"', "'00123456", "\ufeff00123456", " 00123456\u200b"])
def test_codes_are_free_of_what_spreadsheets_add(cell: str) -> None:
    """Programs write codes so, in order that a spreadsheet keeps their zeros."""
    cells = dict.fromkeys(("id", "item_group_id", "sku", "gtin", "mpn"), cell)
    entry = RowReader(EVERYTHING, DEFAULTS).read({"title": '="Cup"', "price": '="5.00"', **cells})
    codes = (entry.id, entry.group, entry.sku, entry.gtin)
    assert codes == ("00123456", "00123456", "00123456", "00123456")
    product, variant = json.loads(entry.content)
    assert product == {"title": "Cup", "custom.mpn": "00123456"}
    assert variant["price"] == money(500)


@pytest.mark.parametrize("cell", ["null", "NULL", "0", "0000000000000", "-", "undefined"])
def test_placeholders_as_codes_count_as_none(cell: str) -> None:
    """Exports of databases have them; all products would seem to have one code."""
    product, variant = values(title="Cup", sku=cell, gtin=cell, mpn=cell)
    assert (product, variant) == ({"title": "Cup"}, {"title": "Cup"})


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("4.00639E+12", None),
        ("4,00638133393E+12", None),
        ("4006381333931.0", "4006381333931"),
        ("0-12345-67890-5", "0-12345-67890-5"),
    ],
)
def test_article_codes_that_spreadsheets_took_for_numbers(cell: str, code: str | None) -> None:
    assert values(gtin=cell, title="Cup")[1].get("barcode") == code


def test_references_in_description_stay() -> None:
    """It is HTML."""
    assert values(description="<b>5 &lt; 7</b>")[0] == {"description": "<b>5 &lt; 7</b>"}


def test_invalid_urls_are_dropped() -> None:
    product, variant = values(link="javascript:alert(1)", image_link="a.jpg", title="T")
    assert (product, variant) == ({"title": "T"}, {"title": "T"})


def test_first_nonempty_column_wins() -> None:
    mapping = {"id": "id", "x": "title", "y": "title", "z": "custom.note"}
    assert values(mapping=mapping, x=" ", y="Y", z="n") == (
        {"title": "Y", "custom.note": "n"},
        {"title": "Y"},
    )


def test_long_texts_are_truncated() -> None:
    product, _ = values(title="x" * 300, description="y" * 70_000)
    assert (len(product["title"]), len(product["description"])) == (255, 65_536)


class TestLocales:
    """A row's own locale, else the feed's."""

    def locale(self, feeds: str | None, rows: str) -> str | None:
        reader = RowReader(EVERYTHING, FeedDefaults("EUR", {}, feeds))
        return reader.read({"id": "a", "locale": rows}).locale

    def test_row_locale_overrides_feed_locale(self) -> None:
        assert self.locale("de-AT", "FR_ca") == "fr-CA"
        assert self.locale("de-AT", "") == "de-AT"
        assert self.locale(None, "") is None

    def test_row_with_unknown_locale_is_skipped(self) -> None:
        with pytest.raises(RowSkipped):
            self.locale("de-AT", "klingon")


def test_digest_depends_on_mapped_values_only() -> None:
    def digest(**cells: str) -> bytes:
        return RowReader(EVERYTHING, DEFAULTS).read({"id": "a", "title": "T", **cells}).digest

    assert digest(title="T ") == digest(unknown="x") == digest()
    for cells in ({"title": "U"}, {"price": "1"}, {"item_group_id": "g"}, {"size": "S"}):
        assert digest(**cells) != digest()


def test_rows_with_invalid_ids_are_skipped() -> None:
    for cells, row_id in (({"id": " "}, None), ({"id": "x" * 256}, "x" * 255)):
        with pytest.raises(RowSkipped) as skipped:
            RowReader(EVERYTHING, DEFAULTS).read(cells)
        assert skipped.value.id == row_id


class TestSuggested:
    """What a column probably is."""

    def test_google_merchant_names(self) -> None:
        names = [target.value for target in FeedField if target is not FeedField.IGNORE]
        assert suggested_mapping(names) == dict(zip(names, names, strict=True))

    @pytest.mark.parametrize(
        ("name", "target"),
        [
            ("g:id", "id"),
            ("Product ID", "id"),
            ("Artikelnummer", "id"),
            ("parentSku", "item_group_id"),
            ("Product Name", "title"),
            ("Produkt-URL", "link"),
            ("imageUrl", "image_link"),
            ("Größe", "size"),
            ("EAN", "gtin"),
            ("Stock", "quantity"),
            ("Produktnamn", "title"),
            ("Pris", "price"),
            ("Försäljningspris", "price"),
            ("Lagersaldo", "quantity"),
            ("Färg", "color"),
            ("Størrelse", "size"),
            ("Mærke", "brand"),
            ("Artikelgruppen-ID", "item_group_id"),
            ("shipping.price", "custom.shipping_price"),
            ("1st", "custom.column_1st"),
        ],
    )
    def test_common_column_names(self, name: str, target: str) -> None:
        assert suggested_mapping([name])[name] == target

    def test_target_is_suggested_once_and_exact_name_wins(self) -> None:
        assert suggested_mapping(["Name", "title", "url", "link"]) == {
            "Name": "custom.name",
            "title": "title",
            "url": "custom.url",
            "link": "link",
        }

    def test_sku_is_suggested_as_id_without_id_column(self) -> None:
        assert suggested_mapping(["SKU", "title"]) == {"SKU": "id", "title": "title"}


@pytest.mark.parametrize("column", ["SKU", "Référence", "Referencia"])
def test_sku_column_mapped_to_id_is_also_the_sku(column: str) -> None:
    entry = RowReader({column: "id", "t": "title"}, DEFAULTS).read({column: "A", "t": "Cup"})
    assert json.loads(entry.content)[1]["sku"] == "A"


@pytest.mark.parametrize("of_feed", [True, False])
def test_currency_symbol_follows_locale(of_feed: bool) -> None:
    currencies = {"de-AT": "EUR", "en-CA": "CAD", "nb-NO": "NOK"}
    for text, locale, currency in (("$ 15.00", "en-CA", "CAD"), ("15 kr", "nb-NO", "NOK")):
        defaults = FeedDefaults("SEK", currencies, locale if of_feed else "de-AT")
        _, variant = values(defaults, price=text, locale="" if of_feed else locale)
        assert variant == {"price": money(1500, currency)}
