"""The HTTP front, over real sockets."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from local import functions, gateway
from local.gateway import Answer, front
from local.gateway.cors import Cors, cors_of_template
from storepost.accounts.identity.model import KeyScope
from tests.harness.world import World
from tests.local.conftest import Client, soon

LAMBDA_BYTES = 6_291_456
"""What Lambda takes and gives in one synchronous call: 6 MB (its quotas)."""

OTHER_SITE = {"origin": "https://a.example", "sec-fetch-site": "cross-site"}
"""What a browser states of a request by another site's page."""


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The events that reach the gateway, each answered with a body and headers of its own."""
    events: list[dict[str, Any]] = []

    def note(event: dict[str, Any]) -> Answer:
        events.append(event)
        return Answer(
            200, {"content-type": "text/x-own", "Access-Control-Allow-Origin": "own"}, b"body"
        )

    monkeypatch.setattr(front, "serve", note)
    return events


def raw_exchange(client: Client, request: bytes) -> bytes:
    """Sends bytes to the socket; all bytes of the answer."""
    host, port = client.host.split(":")
    with socket.create_connection((host, int(port)), timeout=15) as connection:
        connection.sendall(request)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received


class TestEvents:
    def test_request_becomes_an_api_gateway_v2_event(
        self, client: Client, seen: list[dict[str, Any]]
    ) -> None:
        raw_exchange(
            client,
            b"POST /v1/a%20b/%C3%A9?tag=1&q=a%2Cb&tag=2&empty= HTTP/1.1\r\n"
            + f"Host: {client.host}\r\n".encode()
            + b"X-Many: one\r\nx-many: two\r\nUser-Agent: ours\r\nX-Forwarded-Proto: https\r\n"
            b'Content-Type: application/json\r\nContent-Length: 8\r\n\r\n{"a": 1}',
        )
        (event,) = seen
        assert event["version"] == "2.0"
        assert event["rawPath"] == "/v1/a b/é"
        assert event["rawQueryString"] == "tag=1&q=a%2Cb&tag=2&empty="
        assert event["queryStringParameters"] == {"tag": "1,2", "q": "a,b", "empty": ""}
        assert event["body"] == '{"a": 1}'
        assert event["isBase64Encoded"] is False
        assert event["headers"] == {
            "host": client.host,
            "x-many": "one,two",
            "user-agent": "ours",
            "content-type": "application/json",
            "content-length": "8",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": client.host.split(":")[1],
            "x-forwarded-proto": "http",
        }
        context = event["requestContext"]
        assert context["domainName"] == client.host
        assert context["http"] == {
            "method": "POST",
            "path": "/v1/a b/é",
            "protocol": "HTTP/1.1",
            "sourceIp": "127.0.0.1",
            "userAgent": "ours",
        }

    def test_binary_body_is_base64(self, client: Client, seen: list[dict[str, Any]]) -> None:
        client.call("POST", "/v1/x", body=b"\xff\x00\xfe")
        assert seen[0]["isBase64Encoded"] is True
        assert seen[0]["body"] == "/wD+"

    def test_chunked_body_is_complete(self, client: Client, seen: list[dict[str, Any]]) -> None:
        client.call("POST", "/v1/x", body=iter([b"one ", b"two ", b"three"]))
        assert seen[0]["body"] == "one two three"

    def test_absent_query_and_body_are_omitted(
        self, client: Client, seen: list[dict[str, Any]]
    ) -> None:
        client.call("GET", "/v1/x")
        assert "queryStringParameters" not in seen[0]
        assert "body" not in seen[0]

    def test_head_response_has_no_body(self, client: Client, seen: list[dict[str, Any]]) -> None:
        received = raw_exchange(
            client, f"HEAD /v1/x HTTP/1.1\r\nHost: {client.host}\r\n\r\n".encode()
        )
        head, _, rest = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"content-length: 4" in head.lower()
        assert rest == b""
        assert seen[0]["requestContext"]["http"]["method"] == "HEAD"


class TestCors:
    CORS = Cors(("https://a.example",), ("GET", "POST"), ("authorization",), ("retry-after",), 60)

    def test_preflight_allows_any_origin_by_the_template(
        self, client: Client, seen: list[dict[str, Any]]
    ) -> None:
        answer = client.call(
            "OPTIONS",
            "/v1/members",
            headers={"origin": "https://a.example", "access-control-request-method": "PATCH"},
        )
        assert (answer.status, answer.body) == (204, b"")
        assert answer.header("content-length") is None
        assert answer.header("access-control-allow-origin") == "*"
        assert answer.header("access-control-allow-methods") == "GET,HEAD,POST,PUT,PATCH,DELETE"
        allowed = answer.header("access-control-allow-headers")
        assert allowed == ("authorization,content-type,idempotency-key,if-match,if-none-match")
        assert answer.header("access-control-max-age") == "600"
        assert seen == []

    def test_gateway_cors_headers_replace_those_of_the_function(
        self, client: Client, seen: list[dict[str, Any]]
    ) -> None:
        answer = client.call("GET", "/v1/x", headers={"origin": "https://a.example"})
        assert answer.header("access-control-allow-origin") == "*"
        exposed = answer.header("access-control-expose-headers")
        assert exposed == (
            "deprecation,etag,idempotency-replayed,location,ratelimit,ratelimit-policy,request-id,"
            "retry-after,sunset"
        )
        assert answer.header("content-type") == "text/x-own"
        assert client.call("GET", "/v1/x").header("access-control-allow-origin") is None
        assert len(seen) == 2

    def test_options_without_preflight_reaches_the_function(
        self, client: Client, seen: list[dict[str, Any]]
    ) -> None:
        assert client.call("OPTIONS", "/v1/x").body == b"body"
        assert len(seen) == 1

    @pytest.mark.parametrize(
        ("method", "headers"),
        [
            ("OPTIONS", {"access-control-request-method": "POST", **OTHER_SITE}),
            ("POST", {"authorization": "Bearer x", **OTHER_SITE}),
            ("GET", {"authorization": "Bearer x", **OTHER_SITE, "origin": "null"}),
            ("GET", {"authorization": "Bearer x", "host": "a.example"}),
        ],
    )
    def test_page_of_another_site_reaches_no_operation(
        self, client: Client, seen: list[dict[str, Any]], method: str, headers: dict[str, str]
    ) -> None:
        """The demo's tokens keep it from nothing, as they are the same in each run."""
        answer = client.call(method, "/v1/feeds/preview", headers=headers)
        assert (answer.status, set(answer.json)) == (403, {"message"})
        assert answer.header("access-control-allow-origin") is None
        assert seen == []

    def test_allowed_origin_gets_cors_headers(self) -> None:
        asks = {"origin": "https://a.example", "access-control-request-method": "GET"}
        assert self.CORS.preflight("OPTIONS", asks) == Answer(
            204,
            {
                "access-control-allow-origin": "https://a.example",
                "access-control-allow-methods": "GET,POST",
                "access-control-allow-headers": "authorization",
                "access-control-max-age": "60",
            },
            b"",
        )
        answer = Answer(200, {}, b"")
        assert self.CORS.with_cors("https://a.example", answer).headers == {
            "access-control-allow-origin": "https://a.example",
            "access-control-expose-headers": "retry-after",
        }

    def test_disallowed_origin_gets_no_cors_headers(self) -> None:
        asks = {"origin": "https://b.example", "access-control-request-method": "GET"}
        assert self.CORS.preflight("OPTIONS", asks) == Answer(204, {}, b"")
        assert self.CORS.with_cors("https://b.example", Answer(200, {}, b"")).headers == {}
        assert self.CORS.preflight("GET", asks) is None

    def test_template_allows_all_origins(self) -> None:
        assert cors_of_template().origins == ("*",)


