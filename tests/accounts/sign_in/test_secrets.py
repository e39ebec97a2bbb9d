"""No log line, representation or row has a credential in clear."""

from collections.abc import Iterator
from io import StringIO
from uuid import UUID

import pytest
from pydantic import BaseModel

from storepost.accounts.sign_in.schemas import (
    EmailVerification,
    OpenedTrustedSession,
    PasswordChoice,
    SecondStep,
    SecondStepNeeded,
    SignIn,
    SignUp,
    TwoFactorCodeRequest,
)
from storepost.values import clock
from storepost.values.logs import logger
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    challenged,
    code_in,
    fragment_in,
    totp,
    try_second_step,
    try_sign_in,
    with_app,
    with_email_codes,
)
from tests.harness.world import CANARY, World

SECRET = "secret-of-somebody"
ADDRESS = f"someone.{CANARY}@example.com"


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What is logged."""
    written = StringIO()
    before = logger.registered_handler.setStream(written)  # type: ignore[attr-defined]
    yield written
    logger.registered_handler.setStream(before)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (SignUp, {"name": "N", "email": ADDRESS, "password": SECRET}),
        (SignIn, {"email": ADDRESS, "password": SECRET, "trustedBrowser": SECRET}),
        (EmailVerification, {"registration": str(UUID(int=0)), "code": SECRET}),
        (TwoFactorCodeRequest, {"challenge": SECRET}),
        (SecondStep, {"challenge": SECRET, "method": "app", "code": SECRET}),
        (PasswordChoice, {"token": SECRET, "password": SECRET}),
        (
            OpenedTrustedSession,
            {
                "token": SECRET,
                "trusted_browser": SECRET,
                "expires_at": clock.now(),
                "email_undeliverable": False,
            },
        ),
        (
            SecondStepNeeded,
            {"status": "two_factor_required", "challenge": SECRET, "methods": ["app"]},
        ),
    ],
)
def test_repr_and_str_hide_secrets(model: type[BaseModel], fields: dict[str, object]) -> None:
    body = model.model_validate(fields)
    assert SECRET in str(body.model_dump())
    assert SECRET not in repr(body)
    assert SECRET not in str(body)


def test_logs_and_rows_contain_no_credentials(world: World, lines: StringIO) -> None:
    person = account(world)
    seed = with_app(person)
    with_email_codes(person)
    challenge = challenged(world, person)
    world.call("POST", "/auth/two-factor/send-code", json_body={"challenge": challenge})
    emailed = code_in(world.emails()[-1])
    code = totp(seed, clock.now())
    try_second_step(world, challenge, "app", "no code at all")
    opened = try_second_step(world, challenge, "app", code, trustBrowser=True).json
    try_sign_in(world, person.email, "a wrong password")
    world.call("POST", "/auth/password/forgot", json_body={"email": person.email})
    reset = fragment_in(world.emails()[-1], "password-reset")
    secrets = [PASSWORD, "a wrong password", "no code at all", challenge, reset, seed]
    secrets += [opened["token"], opened["trustedBrowser"]]
    rows = str([(row.pk, row.sk, row.to_simple_dict()) for row in world.rows()])
    assert [secret for secret in secrets if secret in rows] == []
    logged = lines.getvalue()
    assert logged.count('"message":"request"') >= 6
    assert [secret for secret in [*secrets, person.email, CANARY] if secret in logged] == []
    # Many numbers contain six digits, so the test looks for codes as they would be written.
    assert [text for text in (emailed, code) if f'"{text}"' in f"{rows}{logged}"] == []
