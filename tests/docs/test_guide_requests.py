"""What the guides have their readers send is taken, and answered as they show it."""

import json
import re
from pathlib import Path

import pytest

from local.demo import shop
from local.gateway.endpoints import CATALOGUE_PATH, WEBHOOK_PATH, WRITE_BACK_PATH
from local.template import ROOT
from tests.docs.guide_requests import Reader, is_shown, requests_of

GUIDES = ROOT / "docs" / "guides"
QUICK_START = GUIDES / "quick-start.md"
PAGES = sorted(page for page in GUIDES.glob("*.md") if page.name != "README.md")
WITH_REQUESTS = [page for page in PAGES if list(requests_of(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", WITH_REQUESTS, ids=lambda page: page.stem)
def test_every_request_of_a_guide_gets_the_shown_response(reader: Reader, page: Path) -> None:
    if page != QUICK_START:
        reader.send_requests(QUICK_START)
    reader.send_requests(page)


def test_guides_do_not_use_the_store_of_the_demo() -> None:
    bodies = [
        json.loads(request.body or "")
        for page in WITH_REQUESTS
        for request in requests_of(page.read_text("utf-8"))
        if request.method == "POST" and request.target.endswith("/stores")
    ]
    assert bodies
    assert shop.STORE["externalId"] not in {body["externalId"] for body in bodies}


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ("webhook-events", WEBHOOK_PATH),
        ("write-backs", WRITE_BACK_PATH),
        ("feeds", CATALOGUE_PATH),
    ],
)
def test_commands_of_a_guide_use_the_url_of_the_local_run(page: str, path: str) -> None:
    text = (GUIDES / f"{page}.md").read_text("utf-8")
    assert any(
        f"http://127.0.0.1:8000{path}" in (request.body or "") for request in requests_of(text)
    )


def test_guides_have_requests() -> None:
    assert QUICK_START in WITH_REQUESTS
    assert len(WITH_REQUESTS) >= 2


def test_overview_lists_every_guide_once() -> None:
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
def test_partial_response_is_compared(shown: object, answered: object, expected: bool) -> None:
    assert is_shown(shown, answered) is expected
