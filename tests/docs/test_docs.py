"""Health, the problems, the interface and the pages, an operation a class."""

import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from openapi.problems import all_problems
from storepost.api.http.negotiation import Representation, preferred
from storepost.api.reference.pages import LINK_PAGES
from storepost.values.problems import kinds
from tests.harness.pages import Page
from tests.harness.world import BASE_URL, Answer, World

# What Firefox and Chromium send for a page.
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def page_of(answer: Answer) -> Page:
    """The page, once it is seen to be self-contained and shut to everything else."""
    assert answer.status == 200
    assert answer.header("content-type") == "text/html; charset=utf-8"
    html = answer.body.decode()
    page = Page(html)
    assert len(page.ids) == len(set(page.ids))
    for _, attributes in page.tags:
        assert not attributes.keys() & {"src", "srcset", "style", "action"}
        assert not any(name.startswith("on") for name in attributes)
    assert {link["href"] for link in page.all("link")} <= {"data:,"}
    policy = dict(part.split(" ", 1) for part in policy_of(answer).split("; "))
    assert policy.pop("default-src") == "'none'"
    assert policy.pop("frame-ancestors") == policy.pop("form-action") == "'none'"
    assert policy.pop("base-uri") == "'none'"
    assert policy.pop("img-src") == "data:"
    assert policy.pop("style-src") == inline(html, "style")
    assert policy.pop("script-src") == (inline(html, "script") or "'none'")
    assert policy.pop("connect-src") == ("'self'" if page.all("script") else "'none'")
    assert policy == {}
    assert answer.header("x-frame-options") == "DENY"
    assert answer.header("referrer-policy") == "no-referrer"
    assert answer.header("x-content-type-options") == "nosniff"
    return page


def policy_of(answer: Answer) -> str:
    policy = answer.header("content-security-policy")
    assert policy is not None
    return policy


def inline(html: str, tag: str) -> str | None:
    """The hash of the page's one inline element, as CSP level 2 (section 4.2.5) writes it."""
    found = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    if not found:
        return None
    [text] = found
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class TestHealth:
    """GET /health."""

    def test_status_ok(self, world: World) -> None:
        answer = world.call("GET", "/health")
        assert (answer.status, answer.json) == (200, {"status": "ok"})
        assert answer.header("content-type") == "application/json"


class TestProblems:
    """GET /problems."""

    def test_lists_every_problem_of_the_service(self, world: World) -> None:
        body = world.call("GET", "/problems").json
        assert {k: body[k] for k in ("total", "page", "pageSize")} == {
            "total": len(kinds()),
            "page": 1,
            "pageSize": 25,
        }
        listed = {
            (kind["status"], kind["kind"], code["code"]): code
            for kind in body["items"]
            for code in kind["codes"]
        }
        # A kind comes before the rules that tell its own code in other words.
        known = {(p.status, p.kind, p.code): p for p in reversed([*all_problems()])}
        assert listed.keys() == known.keys()
        for name, problem in known.items():
            assert listed[name]["remedy"] == problem.remedy
            assert listed[name]["title"] == problem.title

    def test_pages(self, world: World) -> None:
        body = world.call("GET", "/problems", query={"page": 2, "pageSize": 10}).json
        assert [kind["status"] for kind in body["items"]] == [422, 429, 500, 503]
        assert body["total"] == 14

    def test_as_html(self, world: World) -> None:
        answer = world.call("GET", "/problems", headers={"accept": BROWSER})
        links = {a["href"] for a in page_of(answer).all("a")}
        assert {f"{BASE_URL}/problems/{kind.kind}" for kind in kinds()} <= links
        assert answer.header("vary") == "Accept"


class TestProblem:
    """GET /problems/{kind}."""

    def test_type_of_a_problem_is_the_url(self, world: World) -> None:
        refused = world.call("GET", "/weather").json
        path = refused["type"].removeprefix(BASE_URL)
        body = world.call("GET", path).json
        assert body["type"] == refused["type"]
        assert (body["kind"], body["status"]) == (path.rsplit("/", 1)[1], refused["status"])
        assert body["codes"][0]["code"] == body["kind"]
        assert all(
            code[part] for code in body["codes"] for part in ("title", "meaning", "remedy", "code")
        )

    @pytest.mark.parametrize("kind", [kind.kind for kind in kinds()])
    def test_as_html(self, world: World, kind: str) -> None:
        shown = page_of(world.call("GET", f"/problems/{kind}", headers={"accept": BROWSER}))
        document = world.call("GET", f"/problems/{kind}").json
        assert [i for i in shown.ids if i != "content"] == [
            code["code"] for code in document["codes"]
        ]
        links = {a["href"] for a in shown.all("a")}
        assert {f"{document['type']}/{code['code']}" for code in document["codes"]} <= links

    def test_unknown(self, world: World) -> None:
        assert world.call("GET", "/problems/weather").problem() == (404, "not_found")


