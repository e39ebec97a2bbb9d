"""XML of other makers: which element is a row, and what its parts are."""

import pytest

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
def test_the_repeated_element_is_a_row(file: str) -> None:
    rows = "".join(f"<good><sku>{n}</sku><label>L{n}</label><cost>5</cost></good>" for n in "12")
    assert rows_of(file.format(rows)) == [
        {"sku": "1", "label": "L1", "cost": "5"},
        {"sku": "2", "label": "L2", "cost": "5"},
    ]


def test_one_row_alone() -> None:
    inner = "<shop><goods><good><sku>1</sku><label>L</label></good></goods></shop>"
    assert rows_of(inner) == [{"sku": "1", "label": "L"}]


def test_attributes_are_columns() -> None:
    second = '<o id="2" price="6"><id>own</id></o>'
    inner = f'<offers><o id="1" price="5"><name>A</name></o>{second}</offers>'
    assert rows_of(inner) == [
        {"name": "A", "id": "1", "price": "5"},
        {"id": "own", "price": "6"},
    ]


def test_what_is_repeated() -> None:
    inner = (
        "<r><item><id>1</id><kind>a</kind><kind>b</kind><photo>x</photo><photo>y</photo>"
        '<pic><image url="z"/></pic></item></r>'
    )
    assert rows_of(inner) == [{"id": "1", "kind": "a", "photo": "x,y", "pic.image": "z"}]


def test_parameters_are_columns_of_their_own() -> None:
    inner = (
        '<r><item><param name="Color">red</param><param name="Size">M</param>'
        "<PARAM><PARAM_NAME>Weight</PARAM_NAME><VAL>5</VAL></PARAM></item></r>"
    )
    assert rows_of(inner) == [{"param.Color": "red", "param.Size": "M", "PARAM.Weight": "5"}]


def test_a_price_with_its_currency() -> None:
    assert rows_of('<r><item><price currency="USD">5.00</price></item></r>') == [
        {"price": "5.00 USD"}
    ]


def test_categories_are_named() -> None:
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
