"""Signing in on the wire. What is secret stands in no representation of a body."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictBool, StringConstraints

from storepost.accounts.identity.codes import Code
from storepost.accounts.identity.passwords import Password, SubmittedPassword
from storepost.accounts.identity.two_factor import SecondFactor
from storepost.values.emails import EmailAddress, ReachableAddress
from storepost.values.wire import Id, Name, RequestBody, SecretAnswer, Shape, Timestamp

TOKEN_LENGTH = 255

TokenText = Annotated[str, StringConstraints(min_length=1, max_length=TOKEN_LENGTH)]
"""A token in a request: one that isn't ours is unknown, not invalid."""

Token = Annotated[TokenText, Field(repr=False)]
"""The same where it must be given."""

Secret = Annotated[str, Field(repr=False)]
"""A token in an answer."""


class SignUp(RequestBody):
    """Who wants an account."""

    name: Name = Field(description="The person's name as other members and emails will show it.")
    email: ReachableAddress = Field(
        description="The address to sign in with. A code is sent to it."
    )
    password: Password = Field(
        description="The password to sign in with, of 12 to 200 characters. Case "
        "counts and spaces are kept."
    )


class SignUpBegun(Shape):
    """A sign-up that waits for the emailed code."""

    registration: UUID = Field(
        description="Names this sign-up to `POST /auth/verify-email`, for 24 hours. It "
        "is answered whether or not the address has an account."
    )


class SignUpResend(RequestBody):
    """Which sign-up needs another code."""

    registration: Id = Field(description="What `POST /auth/sign-up` answered.")


class EmailVerification(RequestBody):
    """The code that was emailed for a sign-up."""

    registration: Id = Field(description="What `POST /auth/sign-up` answered.")
    code: Code = Field(
        description="The six digits from the email. They are valid for 10 minutes and "
        "for five tries."
    )


class OpenedSession(SecretAnswer):
    """A session that was opened: the person is signed in."""

    token: Secret = Field(
        description="The session token: send it as `Authorization: Bearer <token>`. It "
        "isn't shown again."
    )
    expires_at: Timestamp = Field(
        description="When the session ends if it isn't used: 30 days from now. Each "
        "use moves that on, up to 90 days after the sign-in."
    )
    email_undeliverable: bool = Field(
        description="Whether the newest email to the account's address was refused for good, as "
        "there is no such mailbox. Ask the person for another address then: `POST /me/email` "
        "takes it."
    )


class OpenedTrustedSession(OpenedSession):
    """A session that was opened in a browser that needs no second step for 30 days."""

    trusted_browser: Secret = Field(
        description="What the browser keeps, and sends as `trustedBrowser` with its "
        "next sign-ins. It replaces the second step, never the password."
    )


class SignIn(RequestBody):
    """An address and its password, and what a trusted browser has kept."""

    email: EmailAddress = Field(description="The address that the account is signed in to with.")
    password: SubmittedPassword = Field(
        description="The account's password, with its case and spaces."
    )
    trusted_browser: TokenText | None = Field(
        default=None,
        repr=False,
        description="What this browser got as `trustedBrowser` when the person trusted "
        "it: then no second step is needed. Left out, or no longer valid, "
        "it is.",
    )


class SignedIn(OpenedSession):
    """The password was all that was needed: the session is open."""

    status: Literal["signed_in"] = Field(
        description="Always `signed_in`, which distinguishes this answer from the one that asks "
        "for a second step."
    )


class SecondStepNeeded(SecretAnswer):
    """The password was right, and a second step has to follow."""

    status: Literal["two_factor_required"] = Field(
        description="Always `two_factor_required`, which distinguishes this answer from an open "
        "session."
    )
    challenge: Secret = Field(
        description="Names this sign-in to the second step. It is valid for 10 "
        "minutes, and for 10 more from each emailed code on."
    )
    methods: list[SecondFactor] = Field(
        description="What the second step can be taken by: a code of the `app`, one by "
        "`email` once it was sent, or a `backup_code`."
    )


class TwoFactorCodeRequest(RequestBody):
    """Which sign-in needs a code by email."""

    challenge: Token = Field(description="What `POST /auth/sign-in` answered.")


class SecondStep(RequestBody):
    """The second step of signing in: a code that only this person can have."""

    challenge: Token = Field(description="What `POST /auth/sign-in` answered.")
    method: SecondFactor = Field(
        description="Where the code is from: the authenticator `app`, an `email`, or a "
        "`backup_code`."
    )
    code: Code = Field(
        description="The code: six digits, or a backup code. Spaces and hyphens are ignored."
    )
    trust_browser: StrictBool = Field(
        default=False,
        description="Whether this browser needs no second step for the next 30 days. "
        "If left out, it does.",
    )


class ForgottenPassword(RequestBody):
    """The account whose password is to be reset."""

    email: EmailAddress = Field(
        description="The address that the account is signed in to with. It gets a link "
        "if it has an account."
    )


class PasswordChoice(RequestBody):
    """What the emailed link has, and the new password."""

    token: Token = Field(
        description="The part of the emailed link after `#`. It works for 30 minutes, and once."
    )
    password: Password = Field(
        description="The new password, of 12 to 200 characters. Case counts and spaces are kept."
    )
