"""The makers' samples, written in other ways: the products stay the same."""

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.dom import minidom

import pytest

from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.names import plain_name
from storepost.feeds.records.options import options_in
from tests.feeds.feeds import hostile_markup, hostile_tables
from tests.feeds.feeds.careful import Sample
from tests.feeds.feeds.hostile_names import KEPT, LANGUAGES, mapped, renamed
from tests.feeds.feeds.suggested_mapping import imported
from tests.feeds.feeds.test_makers import SAMPLES, content_of

TABLES = [name for name in SAMPLES if name.endswith(("csv", "tsv"))]
MARKUP = [name for name in SAMPLES if name.endswith("xml")]
OBJECTS = [name for name in SAMPLES if name.endswith("json")]


def test_every_sample_is_tested() -> None:
    assert {*TABLES, *MARKUP, *OBJECTS} == set(SAMPLES)


@pytest.mark.parametrize("form", hostile_tables.FORMS)
def test_table_variants_give_same_products(form: str) -> None:
    for name in TABLES:
        rows = hostile_tables.table_of(content_of(name))
        assert_same(name, hostile_tables.FORMS[form](rows))


@pytest.mark.parametrize("form", hostile_markup.FORMS)
def test_xml_variants_give_same_products(form: str) -> None:
    for name in MARKUP:
        assert_same(name, hostile_markup.FORMS[form](content_of(name).decode()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_variants_give_same_products(encoding: str) -> None:
    for name in OBJECTS:
        rows = hostile_markup.objects_of(content_of(name))
        for form in range(hostile_markup.JSON_FORMS):
            chance = random.Random(f"{name} {form}")
            assert_same(name, hostile_markup.written(rows, form, chance).encode(encoding))


@pytest.mark.parametrize("name", SAMPLES)
def test_translated_columns_give_same_products(name: str) -> None:
    """Each file's form is random, but the same in every run."""
    for language in LANGUAGES:
        names = renamed(name, language)
        assert names
        chance = random.Random(f"{name} {language}")
        text = _written(name, names, "", chance)
        assert_same(name, text.encode(chance.choice(("utf-8", "utf-8-sig", "utf-16"))))


@pytest.mark.parametrize("maker", KEPT)
def test_each_exception_from_translation_is_needed(maker: str) -> None:
    """Each exception is needed: the sample's products change if its column is renamed."""
    for column in KEPT[maker]:
        names = [name for name in SAMPLES if name.startswith(f"{maker}_") and _has(name, column)]
        assert any(
            not _is_same(name, _written(name, renamed(name, language, but=column)).encode())
            for name in names
            for language in LANGUAGES
        ), column


def _has(name: str, column: str) -> bool:
    return column in map(plain_name, mapped(name))


WORDS = {
    "German": ("cp1252", " aus schönem Holz für Küche und Gärten"),
    "French": ("cp1252", " légère à manches brodées, très élégante"),
    "Spanish": ("cp1252", " pequeño de algodón para niños y señoras"),
    "Italian": ("cp1252", " più leggera, di qualità, per la città"),
    "Dutch": ("cp1252", " geïsoleerd, uit België, met reliëf"),
    "Polish": ("cp1250", " błękitna, dla dzieci i młodzieży, świąteczna"),
    "Czech": ("cp1250", " žlutý, příliš lehký, růžový, šátek"),
    "Russian": ("cp1251", " синего цвета, для всей семьи"),
    "Greek": ("cp1253", " μπλε, για όλη την οικογένεια"),  # noqa: RUF001
}
"""Encodings that nothing declares, and words that are in them."""
COUNTRIES = {
    "heureka": "Czech",
    "zbozi": "Czech",
    "ceneo": "Polish",
    "yml": "Russian",
    "skroutz": "Greek",
}
"""Makers whose samples are in a language; the others have each of the six."""


TITLED = [name for name in SAMPLES if FeedField.TITLE in mapped(name).values()]


def test_two_samples_have_no_titles() -> None:
    """They have no place for the words, and two letters of a column's name reveal no encoding."""
    assert {*SAMPLES} - {*TITLED} == {
        "prestashop_combinations.csv",
        "prestashop_combinations_bare.csv",
    }


@pytest.mark.parametrize("name", TITLED)
def test_undeclared_encoding_is_detected(name: str) -> None:
    """It is recognised by words after the titles, and by the columns' names in that language."""
    own = COUNTRIES.get(name.partition("_")[0])
    for language in [own] if own else LANGUAGES:
        encoding, words = WORDS[language]
        names = {} if own else renamed(name, language)
        assert_same(name, _written(name, names, words).encode(encoding), words)


@pytest.mark.parametrize("name", MARKUP)
def test_declared_xml_encoding_is_used(name: str) -> None:
    language = COUNTRIES.get(name.partition("_")[0], "German")
    encoding, words = WORDS[language]
    declared = f'<?xml version="1.0" encoding="windows-{encoding[2:]}"?>'
    assert_same(name, f"{declared}{_written(name, {}, words)}".encode(encoding), words)


def _written(
    name: str, names: Mapping[str, str], words: str = "", chance: random.Random | None = None
) -> str:
    """A sample with its columns renamed, words after its titles, and no declared encoding."""
    titles = {each for each, target in mapped(name).items() if target == FeedField.TITLE}
    if name in TABLES:
        return _as_table(name, names, titles, words, chance)
    if name in MARKUP:
        return _as_markup(name, names, titles, words, chance)
    rows = [
        {names.get(k, k): f"{v}{words}" if k in titles else v for k, v in row.items()}
        for row in hostile_markup.objects_of(content_of(name))
    ]
    if chance is None:
        return json.dumps(rows, ensure_ascii=False)
    return hostile_markup.written(rows, chance.randrange(hostile_markup.JSON_FORMS), chance)


def _as_table(
    name: str,
    names: Mapping[str, str],
    titles: set[str],
    words: str,
    chance: random.Random | None,
) -> str:
    header, *rows = hostile_tables.table_of(content_of(name))
    positions = {place for place, each in enumerate(header) if each.strip() in titles}
    rows = [
        [
            f"{cell}{words}" if place in positions and cell and not options_in(cell) else cell
            for place, cell in enumerate(row)
        ]
        for row in rows
    ]
    rows = [[names.get(each.strip(), each) for each in header], *rows]
    return hostile_tables.mixed(rows, chance) if chance else hostile_tables.written(rows)


def _as_markup(
    name: str,
    names: Mapping[str, str],
    titles: set[str],
    words: str,
    chance: random.Random | None,
) -> str:
    document = minidom.parseString(content_of(name))
    # If Yandex's offers have no name, the title ends with their model.
    hostile_markup.add_words(document, titles | {"model"}, words)
    hostile_markup.rename(document, names)
    if chance:
        hostile_markup.shuffle(document, chance)
    assert document.documentElement is not None
    return document.documentElement.toxml()


def assert_same(name: str, content: bytes, words: str = "") -> None:
    """Asserts that the products are the sample's, with words after their titles."""
    found, expected = _both(name, content, words)
    assert found == expected, name


def _is_same(name: str, content: bytes) -> bool:
    found, expected = _both(name, content, "")
    return bool(found == expected)


def _both(name: str, content: bytes, words: str) -> tuple[Any, Any]:
    """Products and the reasons of listed rows; the order of options follows the columns."""
    sample = SAMPLES[name]
    found = imported(content, sample.currency)
    why = [row[2] for row in sample.listed]
    expected = _unordered(_with_words(sample, words))
    return (_unordered(found.products), [row[2] for row in found.listed]), (expected, why)


def _with_words(sample: Sample, words: str) -> dict[str, Any]:
    products = {
        key: replace(
            product,
            title=product.title and f"{product.title}{words}",
            variants={
                variant: replace(each, title=each.title and f"{each.title}{words}")
                for variant, each in product.variants.items()
            },
        )
        for key, product in sample.products.items()
    }
    return {key: each.fields(sample.currency) for key, each in products.items()}


def _unordered(products: Mapping[str, Any]) -> dict[str, Any]:
    for product in products.values():
        for variant in product["variants"].values():
            variant.get("options", []).sort(key=lambda each: each["name"])
    return dict(products)
