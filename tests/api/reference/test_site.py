"""The documentation as a site: every page, its links, and what programs read of it."""

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from functions.api.site import handler
from storepost.api.reference.documents import catalogue, interface
from storepost.api.reference.site.described import MAX_EXAMPLE_LINES
from storepost.api.reference.site.library import Library
from storepost.api.reference.site.serving import Site
from tests.api.reference.site_pages import BASE_URL, BROWSER, get, header, page
from tests.harness.answers import operations
from tests.harness.pages import Page

ROOT = f"{BASE_URL}/docs/"
MAX_PACKED_BYTES = 300_000
"""What whoever has no scripts loads at most, for all of the reference together."""

LIBRARY: Library = handler.site.library
PATHS = [entry.path for entry in LIBRARY.everything()]


@pytest.fixture(autouse=True)
def _plain_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pages without third-party scripts, even if this machine has them."""
    (tmp_path / "docs").symlink_to(Path(handler.__file__).parent / "docs")
    monkeypatch.setattr(handler, "site", Site(tmp_path))


@cache
def address(path: str) -> str:
    return (ROOT + ("" if path == "index" else path)).rstrip("/")


@cache
def ids_at(path: str) -> frozenset[str]:
    """The ids of a page of the site, or of a page of problems."""
    answer = get(urlsplit(path).path, accept=BROWSER)
    return frozenset(Page(answer.body.decode()).ids) if answer.status == 200 else frozenset()


class TestStart:
    """`/`, `/v1` and `/llms.txt`."""

    @pytest.mark.parametrize("path", ["/", "/v1", "/v1/"])
    def test_programs_get_links_as_json(self, path: str) -> None:
        answer = get(path)
        assert (answer.status, header(answer, "content-type")) == (200, "application/json")
        links = json.loads(answer.body)
        assert links.pop("name") == "Storepost"
        assert links.pop("summary") == interface()["info"]["summary"]
        assert links.pop("baseUrl") == BASE_URL
        assert set(links) == {"docs", "openapi", "problems", "health", "llms"}
        assert {get(urlsplit(link).path).status for link in links.values()} == {200}

    @pytest.mark.parametrize("path", ["/", "/v1"])
    def test_browsers_are_redirected_to_the_documentation(self, path: str) -> None:
        answer = get(path, accept=BROWSER)
        assert (answer.status, header(answer, "location")) == (302, f"{BASE_URL}/docs")
        assert header(answer, "vary") == "Accept"

    def test_llms_txt_is_redirected(self) -> None:
        answer = get("/llms.txt")
        assert (answer.status, header(answer, "location")) == (302, f"{ROOT}llms.txt")


class TestPages:
    """Every page as HTML and as Markdown."""

    @pytest.mark.parametrize("path", PATHS)
    def test_can_be_read_without_scripts(self, path: str) -> None:
        found = page("" if path == "index" else path)
        assert len(found.all("h1")) == 1
        assert len(found.ids) == len(set(found.ids))
        assert not found.all("details")
        assert [a.get("src") for a in found.all("script")] == [None]
        assert f"{ROOT}{path}.md" in found.links

    @pytest.mark.parametrize("path", PATHS)
    def test_is_markdown_with_suffix_md(self, path: str) -> None:
        answer = get(f"/v1/docs/{path}.md")
        assert (answer.status, header(answer, "content-type")) == (
            200,
            "text/markdown; charset=utf-8",
        )
        assert answer.body.startswith(b"# ")

    def test_security_headers(self) -> None:
        answer = get("/v1/docs/guides/connect-your-shop")
        policy = header(answer, "content-security-policy") or ""
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "style-src 'self'" in policy
        assert "unsafe" not in policy
        assert header(answer, "x-content-type-options") == "nosniff"

    def test_stylesheet_is_served_by_the_service(self) -> None:
        [style] = [a for a in page("semantics").all("link") if a["rel"] == "stylesheet"]
        assert style["href"] == f"{ROOT}style.css"
        answer = get("/v1/docs/style.css")
        assert header(answer, "content-type") == "text/css; charset=utf-8"
        assert b".menu" in answer.body

    @pytest.mark.parametrize("path", PATHS)
    def test_title_names_the_page_and_storepost_once(self, path: str) -> None:
        html = get(urlsplit(address(path)).path, accept=BROWSER).body.decode()
        title = re.search("<title>(.*)</title>", html)
        assert title is not None
        name, brand = title[1].rsplit(" · ", 1)
        assert brand == "Storepost"
        assert name not in {"", brand}

    def test_304_if_etag_matches(self) -> None:
        for path in (
            *("/v1/docs", "/v1/docs/semantics", "/v1/docs/semantics.md", "/v1/docs/search.json"),
            "/v1/pages/invitation",
        ):
            etag = header(get(path), "etag")
            assert etag is not None
            again = get(path, if_none_match=etag)
            assert (again.status, again.body) == (304, b"")

    @pytest.mark.parametrize(
        "path",
        ["weather", "guides/weather", "guides/weather.md", "..%2Fsecrets", "a/b/c", "x.json"],
    )
    def test_unknown(self, path: str) -> None:
        assert get(f"/v1/docs/{path}").status == 404

    def test_every_link_is_alive(self) -> None:
        """Each link to the site leads to a page, and to a place that the page has."""
        dead = {(path, link) for path in PATHS for link in _links(path) if not _is_alive(link)}
        assert dead == set()

    @pytest.mark.parametrize("kind", catalogue(), ids=lambda kind: kind["kind"])
    def test_every_link_of_a_problem_page_is_alive(self, kind: dict[str, Any]) -> None:
        names = [kind["kind"], *(f"{kind['kind']}/{code['code']}" for code in kind["codes"])]
        for name in names:
            at = f"{BASE_URL}/problems/{name}"
            found = Page(get(urlsplit(at).path, accept=BROWSER).body.decode())
            assert found.links
            assert [link for link in found.links if not _is_alive(urljoin(at, link))] == []

    def test_html_in_a_text_is_escaped(self) -> None:
        assert b"Bearer &lt;token&gt;" in get("/v1/docs/reference").body


def _links(path: str) -> Iterator[str]:
    for link in page("" if path == "index" else path).links:
        yield urljoin(address(path), link)


@cache
def _is_alive(link: str) -> bool:
    if not link.startswith(BASE_URL):
        return link.startswith(("https://", "http://127.0.0.1"))
    target, _, anchor = link.partition("#")
    path = urlsplit(target).path
    if anchor:
        return unquote(anchor) in ids_at(path)
    return get(path, accept=BROWSER).status == 200


class TestReference:
    """The pages that are made from the description."""

    def test_every_operation_has_the_anchor_of_its_deep_link(self) -> None:
        for path, method, operation in operations():
            found = ids_at(f"/v1/docs/reference/{operation['tags'][0]}")
            assert operation["operationId"] in found, (method, path)
            assert operation["operationId"] in ids_at("/v1/docs/reference")

    def test_has_every_shape(self) -> None:
        assert interface()["components"]["schemas"].keys() <= ids_at("/v1/docs/shapes")

    def test_navigation_lists_all_groups_by_task(self) -> None:
        parts = [name for name, _ in LIBRARY.reference]
        assert parts == [
            "Start", "People", "Stores", "Catalog", "Coupons", "Consent", "Proposals",
            "Webhooks", "Account",
        ]  # fmt: skip
        found = page("guides/connect-your-shop")
        entries = [address(e.path) for _, part in LIBRARY.reference for e in part]
        assert [link for link in found.links if link in set(entries)] == entries
        assert len(entries) == len(set(entries)) == len(interface()["tags"])

    def test_problem_code_in_a_guide_is_linked(self) -> None:
        found = page("guides/connect-your-shop")
        assert f"{BASE_URL}/problems/conflict/stale_update" in found.links

    def test_size_without_scripts_is_limited(self) -> None:
        paths = [
            p
            for p in PATHS
            if p.startswith(("reference", "shapes", "write-backs", "webhook-events"))
        ]
        assert len(paths) > len(interface()["tags"])
        sizes = {p: len(get(f"/v1/docs/{p}", accept_encoding="gzip").body) for p in paths}
        assert sum(sizes.values()) <= MAX_PACKED_BYTES, sizes

    @pytest.mark.parametrize("path", ["reference/proposals", "reference/webhook_endpoints"])
    def test_long_example_is_truncated_with_a_link_to_the_whole(self, path: str) -> None:
        text = get(f"/v1/docs/{path}.md").body.decode()
        blocks = [each.partition("```")[0].splitlines() for each in text.split("```json\n")[1:]]
        assert max(map(len, blocks)) == MAX_EXAMPLE_LINES
        assert "more lines, which `openapi.get` answers." in text
        assert f"{ROOT}reference/docs#openapi.get" in page(path).links

    def test_kinds_of_a_union_are_listed_right_after_it(self) -> None:
        ids = page("shapes").ids
        place = ids.index("SegmentCondition")
        assert ids[place + 1 : place + 4] == [
            "SegmentAllCondition",
            "SegmentAnyCondition",
            "SegmentNotCondition",
        ]


class TestForPrograms:
    """Lists of all pages, and the index of the search."""

    def test_llms_txt_lists_every_page_as_markdown(self) -> None:
        answer = get("/v1/docs/llms.txt")
        assert header(answer, "content-type") == "text/plain; charset=utf-8"
        text = answer.body.decode()
        assert text.startswith("# Storepost\n\n> ")
        listed = [
            line.rpartition("](")[2].rstrip(")") for line in text.splitlines() if "](" in line
        ]
        assert listed == [f"{ROOT}{path}.md" for path in PATHS]

    def test_sitemap_lists_every_page(self) -> None:
        listed = get("/v1/docs/sitemap.txt").body.decode().splitlines()
        assert listed == [address(path) for path in PATHS]

    def test_search_index_has_each_operation_shape_guide_and_code(self) -> None:
        entries = json.loads(get("/v1/docs/search.json").body)
        found = {entry["address"] for entry in entries}
        for _, _, operation in operations():
            assert f"reference/{operation['tags'][0]}#{operation['operationId']}" in found
        assert {f"shapes#{name}" for name in interface()["components"]["schemas"]} <= found
        assert {
            f"../problems/{kind['kind']}/{code['code']}"
            for kind in catalogue()
            for code in kind["codes"]
        } <= found
        assert {guide.path for guide in LIBRARY.guides} <= {
            each.partition("#")[0] for each in found
        }
        assert all(_is_alive(urljoin(ROOT, each)) for each in found)


QUESTIONS = {
    "Is tax in total?": "guides/quick-start#is-tax-in-total",
    "What happens to a customer whose email changes?": (
        "guides/people#what-happens-to-a-customer-whose-email-changes"
    ),
    "How do I know that a write-back is genuine?": (
        "guides/write-backs#how-do-i-know-that-a-write-back-is-genuine"
    ),
    "How often is a feed fetched?": "guides/feeds#how-often-is-a-feed-fetched",
    "What does stale_update mean?": "guides/retries#what-does-stale_update-mean",
    "May I send the same batch twice?": "guides/imports#may-i-send-the-same-batch-twice",
    "How long does an import take?": "guides/shopify#how-long-does-an-import-take",
    "What happens when the app is removed?": "guides/shopify#what-happens-when-the-app-is-removed",
    "How do I page through a million orders?": (
        "guides/lists#how-do-i-page-through-a-million-orders"
    ),
    "What does a propose key do?": "guides/proposals#what-does-a-propose-key-do",
    "How do I erase somebody?": "guides/erasure#how-do-i-erase-somebody",
    "What is one person?": "guides/people#what-is-one-person",
    "What do I do about a bounced email?": (
        "guides/deliverability#what-do-i-do-about-a-bounced-email"
    ),
}
"""What integrators ask, and the heading that answers: a search counts words of a title most."""


class TestQuestions:
    """Questions of a reader who has nothing but the documentation."""

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_question_is_the_title_of_an_answer(self, question: str) -> None:
        entries = json.loads(get("/v1/docs/search.json").body)
        [found] = [entry for entry in entries if entry["address"] == QUESTIONS[question]]
        assert found["title"] == question
        assert len(found["text"]) > 100

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_answer_is_two_clicks_from_the_start_page(self, question: str) -> None:
        guide, _, anchor = QUESTIONS[question].partition("#")
        assert address(guide) in page("").links
        assert anchor in page(guide).ids

    @pytest.mark.parametrize("word", ["gdpr", "bounced", "double opt-in", "unsubscribe"])
    def test_industry_terms_are_found_in_guides(self, word: str) -> None:
        entries = json.loads(get("/v1/docs/search.json").body)
        guides = [entry for entry in entries if entry["address"].startswith("guides/")]
        assert any(word in f"{entry['title']} {entry['text']}".lower() for entry in guides)


class TestAssets:
    """Third-party scripts, where they were installed."""

    @pytest.fixture(autouse=True)
    def _assets(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "assets").mkdir()
        for name in ("scalar-9.9.9.js.gz", "minisearch-1.0.0.js.gz"):
            (tmp_path / "assets" / name).write_bytes(gzip.compress(f"/*{name}*/".encode()))
        monkeypatch.setattr(handler, "site", Site(tmp_path))

    def test_reference_has_the_interactive_script_and_readable_text(self) -> None:
        found = page("reference")
        assert [s.get("src") for s in found.all("script")] == [
            f"{ROOT}assets/scalar-9.9.9.js",
            None,
        ]
        ids = {operation["operationId"] for _, _, operation in operations()}
        assert ids <= set(found.ids)
        policy = header(get("/v1/docs/reference"), "content-security-policy") or ""
        parts = dict(part.split(" ", 1) for part in policy.split("; "))
        assert parts["connect-src"] == "'self'"
        assert parts["script-src"].startswith("'self' 'sha256-")
        assert "unsafe" not in parts["script-src"]

    def test_other_pages_have_a_search(self) -> None:
        found = page("guides/connect-your-shop")
        assert {"src": f"{ROOT}assets/minisearch-1.0.0.js"} in found.all("script")
        [form] = found.all("form")
        assert form["data-index"] == f"{ROOT}search.json"

    def test_assets_are_compressed_and_immutable(self) -> None:
        packed = get("/v1/docs/assets/scalar-9.9.9.js", accept_encoding="br, gzip")
        assert header(packed, "content-encoding") == "gzip"
        assert gzip.decompress(packed.body) == b"/*scalar-9.9.9.js.gz*/"
        assert header(packed, "cache-control") == "public, max-age=31536000, immutable"
        plain = get("/v1/docs/assets/scalar-9.9.9.js")
        assert (header(plain, "content-encoding"), plain.body) == (None, b"/*scalar-9.9.9.js.gz*/")

    @pytest.mark.parametrize("name", ["scalar-9.9.8.js", "scalar-9.9.9.js.gz", "..%2Fhandler.py"])
    def test_unknown(self, name: str) -> None:
        assert get(f"/v1/docs/assets/{name}").status == 404
