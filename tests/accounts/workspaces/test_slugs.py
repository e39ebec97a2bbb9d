"""The slug that a name asks for: ASCII words of the folded name, joined by hyphens."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.accounts.workspaces.model import SLUG_LENGTH, slug_of


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Olive's Shop", "olives-shop"),
        ("  ÉMILE & Zoë!  ", "emile-zoe"),
        ("Straße 7", "strasse-7"),
        ("Łódź", "lodz"),
        ("a_b--c", "a-b-c"),
        ("東京 Shop", "shop"),
        ("東京", "workspace"),
        ("!!!", "workspace"),
    ],
)
def test_slug_is_folded_to_ascii_words(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_slug_is_truncated_to_maximum_length() -> None:
    assert slug_of("a" * 100) == "a" * SLUG_LENGTH
    assert slug_of("a" * (SLUG_LENGTH - 1) + " b") == "a" * (SLUG_LENGTH - 1)


@given(st.text(max_size=100))
def test_slug_is_always_valid_in_a_url(name: str) -> None:
    slug = slug_of(name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= SLUG_LENGTH
    assert slug_of(slug) == slug