class TestNegotiation:
    """Accept: JSON in doubt, HTML where it is preferred."""

    @pytest.mark.parametrize(
        ("accept", "expected"),
        [
            ("", Representation.JSON),
            ("*/*", Representation.JSON),
            ("application/json", Representation.JSON),
            ("text/html", Representation.HTML),
            (BROWSER, Representation.HTML),
            ("text/html;q=0.5, application/json", Representation.JSON),
            ("text/html;q=0", Representation.JSON),
            ("text/html;q=much", Representation.JSON),
            ("text/*", Representation.HTML),
            ("text/html, application/json", Representation.JSON),
        ],
    )
    def test_preferred_representation(self, accept: str, expected: Representation) -> None:
        assert preferred(accept) is expected


class TestOpenapi:
    """GET /openapi.json."""

    def test_document_names_the_server_url(self, world: World) -> None:
        answer = world.call("GET", "/openapi.json")
        assert (answer.status, answer.header("content-type")) == (200, "application/json")
        assert answer.json["openapi"].startswith("3.1.")
        assert answer.json["servers"] == [{"url": BASE_URL}]
        assert "/openapi.json" in answer.json["paths"]

    def test_links_are_absolute_and_alive(self, world: World) -> None:
        text = world.call("GET", "/openapi.json").body.decode()
        links = set(re.findall(r"\]\(([^)\s]+)\)", text))
        own = {link.removeprefix(BASE_URL) for link in links if link.startswith(BASE_URL)}
        assert "/docs/guides/write-backs" in own
        assert {world.call("GET", path).status for path in own} == {200}
        assert all(link.startswith("https://") for link in links)

    def test_304_if_etag_matches(self, world: World) -> None:
        etag = world.call("GET", "/openapi.json").header("etag")
        assert etag is not None
        for known in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
            again = world.call("GET", "/openapi.json", headers={"if-none-match": known})
            assert (again.status, again.body, again.header("etag")) == (304, b"", etag)
        other = world.call("GET", "/openapi.json", headers={"if-none-match": '"other"'})
        assert other.status == 200

    def test_compressed(self, world: World) -> None:
        plain = world.call("GET", "/openapi.json")
        packed = world.call("GET", "/openapi.json", headers={"accept-encoding": "gzip"})
        assert packed.header("content-encoding") == "gzip"
        assert json.loads(gzip.decompress(packed.body)) == plain.json


class TestProblemCode:
    """GET /problems/{kind}/{code}."""

    def test_each_code_has_a_url(self, world: World) -> None:
        for problem in all_problems():
            body = world.call("GET", f"/problems/{problem.kind}/{problem.code}").json
            found = (body["code"], body["kind"], body["status"])
            assert found == (problem.code, problem.kind, problem.status)
            assert body["type"] == f"{BASE_URL}/problems/{problem.kind}"

    def test_as_html(self, world: World) -> None:
        path = "/problems/conflict/stale_update"
        page = page_of(world.call("GET", path, headers={"accept": BROWSER}))
        links = {a["href"] for a in page.all("a")}
        assert {f"{BASE_URL}/problems", f"{BASE_URL}/problems/conflict"} <= links

    @pytest.mark.parametrize("path", ["weather/stale_update", "conflict/weather", "gone/conflict"])
    def test_unknown(self, world: World, path: str) -> None:
        assert world.call("GET", f"/problems/{path}").problem() == (404, "not_found")


class TestPages:
    """GET /pages/{page}."""

    @pytest.mark.parametrize("name", LINK_PAGES)
    def test_page_is_accessible(self, world: World, name: str) -> None:
        page = page_of(world.call("GET", f"/pages/{name}"))
        assert page.all("html") == [{"lang": "en"}]
        assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
            "meta"
        )
        labelled = {label["for"] for label in page.all("label")}
        fields = [field["id"] for tag in ("input", "select") for field in page.all(tag)]
        assert fields
        assert set(fields) == labelled
        referred = {
            part
            for _, attributes in page.tags
            for name_ in ("aria-describedby", "aria-labelledby", "aria-controls")
            for part in str(attributes.get(name_) or "").split()
        }
        assert referred <= set(page.ids)
        assert len(page.all("h1")) == 1

    @pytest.mark.parametrize("name", LINK_PAGES)
    def test_scripts_call_only_operations(self, world: World, name: str) -> None:
        html = world.call("GET", f"/pages/{name}").body.decode()
        called = re.findall(r'call\("(\w+)", ["`]([^"`]+)["`]', html)
        assert called
        for _, path in called:
            assert path.startswith(("auth/", "${invitation}/", "${link}"))

    def test_unknown(self, world: World) -> None:
        assert world.call("GET", "/pages/weather").problem() == (404, "not_found")
        assert world.call("GET", "/pages/../secrets").problem() == (404, "not_found")


class TestOtherPathsAndMethods:
    """What no route names."""

    @pytest.mark.parametrize("path", ["/weather", "/weather/today", "/pages"])
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_unknown_path(self, world: World, method: str, path: str) -> None:
        assert world.call(method, path).problem() == (404, "not_found")

    @pytest.mark.parametrize("path", ["/health", "/docs", "/problems/conflict", "/openapi.json"])
    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
    def test_wrong_method(self, world: World, method: str, path: str) -> None:
        answer = world.call(method, path)
        assert answer.problem() == (405, "method_not_allowed")
        assert answer.header("allow") == "GET, HEAD"
