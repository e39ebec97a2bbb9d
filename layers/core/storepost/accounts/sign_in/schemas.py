"""Signing in on the wire. What is secret stands in no representation of a body."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictBool, StringConstraints

from storepost.accounts.identity.codes import Code
from storepost.accounts.identity.passwords import Password, SubmittedPassword
from storepost.accounts.identity.two_factor import SecondFactor
from storepost.values.emails import EmailAddress, ReachableAddress
from storepost.values.wire import Id, RequestBody, SecretAnswer, Shape, Text, Timestamp

TOKEN_LENGTH = 255

TokenText = Annotated[str, StringConstraints(min_length=1, max_length=TOKEN_LENGTH)]
"""A token in a request: one that isn't ours is unknown, not invalid."""

Token = Annotated[TokenText, Field(repr=False)]
"""The same where it must be given."""

Secret = Annotated[str, Field(repr=False)]
"""A token in an answer."""


class SignUp(RequestBody):
    """Who wants an account."""

    name: Text
    email: ReachableAddress
    password: Password


class SignUpBegun(Shape):
    """What the emailed code belongs to."""

    registration: UUID


class SignUpResend(RequestBody):
    """Which registration needs another code."""

    registration: Id


class EmailVerification(RequestBody):
    """The code that was emailed for a registration."""

    registration: Id
    code: Code


class OpenedSession(SecretAnswer):
    """A session: its token, and when it ends unless it is used."""

    token: Secret
    expires_at: Timestamp


class OpenedTrustedSession(OpenedSession):
    """A session in a browser that needs no second step for 30 days, by what it is to keep."""

    trusted_browser: Secret


class SignIn(RequestBody):
    """Address and password, and what a trusted browser has kept."""

    email: EmailAddress
    password: SubmittedPassword
    trusted_browser: TokenText | None = Field(default=None, repr=False)


class SignedIn(OpenedSession):
    """The password was all that was needed."""

    status: Literal["signed_in"]


class SecondStepNeeded(SecretAnswer):
    """The password was right; one of the methods has to follow."""

    status: Literal["two_factor_required"]
    challenge: Secret
    methods: list[SecondFactor]


class TwoFactorCodeRequest(RequestBody):
    """Which challenge needs a code by email."""

    challenge: Token


class SecondStep(RequestBody):
    """The second step of a sign-in."""

    challenge: Token
    method: SecondFactor
    code: Code
    trust_browser: StrictBool = False


class ForgottenPassword(RequestBody):
    """Whose password is forgotten."""

    email: EmailAddress


class PasswordChoice(RequestBody):
    """What the emailed link holds, and the new password."""

    token: Token
    password: Password
