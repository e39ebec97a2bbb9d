"""Cells that mean harm: the row is read, or skipped with a reason, and nothing else happens."""

import json
from contextlib import suppress

import pytest

from storepost.feeds.files.objects import Number
from storepost.feeds.records.amounts import FeedDefaults
from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.reading import RowReader, RowSkipped
from storepost.feeds.records.suggesting import suggested_mapping
from tests.hostile.corpus import VALUES

DEFAULTS = FeedDefaults("EUR", {"de-AT": "EUR", "ja": "JPY"})
TARGETS = [target.value for target in FeedField if target is not FeedField.IGNORE]
TEXTS = {
    **{
        name: text
        for name, value in VALUES.items()
        if "halves" not in name and "half a pair" not in name
        if isinstance(text := json.loads(value), str)
    },
    "the text 1e999999999 EUR": "1e999999999 EUR",
    "many digits and points": "1." * 500,
    "many commas": "1," * 500,
    "many digits": "9" * 100_000 + " EUR",
    "many currencies": "EUR" * 1_000,
    "spaces between digits": "1 " * 1_000 + "EUR",
    "other digits": "\u0661\u0662\u0663 EUR",
    "a sign": "\u22121,00 \u20ac",
    "no number": "NaN EUR",
    "separators and no address": "," * 200_000,
    "separators and blanks": " , ; |" * 40_000 + "x",
    "options that go on": "Name=" * 100_000,
    "options without a value": "[S]Size" * 100_000,
    "members that go on": "sku=a," + "b=" * 200_000,
    "a period that goes on": "2026-01-01/" * 50_000,
    "endings of images": "http://a/" + ".jpg?" * 100_000 + " x",
    "an array of images": "[" * 50_000,
    "an image in many arrays": f'{"[" * 2_000}"http://a/b.jpg"{"]" * 2_000}',
}
EVERYTHING = {name: name for name in TARGETS}


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_cell_is_read_or_skipped(target: str) -> None:
    reader = RowReader(EVERYTHING, DEFAULTS)
    for text in TEXTS.values():
        for cell in (text, Number(text)):
            with suppress(RowSkipped):
                entry = reader.read({"id": "a", "price": "1 EUR", target: cell})
                json.loads(entry.content.encode())
                assert entry.digest


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_column_name_is_accepted(name: str) -> None:
    assert suggested_mapping([TEXTS[name], "id", "price"]).keys() >= {"id", "price"}
