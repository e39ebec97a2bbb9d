"""The account and its sessions on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from storepost.accounts.identity.codes import Code
from storepost.accounts.identity.model import Person, Session
from storepost.accounts.identity.passwords import Password, SubmittedPassword
from storepost.accounts.identity.two_factor import otpauth_uri
from storepost.accounts.me.account import Account
from storepost.accounts.workspaces.schemas import WorkspaceSummary
from storepost.values.emails import ReachableAddress
from storepost.values.wire import Id, RequestBody, SecretAnswer, Shape, Text, Timestamp


class TwoFactorMethod(Shape):
    """A method of two-factor that is on."""

    since: Timestamp | None


class TwoFactor(Shape):
    """Which methods of two-factor are on, and how many browsers skip it."""

    app: TwoFactorMethod | None
    email: TwoFactorMethod | None
    trusted_browsers: int

    @classmethod
    def of(cls, person: Person, trusted_browsers: int) -> "TwoFactor":
        """The person's two-factor in this shape."""
        app, email = person.app_since, person.email_codes_since
        return cls(
            app=TwoFactorMethod(since=app) if app else None,
            email=TwoFactorMethod(since=email) if email else None,
            trusted_browsers=trusted_browsers,
        )


class User(Shape):
    """A person as the account's page shows them."""

    id: UUID
    name: str
    email: str
    two_factor: TwoFactor


class Me(Shape):
    """Who calls, and the workspaces of theirs."""

    user: User
    workspaces: list[WorkspaceSummary]

    @classmethod
    def of(cls, account: Account) -> "Me":
        """The account in this shape."""
        person = account.person
        return cls(
            user=User(
                id=person.id,
                name=person.name,
                email=person.email,
                two_factor=TwoFactor.of(person, account.trusted_browsers),
            ),
            workspaces=[WorkspaceSummary.of(standing) for standing in account.standings],
        )


class MeUpdate(RequestBody):
    """What a person may change of the account without the password."""

    name: Text


class ChosenWorkspace(RequestBody):
    """The workspace to work in."""

    workspace_id: Id


class PasswordProof(RequestBody):
    """The account's password, asked for before something weighty."""

    password: SubmittedPassword


class PasswordChange(RequestBody):
    """The present password and the new one."""

    current: SubmittedPassword
    password: Password


class AddressChange(RequestBody):
    """The address that the account is to have, and its password."""

    email: ReachableAddress
    password: SubmittedPassword


class CodeProof(RequestBody):
    """The code that was emailed, or that the app shows."""

    code: Code


class AppSetUp(SecretAnswer):
    """What an authenticator app needs; it is told once."""

    secret: Annotated[str, Field(repr=False, description="Base32, for typing it in.")]
    otpauth_uri: Annotated[str, Field(repr=False, description="The same as a link or a QR code.")]

    @classmethod
    def of(cls, seed: str, person: Person) -> "AppSetUp":
        """The seed as apps read it."""
        return cls(secret=seed, otpauth_uri=otpauth_uri(seed, person.email))


class BackupCodes(SecretAnswer):
    """New backup codes, each good for one sign-in; they are told once."""

    backup_codes: Annotated[
        list[str],
        Field(repr=False, description="Ten; none where a method was on already."),
    ]


class SessionSummary(Shape):
    """A browser or device where the person is signed in."""

    id: UUID
    browser: str | None
    os: str | None
    ip_address: str | None
    signed_in_at: Timestamp
    last_active_at: Timestamp
    current: Annotated[bool, Field(description="Whether this request came from it.")]

    @classmethod
    def of(cls, session: Session, current: UUID) -> "SessionSummary":
        """The session in this shape, as the current one sees it."""
        return cls(
            id=session.id,
            browser=session.browser,
            os=session.os,
            ip_address=session.ip_address,
            signed_in_at=session.signed_in_at,
            last_active_at=session.last_active_at,
            current=session.id == current,
        )