class TestLimits:
    def is_gateway_answer(self, answer: Any, status: int, message: str) -> None:
        assert answer.status == status
        assert answer.json == {"message": message}
        assert answer.header("content-type") == "application/json"

    def test_body_over_6_mb_is_the_gateways_413(self, client: Client) -> None:
        answer = client.call(
            "POST",
            "/v1/workspaces",
            body=b" " * (LAMBDA_BYTES + 1),
            headers={"origin": "https://a.example"},
        )
        self.is_gateway_answer(answer, 413, "Request Entity Too Large")
        assert answer.header("access-control-allow-origin") == "*"

    def test_chunked_body_over_6_mb_is_the_gateways_413(self, client: Client) -> None:
        def pieces() -> Iterator[bytes]:
            for _ in range(100):
                yield b" " * 65536

        answer = client.call("POST", "/v1/workspaces", body=pieces())
        self.is_gateway_answer(answer, 413, "Request Entity Too Large")

    def test_limit_applies_to_the_serialized_event(self, client: Client) -> None:
        # Each quotation mark is two characters in the event, so this is over 6 MB there.
        answer = client.call("POST", "/v1/workspaces", body=b'"' * (LAMBDA_BYTES // 2 + 1))
        self.is_gateway_answer(answer, 413, "Request Entity Too Large")

    def test_body_below_6_mb_gets_the_functions_413(self, client: Client, world: World) -> None:
        someone = world.person()
        answer = client.call(
            "POST",
            "/v1/workspaces",
            token=someone.token,
            body=b" " * 2_000_000,
            headers={"content-type": "application/json"},
        )
        assert answer.status == 413
        assert answer.header("content-type") == "application/problem+json"
        assert answer.json["code"] == "payload_too_large"

    def test_failing_function_is_the_gateways_500(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        def die(_event: object, _context: object) -> None:
            raise KeyError("jane.canary@example.com")

        monkeypatch.setattr(functions, "handler_of", lambda _name: die)
        self.is_gateway_answer(client.call("GET", "/v1/invitations"), 500, "Internal Server Error")
        shown = capfd.readouterr().err
        assert "invitations: KeyError" in shown
        assert "canary" not in shown

    def test_response_over_6_mb_is_the_gateways_500(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def answer_at_length(_event: object, _context: object) -> dict[str, Any]:
            return {"statusCode": 200, "headers": {}, "body": "x" * (LAMBDA_BYTES + 1)}

        monkeypatch.setattr(functions, "handler_of", lambda _name: answer_at_length)
        self.is_gateway_answer(client.call("GET", "/v1/invitations"), 500, "Internal Server Error")

    def test_error_in_the_front_is_500_and_logged_by_type(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        def fail(_event: object) -> None:
            raise ValueError("canary")

        monkeypatch.setattr(front, "serve", fail)
        self.is_gateway_answer(client.call("GET", "/v1/x"), 500, "Internal Server Error")
        shown = capfd.readouterr().err
        assert "front: ValueError" in shown
        assert "canary" not in shown


class TestService:
    def test_problem_type_url_has_this_address(self, client: Client) -> None:
        answer = client.call("GET", "/v1/invitations")
        assert answer.status == 401
        assert answer.json["type"] == f"http://{client.host}/v1/problems/unauthenticated"

    def test_invitation_email_links_to_this_address(self, client: Client, world: World) -> None:
        owner = world.owner()
        made = client.call(
            "POST",
            "/v1/invitations",
            token=owner.token,
            json_body={"email": "guest.canary@example.com", "role": "member"},
        )
        assert made.status == 201
        (email,) = soon(lambda: client.get("/_local/emails"))
        assert email["to"] == "guest.canary@example.com"
        (link,) = email["links"]
        page, _, invitation = link.partition("#")
        assert page == f"http://{client.host}/v1/pages/invitation"
        assert invitation == made.json["id"]
        preview = client.call("GET", f"/v1/invitations/{invitation}/preview")
        assert preview.json["email"] == "guest.canary@example.com"

    def test_empty_response_has_no_content_length(self, client: Client, world: World) -> None:
        owner = world.owner()
        made = client.call(
            "POST",
            "/v1/invitations",
            token=owner.token,
            json_body={"email": "guest.canary@example.com", "role": "member"},
        )
        answer = client.call("DELETE", f"/v1/invitations/{made.json['id']}", token=owner.token)
        assert (answer.status, answer.body) == (204, b"")
        assert answer.header("content-length") is None

    def test_concurrent_writes_lose_no_email(self, client: Client, world: World) -> None:
        owner = world.person()
        scope = world.workspace(owner)
        key = world.api_key(scope, KeyScope.WRITE, owner)
        addresses = {f"guest{number}.canary@example.com" for number in range(24)}

        def invite(address: str) -> int:
            body = {"email": address, "role": "member"}
            return client.call("POST", "/v1/invitations", token=key, json_body=body).status

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(invite, addresses)) == {201}
        soon(lambda: len(client.get("/_local/emails")) >= len(addresses))
        to = [email["to"] for email in client.get("/_local/emails")]
        assert len(to) == len(addresses)
        assert set(to) == addresses


class TestRoutes:
    @pytest.mark.parametrize(
        ("path", "job"),
        [
            ("/v1/me", "me"),
            ("/v1/auth/sign-in", "sign_in"),
            ("/v1/stores", "stores"),
            ("/v1/stores/1/write-back", "stores"),
            ("/v1/stores/1/customers/c/1", "profiles"),
            ("/v1/stores/1/orders/o", "orders"),
            ("/v1/profiles/1/identities", "profiles"),
            ("/v1/profiles/1/export", "profile_exports"),
            ("/v1/profiles/1/consent", "consent"),
            ("/v1/profiles/1/consent/email", "consent"),
            ("/v1/orders", "orders"),
            ("/v1/products", "products"),
            ("/v1/products/1/variants", "products"),
            ("/v1/stores/1/products/p", "products"),
            ("/v1/stores/1/product-priority", "priorities"),
            ("/v1/stores/1/product-priority/changes", "priorities"),
            ("/v1/product-priority-changes/1/apply", "priorities"),
            ("/v1/health", "docs"),
            ("/", "docs"),
            ("/v2/orders", "docs"),
        ],
    )
    def test_path_is_routed_to_the_function(self, path: str, job: str) -> None:
        assert gateway.function_for(path).job == job

    def test_event_is_json_serializable(self) -> None:
        event = gateway.http_event("GET", "/v1/me", query="a=1")
        assert json.loads(json.dumps(event)) == event
