"""Makers' formats as their documentation shows them, with the suggested mapping unchanged."""

from collections import Counter
from pathlib import Path

import pytest

from tests.feeds.feeds.careful_comparisons import COMPARISONS
from tests.feeds.feeds.careful_feeds import FEEDS
from tests.feeds.feeds.careful_offers import OFFERS
from tests.feeds.feeds.careful_shops import SHOPS
from tests.feeds.feeds.suggested_mapping import imported

SAMPLES = {**SHOPS, **FEEDS, **COMPARISONS, **OFFERS}
PLACE = Path(__file__).parents[1] / "files" / "samples"


def content_of(name: str) -> bytes:
    """A sample's file."""
    return (PLACE / name).read_bytes()


def test_every_sample_file_has_expected_products() -> None:
    assert {path.name for path in PLACE.iterdir()} == set(SAMPLES)


def test_at_least_twelve_makers_with_two_samples_each() -> None:
    makers = Counter(name.partition("_")[0] for name in SAMPLES)
    assert len(makers) >= 12
    assert {maker for maker, samples in makers.items() if samples < 2} == set()


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_gives_expected_products(name: str) -> None:
    sample = SAMPLES[name]
    found = imported(content_of(name), sample.currency)
    assert found.products == {
        external_id: product.fields(sample.currency)
        for external_id, product in sample.products.items()
    }
    assert found.listed == sample.listed
    assert found.counts.skipped == 0
    assert found.counts.rows == found.counts.imported


def test_image_src_in_shopify_variant_row_belongs_to_product() -> None:
    """Where `Variant Image` has the variants' own, and even where none has one."""
    found = imported(
        b"Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,"
        b"Image Src,Variant Image\n"
        b"pot,Pot,Size,Small,P-S,5.00,https://s.example/1.jpg,\n"
        b"pot,,,Large,P-L,7.00,https://s.example/2.jpg,\n",
        "USD",
    )
    pot = found.products["pot"]
    assert pot["image"] == {"url": "https://s.example/1.jpg", "alt": None}
    assert pot["further"] == ["https://s.example/2.jpg"]
    assert ["image" in each for each in pot["variants"].values()] == [False, False]
