"""What the guides have their readers send is taken, and answered as they show it."""

import json
import re
from pathlib import Path

import pytest

from local.demo import shop
from local.template import ROOT
from tests.docs.guide_requests import Reader, is_shown, requests_of

GUIDES = ROOT / "docs" / "guides"
QUICK_START = GUIDES / "quick-start.md"
PAGES = sorted(page for page in GUIDES.glob("*.md") if page.name != "README.md")
WITH_REQUESTS = [page for page in PAGES if list(requests_of(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", WITH_REQUESTS, ids=lambda page: page.stem)
def test_every_request_of_a_guide_is_answered_as_it_shows(reader: Reader, page: Path) -> None:
    if page != QUICK_START:
        reader.follow(QUICK_START)
    reader.follow(page)


def test_no_store_of_a_guide_is_the_one_that_the_demo_has() -> None:
    bodies = [
        json.loads(request.body or "")
        for page in WITH_REQUESTS
        for request in requests_of(page.read_text("utf-8"))
        if request.method == "POST" and request.target.endswith("/stores")
    ]
    assert bodies
    assert shop.STORE["externalId"] not in {body["externalId"] for body in bodies}


def test_guides_have_requests() -> None:
    assert QUICK_START in WITH_REQUESTS
    assert len(WITH_REQUESTS) >= 2


def test_the_overview_lists_every_guide_once() -> None:
    listed = re.findall(r"^- \[.+?\]\((.+?)\)", (GUIDES / "README.md").read_text("utf-8"), re.M)
    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize(
    ("shown", "answered", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": "…"}, {"a": "x"}, True),
        ({"a": "…"}, {"a": None}, False),
        ({"a": "…"}, {}, False),
        ([{"a": 1}], [{"a": 1, "b": 2}], True),
        ([{"a": 1}], [{"a": 1}, {"a": 1}], False),
        ({"a": None}, {"a": None}, True),
    ],
)
def test_a_part_of_an_answer_is_compared(shown: object, answered: object, expected: bool) -> None:
    assert is_shown(shown, answered) is expected
