"""Suggestions based on the columns' values."""

import pytest

from storepost.feeds.records.suggesting import suggested_mapping

type Rows = list[dict[str, str]]


def suggested(rows: Rows) -> dict[str, str]:
    """The suggestions for rows."""
    return suggested_mapping(list(rows[0]), rows)


def test_best_name_wins_and_others_become_custom_fields() -> None:
    rows = [{"kurzbeschreibung": "k", "summary": "s", "description": "d", "name": "A", "id": "1"}]
    assert suggested(rows) == {
        "kurzbeschreibung": "custom.kurzbeschreibung",
        "summary": "custom.summary",
        "description": "description",
        "name": "title",
        "id": "id",
    }


def test_column_with_unique_values_is_preferred_as_id() -> None:
    rows = [{"product_id": "7", "item_id": str(n), "sku": "S"} for n in range(3)]
    assert suggested(rows)["item_id"] == "id"
    same = [{"id": "7", "sku": f"S{n}"} for n in range(3)]
    assert suggested(same)["id"] == "id"


def test_name_contradicted_by_values_is_not_used() -> None:
    rows = [
        {
            "id": str(n),
            "link": "Boots",
            "price": "ask",
            "cost": f"{n}.50 EUR",
            "page": f"https://a.example/{n}",
        }
        for n in range(3)
    ]
    assert suggested(rows) == {
        "id": "id",
        "link": "custom.link",
        "price": "custom.price",
        "cost": "price",
        "page": "link",
    }


def test_meaningless_names_are_mapped_by_values() -> None:
    rows = [
        {"a": f"X{n}", "b": f"https://s.example/{n}.jpg", "c": f"https://s.example/{n}",
         "d": f"€ {n},90", "e": "4006381333931", "f": "words of a text"}
        for n in range(5)
    ]  # fmt: skip
    assert suggested(rows) == {
        "a": "id",
        "b": "image_link",
        "c": "link",
        "d": "price",
        "e": "gtin",
        "f": "custom.f",
    }


def test_former_price_turns_price_into_sale_price() -> None:
    rows = [{"id": "1", "price": "5", "compare_at_price": "9"}]
    assert suggested(rows) == {"id": "id", "price": "sale_price", "compare_at_price": "price"}
    assert suggested([{"id": "1", "price": "5", "compare_at_price": ""}])["price"] == "price"


@pytest.mark.parametrize(
    ("image", "further"),
    [
        ("image link", ["additional image link", "additional image link (2)"]),
        ("image_link", ["additional_image_link", "additional_image_link_2"]),
        ("image[0].url", ["image[1].url", "image[2].url"]),
        ("image_1_url", ["image_2_url", "image_3_url"]),
    ],
)
def test_repeated_columns_of_images(image: str, further: list[str]) -> None:
    """Files repeat Google's column, and Meta's newer templates number theirs in the middle."""
    columns = [image, *further]
    row = {name: f"https://a.example/{number}" for number, name in enumerate(columns)}
    found = suggested([{"id": "1", **row, "image[0].tag[0]": "x"}])
    assert [found[name] for name in columns] == [
        "image_link",
        *("additional_image_link" for _ in further),
    ]


def test_numbered_images_are_additional_images() -> None:
    url = "https://s.example/{}.jpg"
    rows = [{"id": "1", **{f"Image {n}": url.format(n) for n in (1, 2, 3)}}]
    assert suggested(rows) == {
        "id": "id",
        "Image 1": "image_link",
        "Image 2": "additional_image_link",
        "Image 3": "additional_image_link",
    }


def test_invalid_custom_field_names_are_replaced() -> None:
    names = ["Длина", "1st", "x" * 100, "a b", "a-b", "id"]
    found = suggested_mapping(names)
    assert found["Длина"] == "custom.column_1"
    assert found["x" * 100] == f"custom.{'x' * 64}"
    assert len(set(found.values())) == len(names)


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ("Prezzo", "Prezzo precedente"),
        ("Prezzo", "Prezzo barrato"),
        ("Prezzo", "Prezzo di listino"),
        ("Prijs", "Oude prijs"),
        ("Prijs", "Adviesprijs"),
        ("Cena", "Stara cena"),
        ("Cena", "Cena przed obniżką"),
        ("Cena", "Cena katalogowa"),
    ],
)
def test_former_price_names_in_other_languages(now: str, before: str) -> None:
    rows = [{"Kod": "1", now: "5", before: "9"}]
    assert suggested(rows) == {"Kod": "id", now: "sale_price", before: "price"}


@pytest.mark.parametrize(
    "name", ["Prezzo IVA inclusa", "Prezzo con IVA", "Prijs incl. btw", "Prijs inclusief btw"]
)
def test_price_including_tax_is_preferred(name: str) -> None:
    rows = [{"id": "1", "price": "10", name: "12"}]
    assert suggested(rows)[name] == "price"


def test_presale_price_is_no_former_price() -> None:
    rows = [{"id": "1", "Cena": "5", "Cena przedsprzedaży": "9"}]
    assert suggested(rows)["Cena"] == "price"


def test_dutch_part_number_is_mpn() -> None:
    assert suggested([{"id": "1", "Onderdeelnummer": "M-1"}])["Onderdeelnummer"] == "mpn"
