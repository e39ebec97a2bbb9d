"""An unreadable request counts as an attempt of its source where no caller has to be known."""

import pytest

from storepost.accounts.identity.credentials import AttemptsItem
from tests.accounts.sign_in.accounts import account, try_sign_in
from tests.harness.world import CANARY, World

SOURCE = "198.51.100.1"
ELSEWHERE = "198.51.100.2"
BODIES: dict[str, tuple[bytes, int]] = {
    "a field is missing": (b"{}", 422),
    "no JSON": (b"{", 400),
    "too deep": (b"[" * 200 + b"]" * 200, 400),
    "too wide": (b"{" + b",".join(b'"%x":0' % i for i in range(1000)) + b"}", 422),
    "too long": (b" " * 1_000_001, 413),
}
PATHS = [
    "/auth/sign-in",
    "/auth/sign-up",
    "/auth/sign-up/resend",
    "/auth/verify-email",
    "/auth/two-factor/send-code",
    "/auth/two-factor/verify",
    "/auth/password/forgot",
    "/auth/password/reset",
]


def attempts(world: World) -> list[int]:
    """How many attempts each source has made."""
    return [len(row.made) for row in world.rows() if isinstance(row, AttemptsItem)]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", BODIES)
def test_unreadable_request_counts_for_its_source(world: World, path: str, name: str) -> None:
    body, status = BODIES[name]
    for _ in range(2):
        assert world.call("POST", path, body=body, source_ip=SOURCE).status == status
    assert attempts(world) == [2]


def test_limit_of_100_unreadable_requests_in_15_minutes(world: World) -> None:
    for number in range(100):
        path = PATHS[number % len(PATHS)]
        assert world.call("POST", path, body=b"{}", source_ip=SOURCE).status == 422
    for path in PATHS:
        refused = world.call("POST", path, body=b"{}", source_ip=SOURCE)
        assert refused.problem() == (429, "sign_in_limit")
        assert 0 < int(refused.header("retry-after") or 0) <= 15 * 60
    person = account(world, f"Petra {CANARY}")
    assert try_sign_in(world, person.email, source_ip=SOURCE).status == 429
    assert try_sign_in(world, person.email, source_ip=ELSEWHERE).status == 200
    assert world.call("POST", PATHS[0], body=b"{}", source_ip=ELSEWHERE).status == 422


def test_unreadable_request_of_signed_in_caller_does_not_count(world: World) -> None:
    token = world.person().token
    assert world.call("PATCH", "/me", token=token, body=b"{").status == 400
    assert attempts(world) == []
