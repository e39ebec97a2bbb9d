"""No link of a document or of the description is dead, and each route that one names is there.

Whether somebody else's page is there is not asked, as that would make the tests depend on it: its
address has to be one. The links of the site's own pages: tests/api/reference/test_site.py.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from storepost.api.reference.documents import catalogue, interface
from storepost.api.reference.markdown import anchor_of
from tests.docs import source
from tests.harness.answers import operations

_ELSEWHERE = {"node_modules", ".venv", ".local", ".aws-sam", "dist"}
"""Folders whose documents are others', or made."""
_ROUTE = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD) (?:/v1)?(/[\w{}./-]*)")
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_LINK = re.compile(r"\]\(([^)\s]+)\)")


class Link(NamedTuple):
    """A link, and where it stands."""

    page: Path
    target: str


@cache
def documents() -> list[Path]:
    """Every Markdown file of the repository."""
    found = (path.relative_to(source.ROOT) for path in source.ROOT.rglob("*.md"))
    return sorted(path for path in found if not _ELSEWHERE & set(path.parts))


@cache
def tokens(page: Path) -> list[Token]:
    """The page's parts; those of a line are in their paragraph's."""
    parsed = MarkdownIt("commonmark").enable("table").parse((source.ROOT / page).read_text("utf-8"))
    return [each for token in parsed for each in (token, *(token.children or ()))]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The fragments of the page's headings."""
    found = tokens(page)
    headings = (b.content for a, b in pairwise(found) if is_heading(a))
    return frozenset(map(anchor_of, headings))


def is_heading(token: Token) -> bool:
    """Whether a heading begins."""
    return token.type == "heading_open"


def links() -> Iterator[Link]:
    """Every link and image, however it is written."""
    for page in documents():
        for token in tokens(page):
            target = token.attrGet("href") or token.attrGet("src")
            if target:
                yield Link(page, str(target))


def is_alive(link: Link) -> bool:
    """Whether it leads to a file of the repository, a place of it, or an address."""
    parts = urlsplit(link.target)
    if parts.scheme or parts.netloc:
        return parts.scheme == "https" and _HOST.fullmatch(parts.netloc) is not None
    there = (source.ROOT / link.page.parent / parts.path).resolve() if parts.path else None
    if there is None:
        return parts.fragment in anchors(link.page)
    if not there.is_relative_to(source.ROOT) or not there.exists():
        return False
    return not parts.fragment or parts.fragment in anchors(there.relative_to(source.ROOT))


@cache
def routes() -> set[tuple[str, str]]:
    """The method and path of each operation; a parameter is called anything."""
    return {(method, re.sub(r"{\w+}", "{}", path)) for path, method, _ in operations()}


def unknown_routes(text: str) -> set[str]:
    """The routes that a text names, and that the description doesn't have."""
    named = {(method, re.sub(r"{\w+}", "{}", path)) for method, path in _ROUTE.findall(text)}
    readable = {(method, path) for method, path in named if method != "HEAD"}
    readable |= {("GET", path) for method, path in named if method == "HEAD"}
    return {f"{method} {path}" for method, path in readable - routes()}


def test_links_of_documents_are_alive() -> None:
    found = list(links())
    assert len(found) > 150
    assert [link for link in found if not is_alive(link)] == []


@pytest.mark.parametrize(
    "target",
    [
        "nowhere.md",
        "docs/glossary.md#no-such-heading",
        "#no-such-heading",
        "../elsewhere.md",
        "http://plain.example.com",
        "https://localhost",
        "https:/one-slash.example.com",
    ],
)
def test_dead_link_is_detected(target: str) -> None:
    assert not is_alive(Link(Path("README.md"), target))


def test_each_route_named_in_a_document_exists() -> None:
    texts = {
        (page, token.content)
        for page in documents()
        if page.name != "CHANGELOG.md" and "adr" not in page.parts
        for token in tokens(page)
        if token.type == "code_inline"
    }
    assert sum(bool(_ROUTE.search(text)) for _, text in texts) > 10
    assert {(page, each) for page, text in texts for each in unknown_routes(text)} == set()
    assert unknown_routes("`GET /weather/{id}`") == {"GET /weather/{}"}


def test_links_of_the_description_are_alive() -> None:
    """As it stands in the repository its links start from the guides' folder."""
    text = json.dumps([interface(), catalogue()])
    found = {Link(Path("docs", "any.md"), target) for target in _LINK.findall(text)}
    assert len(found) > 1
    assert [link for link in found if not is_alive(link)] == []
    assert unknown_routes(text) == set()
