"""JSON objects as rows: variants, nested prices, lists of objects."""

import pytest

from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.objects import Number, rows_of
from storepost.feeds.records.prices import read_price
from storepost.values.money import Money


def test_one_row_per_variant() -> None:
    long = "x" * 300
    found = {"id": 1, "text": long, "variants": [{"id": 2}, {"id": 3, "price": {"a": 4}}]}
    assert list(rows_of(found)) == [
        {"id": "1", "text": long, "variants.id": "2"},
        {"id": "1", "variants.id": "3", "variants.price.a": "4"},
    ]


@pytest.mark.parametrize("variants", [[], None, "x", [1, 2], [{"id": 1}, 2]])
def test_invalid_variants_give_one_row(variants: object) -> None:
    assert len(list(rows_of({"id": 1, "variants": variants}))) == 1


def test_lists_of_objects_are_joined() -> None:
    found = {"images": [{"src": "a", "w": 1}, {"src": "b"}], "one": [{"n": 1.5}]}
    [row] = rows_of(found)
    assert row == {"images.src": "a,b", "images.w": "1", "one.n": "1.5"}
    assert isinstance(row["one.n"], Number)


@pytest.mark.parametrize(
    ("price", "money"),
    [
        ({"amount": 24.375, "currency": "USD"}, Money(2438, "USD")),
        ({"value": "1299.00", "currencyCode": "EUR"}, Money(129900, "EUR")),
        ({"currency_code": "JPY", "amount": 1500}, Money(1500, "JPY")),
    ],
)
def test_amount_with_currency_is_one_cell(price: dict[str, object], money: Money) -> None:
    [row] = rows_of({"price": price})
    assert read_price(row["price"], "CHF") == money


def test_too_many_cells_of_one_product_are_refused() -> None:
    """The rows of a file of one megabyte are bounded."""
    found = {**{f"k{n}": 1 for n in range(10_000)}, "variants": [{"a": 1}] * 10_000}
    with pytest.raises(FeedUnusable) as refused:
        list(rows_of(found))
    assert refused.value.why is FeedFailure.ROW_TOO_LONG


@pytest.mark.parametrize("value", ["text", 1, None, ["a"]])
def test_column_with_too_long_name_is_refused(value: object) -> None:
    """Such a name of accents alone would be folded for minutes."""
    with pytest.raises(ValueError, match="too long"):
        list(rows_of({"id": "1", "a" * 1_001: value}))
