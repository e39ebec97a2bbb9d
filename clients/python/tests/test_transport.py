"""When a request is retried, and the headers of each attempt."""

from typing import Any

import httpx
import pytest
from answering import BASE_URL, Answered, Service, always, problem
from storepost_client import ProblemError, Retries, models
from storepost_client.transport import Transport

HEALTHY = {"status": "ok"}


def fine() -> httpx.Response:
    """Returns a write's success without a body."""
    return httpx.Response(204)


def write(service: Service, **options: Any) -> None:
    """Makes a write that accepts an idempotency key."""
    with service.client(**options) as client:
        client.auth.sign_out()


def keys(service: Service) -> list[str | None]:
    """The idempotency key of each request."""
    return [request.headers.get("idempotency-key") for request in service.requests]


class TestAgain:
    @pytest.mark.parametrize(
        "first",
        [
            problem(429, "rate_limited", **{"retry-after": "7"}),
            problem(503, "busy", **{"retry-after": "7"}),
            problem(409, "idempotency_in_progress", **{"retry-after": "7"}),
        ],
    )
    def test_what_is_busy_is_asked_again_as_it_says(self, first: httpx.Response) -> None:
        service = Service([first, fine()])
        write(service)
        assert [7 <= seconds < 7.5 for seconds in service.slept] == [True]

    @pytest.mark.parametrize(
        "first",
        [
            httpx.ConnectError("no"),
            httpx.ReadTimeout("no"),
            httpx.ReadError("no"),
            httpx.RemoteProtocolError("no"),
            httpx.Response(500, json={"message": "Internal Server Error"}),
            httpx.Response(504, text="<html>"),
            problem(503, "busy"),
        ],
    )
    def test_a_write_keeps_its_key_over_all_attempts(self, first: Answered) -> None:
        service = Service([first, first, fine()])
        write(service)
        assert len(service.requests) == 3
        (key,) = set(keys(service))
        assert key

    def test_waits_grow_and_are_spread(self) -> None:
        service = Service([*[problem(503, "busy")] * 4, fine()])
        write(service)
        for seconds, longest in zip(service.slept, [0.5, 1, 2, 4], strict=True):
            assert longest / 2 <= seconds <= longest

    def test_a_given_key_is_kept(self) -> None:
        service = Service([problem(503, "busy"), fine()])
        with service.client() as client:
            client.auth.sign_out(idempotency_key="mine")
        assert keys(service) == ["mine", "mine"]

    def test_two_calls_have_two_keys(self) -> None:
        service = Service([fine(), fine()])
        write(service)
        write(service)
        assert len(set(keys(service))) == 2

    def test_a_read_is_asked_again_without_a_key(self) -> None:
        service = Service([httpx.ReadError("no"), httpx.Response(200, json=HEALTHY)])
        with service.client() as client:
            client.health.get()
        assert keys(service) == [None, None]


class TestNotAgain:
    @pytest.mark.parametrize(
        ("status", "code"),
        [(400, "malformed_request"), (401, "unauthenticated"), (404, "not_found"),
         (409, "conflict"), (409, "idempotency_secret_sealed"), (422, "validation"),
         (500, "internal")],
    )  # fmt: skip
    def test_what_another_attempt_would_not_change(self, status: int, code: str) -> None:
        service = Service([problem(status, code)])
        with pytest.raises(ProblemError) as refused:
            write(service)
        assert (refused.value.status, refused.value.code) == (status, code)
        assert service.slept == []

    def test_after_so_many_attempts(self) -> None:
        service = Service(always(lambda: problem(503, "busy")))
        with pytest.raises(ProblemError) as refused:
            write(service, attempts=3)
        assert refused.value.code == "busy"
        assert len(service.requests) == 3

    def test_where_the_wait_would_take_too_long(self) -> None:
        service = Service([problem(429, "rate_limited", **{"retry-after": "3600"})])
        with pytest.raises(ProblemError) as refused:
            write(service)
        assert refused.value.status == 429
        assert service.slept == []

    def test_a_network_that_stays_away(self) -> None:
        service = Service(always(lambda: httpx.ConnectError("no")))
        with pytest.raises(httpx.ConnectError):
            write(service, attempts=2)

    @pytest.mark.parametrize("first", [httpx.ReadTimeout("no"), httpx.Response(502, text="")])
    def test_a_write_that_no_key_protects_and_that_may_have_happened(self, first: Answered) -> None:
        service = Service([first])
        with service.client() as client, pytest.raises((ProblemError, httpx.HTTPError)):
            client.auth.forgot_password(body=models.PasswordResetRequest(email="a@example.com"))
        assert keys(service) == [None]

    @pytest.mark.parametrize("first", [problem(429, "rate_limited"), httpx.ConnectError("no")])
    def test_but_it_is_sent_again_where_nothing_happened(self, first: Answered) -> None:
        service = Service([first, httpx.Response(202)])
        with service.client() as client:
            client.auth.forgot_password(body=models.PasswordResetRequest(email="a@example.com"))
        assert keys(service) == [None, None]


def test_the_token_is_sent_to_the_service() -> None:
    service = Service([fine()])
    write(service)
    (request,) = service.requests
    assert str(request.url) == f"{BASE_URL}/auth/sign-out"
    assert request.headers["authorization"] == "Bearer stp_secret"


def test_a_problem_says_what_is_wrong_and_which_request_it_was() -> None:
    body = {
        "type": "https://api.example.com/v1/problems/validation",
        "title": "A field is wrong",
        "status": 422,
        "detail": "Mend the fields.",
        "code": "validation",
        "errors": [{"path": "/email", "message": "Not an address."}],
    }
    service = Service([httpx.Response(422, json=body, headers={"request-id": "r-1"})])
    with pytest.raises(ProblemError) as refused:
        write(service)
    problem = refused.value
    assert (problem.code, problem.kind, problem.request_id) == ("validation", body["type"], "r-1")
    assert [(error.path, error.message) for error in problem.errors] == [
        ("/email", "Not an address.")
    ]
    assert str(problem) == "422 validation: Mend the fields. (request r-1)"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b"\xff"])
def test_what_is_no_problem_detail_is_an_error_too(body: bytes) -> None:
    service = Service([httpx.Response(413, content=body)])
    with pytest.raises(ProblemError) as refused:
        write(service)
    assert (refused.value.status, refused.value.code) == (413, "")


def test_nothing_of_a_token_is_in_what_is_shown() -> None:
    with Service([]).client() as client:
        assert "stp_secret" not in repr(client) + repr(vars(client))
        assert isinstance(client.transport, Transport)
    assert "stp_secret" not in repr(Retries())
