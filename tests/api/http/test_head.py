"""What holds for answers as such: HEAD where GET is, and what caches may keep."""

import gzip

import pytest

from storepost.values.scope import WorkspaceScope
from tests.api.http.test_order import ID, OPERATIONS, WITH_CALLER, named
from tests.harness.world import Answer, Someone, World

GETS = [each for each in OPERATIONS if each[0] == "GET"]
_OWN = {"request-id"}


def headers(answer: Answer) -> dict[str, str]:
    """Those that two answers to the same have in common."""
    return {name: value for name, value in answer.headers.items() if name not in _OWN}


class TestHead:
    """HEAD: as GET, without the body."""

    @named(GETS)
    def test_same_status_and_headers_as_get(
        self, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
        get_answer = owner.call(method, target)
        answer = owner.call("HEAD", target)
        assert answer.body == b""
        assert (answer.status, headers(answer)) == (get_answer.status, headers(get_answer))

    @pytest.mark.parametrize("path", ["/auth/sign-in", "/nowhere"])
    def test_path_without_get(self, world: World, path: str) -> None:
        answer, get_answer = world.call("HEAD", path), world.call("GET", path)
        assert answer.status == get_answer.status >= 404
        assert answer.header("allow") == get_answer.header("allow")
        assert answer.body == b""

    def test_allow_header_includes_head(self, world: World) -> None:
        assert world.call("DELETE", "/health").header("allow") == "GET, HEAD"
        assert world.call("GET", "/auth/sign-in").header("allow") == "POST"


class TestCaches:
    """No cache stores what belongs to one caller."""

    @named(WITH_CALLER)
    def test_responses_to_callers_are_no_store(
        self, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
        assert owner.call(method, target).header("cache-control") == "no-store"

    @named([each for each in OPERATIONS if each not in WITH_CALLER and each[0] != "GET"])
    def test_responses_to_anonymous_writes_are_no_store(
        self, world: World, method: str, path: str
    ) -> None:
        """The answer may have a session's token."""
        target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
        assert world.call(method, target, body=b"{}").header("cache-control") == "no-store"

    def test_invitation_preview_is_no_store(self, world: World) -> None:
        preview = world.call("GET", f"/invitations/{ID}/preview")
        assert preview.header("cache-control") == "no-store"

    def test_openapi_document_is_cacheable(self, world: World) -> None:
        assert world.call("GET", "/openapi.json").header("cache-control") != "no-store"

    @pytest.mark.parametrize("path", ["/docs", "/docs/style.css", "/openapi.json", "/problems"])
    def test_compressible_responses_vary_by_accept_encoding(self, world: World, path: str) -> None:
        """One tag names both encodings, so it is weak."""
        plain = world.call("GET", path)
        packed = world.call("GET", path, headers={"accept-encoding": "br, gzip"})
        assert (plain.status, packed.status) == (200, 200)
        assert plain.header("content-encoding") is None
        varied = [(each.header("vary") or "").split(", ") for each in (plain, packed)]
        assert varied[0] == varied[1]
        if packed.header("content-encoding") == "gzip":
            assert gzip.decompress(packed.body) == plain.body
            assert "Accept-Encoding" in varied[0]
        tags = {each.header("etag") for each in (plain, packed)}
        assert len(tags) == 1
        assert all(tag is None or tag.startswith("W/") for tag in tags)

    @pytest.mark.parametrize("refusal", ["gzip;q=0", "br, gzip; q=0.0, *;q=1", "xgzip"])
    def test_no_gzip_for_a_caller_that_refuses_it(self, world: World, refusal: str) -> None:
        answer = world.call("GET", "/openapi.json", headers={"accept-encoding": refusal})
        assert answer.header("content-encoding") is None
        assert answer.json["openapi"]

    def test_response_to_a_caller_is_not_compressed(
        self, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        answer = owner.call("GET", "/me", headers={"accept-encoding": "gzip"})
        assert (answer.status, answer.header("content-encoding")) == (200, None)
        assert answer.json["user"]["name"] == owner.name
