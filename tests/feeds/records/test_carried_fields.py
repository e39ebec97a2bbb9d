"""Fields that rows leave out, and when a sale is valid."""

import json
from datetime import timedelta

import pytest

from storepost.feeds.records.amounts import FeedDefaults
from storepost.feeds.records.joining import first_variant, product_of, variant_of
from storepost.feeds.records.reading import RowReader, RowSkipped
from storepost.values import clock

MAPPING = {"handle": "item_group_id", "sku": "id", "title": "title", "price": "price"}
MAPPING |= {"Option1 Value": "size", "image": "image_link", "sale_price": "sale_price"}


def test_option_names_are_taken_from_first_row_of_group() -> None:
    reader = RowReader(MAPPING, FeedDefaults("EUR"))
    first = {"handle": "g", "title": "T", "Option1 Name": "Waist", "Option1 Value": "30"}
    rows = [first, {"handle": "g", "Option1 Value": "32"}, {"handle": "h", "Option1 Value": "5"}]
    read = [reader.read({"price": "1", **row}) for row in rows]
    assert [(entry.id, json.loads(entry.content)[1]["options"]) for entry in read] == [
        ("g/30", [{"name": "Waist", "value": "30"}]),
        ("g/32", [{"name": "Waist", "value": "32"}]),
        ("h/5", [{"name": "Size", "value": "5"}]),
    ]


def test_resumed_reader_continues_group() -> None:
    """An import that resumes knows the group that its next row continues."""
    rows = [{"handle": "g", "title": "T", "sku": "1"}, {"sku": "2"}, {"sku": "3", "title": "U"}]
    whole, later = RowReader(MAPPING, FeedDefaults("EUR")), RowReader(MAPPING, FeedDefaults("EUR"))
    read = [whole.read(row) for row in rows]
    assert [entry.group for entry in read] == ["g", "g", None]
    later.note_row(rows[0])
    assert [later.read(row) for row in rows[1:]] == read[1:]


def test_row_with_only_a_group_is_skipped() -> None:
    with pytest.raises(RowSkipped, match="no id"):
        RowReader(MAPPING, FeedDefaults("EUR")).read({"handle": "g", "sku": ""})


def test_image_only_row_adds_image_to_product() -> None:
    reader = RowReader(MAPPING, FeedDefaults("EUR"))
    entry = reader.read({"handle": "g", "image": "https://a.example/2.jpg"})
    assert (entry.group, entry.is_more) == ("g", True)
    assert entry.id == reader.read({"handle": "g", "image": "https://a.example/2.jpg"}).id
    fields = product_of(
        {"image": {"url": "https://a.example/1.jpg", "alt": None}}, [json.loads(entry.content)[0]]
    )
    assert fields == {
        "image": {"url": "https://a.example/1.jpg", "alt": None},
        "custom.additional_image_link": "https://a.example/2.jpg",
    }


def test_missing_values_are_taken_from_first_row_of_group() -> None:
    euro = {"amount": 500, "currency": "EUR"}
    first = {"title": "T", "price": euro, "sku": "S", "inventoryQuantity": 3}
    known = first_variant([first, {"title": "U"}])
    assert variant_of("2", {}, [], known) == {"title": "T", "price": euro}
    assert variant_of("2", {"title": "U", "price": None}, [], known) == {"title": "U"}
    assert product_of({"title": "T"}, [{"vendor": "V", "title": "X"}, {"vendor": "W"}]) == {
        "title": "T",
        "vendor": "V",
    }


