"""What holds for every operation's request, before its own rules (docs/interface.md, section 2)."""

import json
import re

import pytest

from local import gateway
from storepost.api.http.answers import as_json
from storepost.api.http.app import BODY_BYTES
from storepost.api.reference.documents import interface
from tests.harness.world import BASE_URL, CANARY, Someone, World

FORM = "application/x-www-form-urlencoded"

pytestmark = pytest.mark.usefixtures("workspace")


def sized(size: int) -> bytes:
    """A locale as JSON of so many bytes."""
    start = b'{"code":"de"}'
    return start + b" " * (size - len(start))


class TestJson:
    """400: a body that can't be read."""

    @pytest.mark.parametrize(
        "body",
        [
            b"{",
            b"   ",
            b'{"code":"de",}',
            b"{'code':'de'}",
            b'{"code":"de"} {}',
            b"\xff\xfe",
            b'{"code":"\xff"}',
            b'{"code":NaN}',
            b'{"code":-Infinity}',
            b'{"code":' + b"1" * 5000 + b"}",
            b"[" * 100_000,
            b'{"code":' * 100_000,
        ],
        ids=lambda body: f"{body[:12]!r}",
    )
    def test_malformed_json(self, world: World, owner: Someone, body: bytes) -> None:
        before = len(world.rows())
        answer = owner.call("POST", "/locales", body=body, key="k")
        assert answer.problem() == (400, "malformed_request")
        assert "errors" not in answer.json
        assert len(world.rows()) == before

    @pytest.mark.parametrize("body", [b"[]", b"null", b'"de"', b"7", b"true"])
    def test_json_that_is_not_an_object(self, owner: Someone, body: bytes) -> None:
        assert owner.call("POST", "/locales", body=body).error_paths() == [""]

    @pytest.mark.parametrize(
        ("body", "path"), [(b'{"code":"\\ud800"}', "/code"), (b'{"code":"de","\\udfff":1}', "")]
    )
    def test_lone_surrogate_is_refused(self, owner: Someone, body: bytes, path: str) -> None:
        """JSON can escape it; UTF-8, in which the service stores and answers, can't encode it."""
        assert owner.call("POST", "/locales", body=body, key="k").error_paths() == [path]

    def test_lone_surrogate_in_response_is_escaped(self) -> None:
        text = as_json({"said": "\ud800 é"})
        assert json.loads(text.encode()) == {"said": "\ud800 é"}

    def test_missing_body(self, owner: Someone) -> None:
        answer = owner.call("POST", "/locales")
        assert answer.json["errors"] == [
            {"path": "", "message": "Required: the request has no body"}
        ]

    @pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"a=b"])
    def test_unexpected_body_is_ignored(self, owner: Someone, body: bytes) -> None:
        for key in (None, "k"):
            answer = owner.call(
                "POST",
                "/sessions/sign-out-others",
                body=body,
                headers={"content-type": FORM},
                key=key,
            )
            assert (answer.status, answer.body) == (204, b"")


