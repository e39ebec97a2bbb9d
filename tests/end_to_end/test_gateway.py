"""What passes through SAM CLI's gateway and the front before it: problems, retries, bodies."""

from tests.end_to_end.newcomer import SIGN_UP, Shop, sign_up
from tests.end_to_end.service import ID, Service
from tests.harness.world import Answer

BASE_URL = "http://localhost/v1"
"""What SAM CLI calls every gateway, whatever address it has."""


def test_unknown_path_is_404(service: Service) -> None:
    answer = service.call("GET", "/v1/nothing/here")
    assert answer.status == 404
    assert answer.header("content-type") == "application/problem+json"
    assert answer.json == {
        "type": f"{BASE_URL}/problems/not_found",
        "title": "Not found",
        "status": 404,
        "detail": "No operation has this path. Paths begin with `/v1`, are case-sensitive and don't"
        " end in a slash. An external id with a `/` goes into the query, as `externalId`.",
        "code": "not_found",
    }


def test_unsupported_method_is_405(service: Service, shop: Shop) -> None:
    answer = service.call("DELETE", "/v1/orders", token=shop.key)
    assert answer.status == 405
    assert answer.header("allow") == "GET, HEAD"
    assert answer.json == {
        "type": f"{BASE_URL}/problems/method_not_allowed",
        "title": "Method not allowed",
        "status": 405,
        "detail": "Use one of the methods that the `Allow` header names.",
        "code": "method_not_allowed",
    }


def test_invalid_body_is_422(service: Service, shop: Shop) -> None:
    answer = service.call("POST", "/v1/workspaces", token=shop.owner, json_body={"name": 5})
    assert answer.status == 422
    assert answer.json == {
        "type": f"{BASE_URL}/problems/validation",
        "title": "The request isn't valid",
        "status": 422,
        "detail": "Fix the fields listed in `errors`.",
        "code": "validation",
        "errors": [{"path": "/name", "message": "Must be a string"}],
    }


def test_unauthenticated_request_is_401(service: Service) -> None:
    answer = service.call("GET", "/v1/orders")
    assert answer.status == 401
    assert answer.header("www-authenticate") == "Bearer"
    assert answer.json == {
        "type": f"{BASE_URL}/problems/unauthenticated",
        "title": "No valid credentials",
        "status": 401,
        "detail": "Send `Authorization: Bearer <token>` with an active API key or session token.",
        "code": "unauthenticated",
    }


def test_idempotent_replay(service: Service, shop: Shop) -> None:

    def ask(role: str) -> Answer:
        return service.call(
            "POST",
            "/v1/invitations",
            token=shop.owner,
            json_body={"email": "nils@example.com", "role": role},
            headers={"idempotency-key": "end-to-end"},
        )

    first = ask("member")
    assert first.status == 201
    assert first.header("idempotency-replayed") is None
    again = ask("member")
    assert (again.status, again.body) == (201, first.body)
    assert again.header("idempotency-replayed") == "true"
    listed = service.json_of(200, "GET", "/v1/invitations", token=shop.owner)
    nils = [each["id"] for each in listed["items"] if each["email"] == "nils@example.com"]
    assert nils == [first.json["id"]]
    refused = ask("admin")
    assert (refused.status, refused.json["code"]) == (422, "idempotency_key_reused")


def test_non_ascii_text_round_trips(service: Service) -> None:
    name, email = "Ünïcode ✓ 日本 🧵", "unicode@example.com"
    someone = sign_up(service, name, email)
    assert service.email_to(email, SIGN_UP)["text"].startswith(f"Hello {name},\n")
    assert service.json_of(200, "GET", "/v1/me", token=someone) == {
        "user": {
            "id": ID,
            "name": name,
            "email": email,
            "emailUndeliverable": False,
            "twoFactor": {"app": None, "email": None, "trustedBrowsers": 0},
        },
        "workspaces": [],
    }


def test_binary_body_is_502(service: Service, shop: Shop) -> None:
    """A deployed gateway hands them on in base64; SAM CLI's can't read them."""
    answer = service.call(
        "POST",
        "/v1/workspaces",
        token=shop.owner,
        body=b"\xff\x00\xfe",
        headers={"content-type": "application/json"},
    )
    assert (answer.status, answer.json) == (502, {"message": "Internal server error"})


def test_cors_preflight_and_response(service: Service, shop: Shop) -> None:
    page = {"origin": "https://app.example.com"}
    preflight = service.call(
        "OPTIONS", "/v1/orders", headers={**page, "access-control-request-method": "GET"}
    )
    assert preflight.body == b""
    assert preflight.header("access-control-allow-origin") == "*"
    allowed = preflight.header("access-control-allow-headers")
    assert allowed == ("authorization,content-type,idempotency-key,if-match,if-none-match")
    answer = service.call("GET", "/v1/orders", token=shop.key, headers=page)
    assert (answer.status, answer.header("access-control-allow-origin")) == (200, "*")
