"""XML of other makers: which element is a row, and what its parts mean."""

import pytest

from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.outline import HEAD_LENGTH
from tests.feeds.files.making import read


def rows_of(inner: str) -> list[dict[str, str] | None]:
    """The rows of a file."""
    return read(f"<?xml version='1.0'?>{inner}".encode())[1]


@pytest.mark.parametrize(
    "file",
    [
        "<shop><goods>{}</goods></shop>",
        "<shop><name>S</name><tags><tag id='1'/><tag id='2'/></tags><goods>{}</goods></shop>",
        "<a:shop xmlns:a='urn:x'><goods>{}</goods><footer><x>1</x></footer></a:shop>",
    ],
)
def test_repeated_element_is_a_row(file: str) -> None:
    rows = "".join(f"<good><sku>{n}</sku><label>L{n}</label><cost>5</cost></good>" for n in "12")
    assert rows_of(file.format(rows)) == [
        {"sku": "1", "label": "L1", "cost": "5"},
        {"sku": "2", "label": "L2", "cost": "5"},
    ]


def test_single_row() -> None:
    inner = "<shop><goods><good><sku>1</sku><label>L</label></good></goods></shop>"
    assert rows_of(inner) == [{"sku": "1", "label": "L"}]


YML = (
    "<yml_catalog date='2026-01-01 00:00'><shop><name>S</name><company>C</company>"
    "<currencies><currency id='EUR' rate='1'/><currency id='USD' rate='2'/></currencies>"
    "<categories>{}</categories><delivery-options><option cost='5' days='1'/>"
    "<option cost='9' days='0'/></delivery-options><offers>{}</offers></shop></yml_catalog>"
)
NO_ROWS = [
    "<rss version='2.0'><channel><title>T</title><link>https://a.example/</link>"
    "<description>D</description><image><url>u</url><title>t</title></image></channel></rss>",
    "<feed xmlns='http://www.w3.org/2005/Atom'><id>urn:1</id><title>T</title><author><name>A</name>"
    "</author><link rel='self' href='/1'/><link rel='alternate' href='/2'/></feed>",
    "<SHOP/>",
    "<products></products>",
    "<mywebstore><created_at>2026-01-01</created_at><products/></mywebstore>",
    YML.format("<category id='1'>A</category>", ""),
    YML.format("<category id='1'>A</category><category id='2' parentId='1'>B</category>", ""),
]


@pytest.mark.parametrize("file", NO_ROWS)
def test_file_without_items_has_no_rows(file: str) -> None:
    assert rows_of(file) == []


def test_rows_behind_many_categories_are_found() -> None:
    categories = "".join(
        f"<category id='{n}' parentId='{n // 2}'>C{n}</category>" for n in range(1, 2_000)
    )
    offers = "<offer id='a'><name>A</name><set><product>x</product></set></offer><offer id='b'/>"
    assert len(categories) > HEAD_LENGTH
    assert rows_of(YML.format(categories, offers)) == [
        {"id": "a", "name": "A", "set.product": "x"},
        {"id": "b"},
    ]


def test_attributes_are_columns() -> None:
    second = '<o id="2" price="6"><id>own</id></o>'
    inner = f'<offers><o id="1" price="5"><name>A</name></o>{second}</offers>'
    assert rows_of(inner) == [
        {"name": "A", "id": "1", "price": "5"},
        {"id": "own", "price": "6"},
    ]


def test_first_of_repeated_texts_and_all_images_are_read() -> None:
    inner = (
        "<r><item><id>1</id><kind>a</kind><kind>b</kind><photo>x</photo><photo>y</photo>"
        '<pic><image url="z"/></pic></item></r>'
    )
    assert rows_of(inner) == [{"id": "1", "kind": "a", "photo": "x,y", "pic.image": "z"}]


@pytest.mark.parametrize(
    "name", ["zdjęcie", "Dodatkowe_zdjęcia", "imágenes", "Afbeelding", "obrázek", "immagini"]
)
def test_image_elements_in_any_language_are_joined(name: str) -> None:
    inner = f"<r><item><id>1</id><{name}>x</{name}><{name}>y</{name}></item></r>"
    assert rows_of(inner) == [{"id": "1", name: "x,y"}]


def test_parameters_are_columns() -> None:
    inner = (
        '<r><item><param name="Color">red</param><param name="Size">M</param>'
        "<PARAM><PARAM_NAME>Weight</PARAM_NAME><VAL>5</VAL></PARAM></item></r>"
    )
    assert rows_of(inner) == [{"param.Color": "red", "param.Size": "M", "PARAM.Weight": "5"}]


def test_price_with_currency_attribute() -> None:
    assert rows_of('<r><item><price currency="USD">5.00</price></item></r>') == [
        {"price": "5.00 USD"}
    ]


def test_category_ids_are_resolved_to_names() -> None:
    inner = (
        '<y><categories><category id="1">A</category><category id="2" parentId="1">B</category>'
        '<category id="3" parentId="3">Round</category></categories><offers>'
        "<offer><categoryId>2</categoryId></offer><offer><categoryId>9</categoryId></offer>"
        "<offer><categoryId>3</categoryId></offer></offers></y>"
    )
    first, second, third = rows_of(inner)
    assert first == {"categoryId": "2", "category": "A > B"}
    assert second == {"categoryId": "9"}
    assert third is not None
    assert set(third["category"].split(" > ")) == {"Round"}


def test_nested_variants_are_rows_with_product_fields() -> None:
    inner = (
        "<r><item><id>1</id><size>S,M</size><text>Long</text><variants>"
        "<variant><variant_id>1-S</variant_id><size>S</size></variant>"
        "<variant><variant_id>1-M</variant_id><size>M</size><pic><url>z</url></pic></variant>"
        "</variants><kind>k</kind></item><item><id>2</id><variant>red</variant></item></r>"
    )
    shared = {"id": "1", "text": "Long", "kind": "k"}
    assert rows_of(inner) == [
        {**shared, "variants.id": "1-S", "size": "S"},
        {**shared, "variants.id": "1-M", "size": "M", "pic.url": "z"},
        {"id": "2", "variant": "red"},
    ]


def test_long_text_is_in_first_variant_row_only() -> None:
    variants = "".join(f"<variation><id>{n}</id></variation>" for n in range(3))
    inner = f"<r><item><id>1</id><text>{'x' * 300}</text>{variants}</item></r>"
    assert [list(row or {}) for row in rows_of(inner)] == [
        ["id", "text", "variants.id"],
        ["id", "variants.id"],
        ["id", "variants.id"],
    ]


def test_too_many_cells_of_variants_are_refused() -> None:
    """Each variant's row would contain all of the product's attributes."""
    cells = "".join(f"<c{n}>1</c{n}>" for n in range(1_000))
    variants = "<variant><id>1</id></variant>" * 1_000
    with pytest.raises(FeedUnusable) as raised:
        rows_of(f"<r><item>{cells}{variants}</item></r>")
    assert raised.value.why is FeedFailure.ROW_TOO_LONG