class TestSize:
    """413: more than 1 MB."""

    def test_1_mb_is_accepted(self, owner: Someone) -> None:
        answer = owner.call("POST", "/locales", body=sized(BODY_BYTES))
        assert (answer.status, answer.json["code"]) == (201, "de")

    @pytest.mark.parametrize("path", ["/locales", "/sessions/sign-out-others"])
    def test_more_than_1_mb_is_refused(self, world: World, owner: Someone, path: str) -> None:
        before = len(world.rows())
        answer = owner.call("POST", path, body=sized(BODY_BYTES + 1))
        assert answer.problem() == (413, "payload_too_large")
        assert "1 MB" in answer.json["detail"]
        assert len(world.rows()) == before

    @pytest.mark.parametrize(
        ("size", "expected"),
        [
            (BODY_BYTES - 1, (400, "malformed_request")),
            (BODY_BYTES, (400, "malformed_request")),
            (BODY_BYTES + 1, (413, "payload_too_large")),
        ],
    )
    def test_size_is_measured_before_base64_encoding(
        self, owner: Someone, size: int, expected: tuple[int, str]
    ) -> None:
        """A body that is no text reaches the function in base64, a third longer."""
        assert owner.call("POST", "/locales", body=b"\xff" * size).problem() == expected

    def test_size_is_measured_in_bytes(self, owner: Someone) -> None:
        body = '{"code":"de","label":"' + "ä" * (BODY_BYTES // 2) + '"}'
        answer = owner.call("POST", "/locales", body=body.encode())
        assert answer.problem() == (413, "payload_too_large")


class TestContentType:
    """415: a body in another form."""

    @pytest.mark.parametrize(
        "sent", [FORM, "text/plain", "multipart/form-data; boundary=x", "", "application/jsonx"]
    )
    def test_other_content_type_is_refused(self, owner: Someone, sent: str) -> None:
        answer = owner.call(
            "POST", "/locales", body=b'{"code":"de"}', headers={"content-type": sent}
        )
        assert answer.problem() == (415, "unsupported_media_type")

    @pytest.mark.parametrize(
        "sent",
        ["application/json", "application/json; charset=utf-8", " Application/JSON ;charset=UTF-8"],
    )
    def test_variants_of_json_content_type_are_accepted(self, owner: Someone, sent: str) -> None:
        answer = owner.call(
            "POST", "/locales", body=b'{"code":"de"}', headers={"Content-Type": sent}
        )
        assert (answer.status, answer.json["code"]) == (201, "de")


class TestAccept:
    """The answer is JSON, whatever the client would prefer."""

    @pytest.mark.parametrize("accept", ["application/xml", "text/html", "text/csv", "*/*;q=0", "x"])
    def test_accept_header_is_ignored(self, owner: Someone, accept: str) -> None:
        answer = owner.call("GET", "/me", headers={"accept": accept})
        assert (answer.status, answer.header("content-type")) == (200, "application/json")


class TestPaths:
    """404 and 405: no such path, no such method."""

    @pytest.mark.parametrize(
        "path", ["/nowhere", "/locales/", "/me/nowhere", "/Locales", "/stores/x/customers/a/b"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_unknown_path(self, world: World, owner: Someone, method: str, path: str) -> None:
        for token in (owner.token, None):
            answer = world.call(method, path, token=token)
            assert answer.problem() == (404, "not_found")
            assert answer.json["detail"].startswith("No operation has this path.")

    @pytest.mark.parametrize("path", sorted(interface()["paths"]))
    def test_wrong_method(self, world: World, path: str) -> None:
        """`/members/leave` also matches `/members/{id}`, so `Allow` has its methods too."""
        methods = {
            method.upper()
            for other, operations in interface()["paths"].items()
            if re.fullmatch(re.sub(r"{\w+}", r"[^/]+", other), path)
            for method in operations
        }
        for wrong in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            answer = world.call(wrong, path.replace("{", "").replace("}", ""))
            assert answer.problem() == (405, "method_not_allowed")
            head = {"HEAD"} if "GET" in methods else set()
            assert answer.header("allow") == ", ".join(sorted({*methods, *head}))

    def test_path_is_not_logged(self, world: World, caplog: pytest.LogCaptureFixture) -> None:
        world.call("GET", f"/profiles/ann.{CANARY}@example.com/nowhere")
        world.call("PUT", f"/profiles/ann.{CANARY}@example.com")
        world.call("GET", "/locales")
        logged = [vars(record) for record in caplog.records if record.message == "request"]
        assert [(record["operation"], record["status"]) for record in logged] == [
            (None, 404),
            (None, 405),
            ("locales.list", 401),
        ]


class TestResponses:
    """What all answers have in common."""

    def test_204_is_empty(self, owner: Someone) -> None:
        answer = owner.call("POST", "/sessions/sign-out-others")
        assert (answer.status, answer.body) == (204, b"")
        assert answer.header("content-type") is None

    def test_problem_document(self, world: World) -> None:
        answer = world.call("GET", "/me")
        assert answer.problem() == (401, "unauthenticated")
        assert set(answer.json) == {"type", "title", "status", "detail", "code"}
        assert answer.json["type"] == f"{BASE_URL}/problems/unauthenticated"
        assert answer.header("www-authenticate") == "Bearer"

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", "/me", 200),
            ("HEAD", "/me", 200),
            ("POST", "/sessions/sign-out-others", 204),
            ("GET", "/nowhere", 404),
            ("DELETE", "/me", 405),
            ("GET", "/docs", 200),
        ],
    )
    def test_browsers_use_tls_and_trust_the_content_type(
        self, owner: Someone, method: str, path: str, status: int
    ) -> None:
        answer = owner.call(method, path)
        assert answer.status == status
        assert answer.header("strict-transport-security") == "max-age=31536000"
        assert answer.header("x-content-type-options") == "nosniff"

    def test_header_names_are_case_insensitive(self, world: World, owner: Someone) -> None:
        event = gateway.http_event(
            "POST", "/v1/locales", headers={"AUTHORIZATION": f"bearer {owner.token}"}, body=b"{}"
        )
        event["headers"] = {name.title(): value for name, value in event["headers"].items()}
        event["headers"] |= {"Content-Type": "application/json", "Idempotency-Key": "k" * 256}
        event["body"] = json.dumps({"code": "de"})
        answer = gateway.handle(event)
        assert answer.status == 422
        assert [e["path"] for e in json.loads(answer.body)["errors"]] == ["header.idempotency-key"]