@pytest.mark.parametrize(
    ("days", "holds"), [((-2, -1), False), ((-1, 1), True), ((1, 2), False), ((-1, None), True)]
)
@pytest.mark.parametrize("form", ["one column", "two columns"])
def test_sale_price_is_valid_in_sale_period(
    form: str, days: tuple[int, int | None], holds: bool
) -> None:
    starts, ends = (
        (clock.now() + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M+0000") if day else ""
        for day in days
    )
    when = (
        {"sale_price_effective_date": f"{starts}/{ends}"}
        if form == "one column"
        else {"Date sale price starts": starts, "Date sale price ends": ends}
    )
    mapping = {**MAPPING, **dict.fromkeys(when, "ignore")}
    entry = RowReader(mapping, FeedDefaults("EUR")).read(
        {"sku": "1", "price": "9", "sale_price": "5", **when}
    )
    assert json.loads(entry.content)[1]["price"]["amount"] == (500 if holds else 900)


@pytest.mark.parametrize(
    "written",
    [
        *("%s", "{0:%d.%m.%Y}", "{0:%d.%m.%y, %H:%M}", "{0:%m/%d/%Y}", "{0:%Y-%m-%d %H:%M:%S} UTC"),
        *("{0:%Y/%m/%d}", "{0:%Y/%m/%d %H:%M}", "{0:%d-%m-%Y}", "{0:%Y-%m-%d} 9:00 PM"),
    ],
)
@pytest.mark.parametrize(("days", "amount"), [(-2, 900), (2, 500)])
def test_sale_end_in_notations_of_exports(written: str, days: int, amount: int) -> None:
    moment = clock.now() + timedelta(days=days)
    ends = written.replace("%s", str(int(moment.timestamp()))).format(moment)
    cells = {"sku": "1", "price": "9", "sale_price": "5", "_sale_price_dates_to": ends}
    mapping = {**MAPPING, "_sale_price_dates_to": "ignore"}
    entry = RowReader(mapping, FeedDefaults("EUR")).read(cells)
    assert json.loads(entry.content)[1]["price"]["amount"] == amount


@pytest.mark.parametrize(("days", "amount"), [((-9, -2), 900), ((-2, 2), 500), ((2, 9), 900)])
@pytest.mark.parametrize("suffix", ["", "_gmt"])
def test_sale_period_as_woocommerce_answers_it(
    suffix: str, days: tuple[int, int], amount: int
) -> None:
    starts, ends = (f"{clock.now() + timedelta(days=day):%Y-%m-%dT%H:%M:%S}" for day in days)
    when = {f"date_on_sale_from{suffix}": starts, f"date_on_sale_to{suffix}": ends}
    mapping = {**MAPPING, **dict.fromkeys(when, "ignore")}
    cells = {"sku": "1", "price": "9", "sale_price": "5", **when}
    entry = RowReader(mapping, FeedDefaults("EUR")).read(cells)
    assert json.loads(entry.content)[1]["price"]["amount"] == amount


@pytest.mark.parametrize(("days", "holds"), [((-9, -2), False), ((-2, 2), True), ((2, 9), False)])
def test_sale_period_as_meta_writes_it(days: tuple[int, int], holds: bool) -> None:
    """Its template for catalogues has a time with one digit, and a range of hours behind it."""
    starts, ends = (f"{clock.now() + timedelta(days=day):%Y-%m-%d}T0:00-23:59" for day in days)
    cells = {"sku": "1", "price": "9", "sale_price": "5"}
    when = {"sale_price_effective_date": f"{starts}/{ends}"}
    entry = RowReader(MAPPING, FeedDefaults("EUR")).read({**cells, **when})
    assert json.loads(entry.content)[1]["price"]["amount"] == (500 if holds else 900)


def test_number_above_12_is_a_day() -> None:
    cells = {"sku": "1", "price": "9", "sale_price": "5", "_sale_price_dates_to": "31/12/2020"}
    mapping = {**MAPPING, "_sale_price_dates_to": "ignore"}
    entry = RowReader(mapping, FeedDefaults("EUR")).read(cells)
    assert json.loads(entry.content)[1]["price"]["amount"] == 900


@pytest.mark.parametrize(
    ("now", "before", "shown"),
    [("15", "20", (1500, 2000)), ("20", "15", (2000, None)), ("20", "20", (2000, None))],
)
def test_former_price_that_is_not_higher_is_ignored(
    now: str, before: str, shown: tuple[int, int | None]
) -> None:
    mapping = {"id": "id", "Variant Price": "sale_price", "Variant Compare At Price": "price"}
    cells = {"id": "1", "Variant Price": now, "Variant Compare At Price": before}
    _, variant = json.loads(RowReader(mapping, FeedDefaults("EUR")).read(cells).content)
    compared = variant.get("compareAtPrice")
    assert (variant["price"]["amount"], compared and compared["amount"]) == shown


@pytest.mark.parametrize(("currency", "left_out"), [("EUR", False), ("USD", True), ("€", False)])
def test_currency_column_applies_to_bare_numbers(currency: str, left_out: bool) -> None:
    mapping = {"id": "id", "price": "price"}
    entry = RowReader(mapping, FeedDefaults("EUR")).read(
        {"id": "1", "price": "5", "currency": currency}
    )
    assert (entry.left_out is not None) is left_out
