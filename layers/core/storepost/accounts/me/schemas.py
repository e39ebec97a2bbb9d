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
from storepost.values.wire import (
    Id,
    Name,
    RequestBody,
    SecretAnswer,
    SecretRequest,
    Shape,
    Timestamp,
)


class TwoFactorMethod(Shape):
    """That a two-factor method is on, and since when."""

    since: Timestamp | None = Field(
        description="When the method was turned on. Null where that isn't known."
    )


class TwoFactor(Shape):
    """Which two-factor methods are on, and how many browsers skip the second step."""

    app: TwoFactorMethod | None = Field(description="The authenticator app. Null where it is off.")
    email: TwoFactorMethod | None = Field(description="Codes by email. Null where they are off.")
    trusted_browsers: int = Field(
        description="How many browsers sign in without a second step, because the "
        "person trusted them within the last 30 days."
    )

    @classmethod
    def of(cls, person: Person, trusted_browsers: int) -> "TwoFactor":
        """Returns the person's two-factor in this shape."""
        app, email = person.app_since, person.email_codes_since
        return cls(
            app=TwoFactorMethod(since=app) if app else None,
            email=TwoFactorMethod(since=email) if email else None,
            trusted_browsers=trusted_browsers,
        )


class User(Shape):
    """A person as their own account shows them."""

    id: UUID = Field(description="The person's id, the same in every workspace.")
    name: str = Field(description="The person's name as other members and emails show it.")
    email: str = Field(
        description="The address that the person signs in with. It is verified and in "
        "small letters."
    )
    email_undeliverable: bool = Field(
        description="Whether the newest email to that address was refused for good, as there is "
        "no such mailbox. `POST /me/email` takes another."
    )
    two_factor: TwoFactor = Field(
        description="Which second steps a sign-in needs; both methods may be off."
    )


class Me(Shape):
    """Who calls, and the workspaces that they belong to."""

    user: User = Field(
        description="The signed-in person. For an API key it is the person who made it."
    )
    workspaces: list[WorkspaceSummary] = Field(
        description="Every workspace that the person is a member of, by name. For an "
        "API key it is the key's workspace alone, and nothing where its "
        "maker has left that."
    )

    @classmethod
    def of(cls, account: Account) -> "Me":
        """Returns the account in this shape."""
        person = account.person
        return cls(
            user=User.from_model(person, two_factor=TwoFactor.of(person, account.trusted_browsers)),
            workspaces=[WorkspaceSummary.of(standing) for standing in account.standings],
        )


class MeUpdate(RequestBody):
    """What a person can change of their account without the password."""

    name: Name = Field(description="The person's name as other members and emails will show it.")


class ChosenWorkspace(RequestBody):
    """The workspace that the session is to work in."""

    workspace_id: Id = Field(
        description="The id of a workspace that the person is a member of, from "
        "`workspaces` of `GET /me`."
    )


class PasswordProof(SecretRequest):
    """The account's password, asked for before a change that matters much."""

    password: SubmittedPassword = Field(description="The signed-in person's present password.")


class PasswordChange(SecretRequest):
    """The present password and the new one."""

    current: SubmittedPassword = Field(description="The password that the account has until now.")
    password: Password = Field(
        description="The new password, of 12 to 200 characters. Case counts and spaces are kept."
    )


class AddressChange(SecretRequest):
    """The email address that the account is to have, and its password."""

    email: ReachableAddress = Field(
        description="The new address. It gets a code, and counts once the code is "
        "given to `POST /me/email/confirm`."
    )
    password: SubmittedPassword = Field(description="The signed-in person's present password.")


class CodeProof(RequestBody):
    """A code that shows that the person has the address or the app."""

    code: Code = Field(
        description="The six digits that were emailed, or that the app shows. Spaces "
        "and hyphens are ignored."
    )


class AppSetUp(SecretAnswer):
    """What an authenticator app needs to be set up; it is shown this once."""

    secret: Annotated[
        str,
        Field(repr=False, description="The shared secret in base32, for typing it into the app."),
    ]
    otpauth_uri: Annotated[
        str,
        Field(
            repr=False,
            description="The same as an `otpauth://` address: show it as a QR code, or "
            "open it as a link on a phone.",
        ),
    ]

    @classmethod
    def of(cls, seed: str, person: Person) -> "AppSetUp":
        """Returns the seed as apps read it."""
        return cls(secret=seed, otpauth_uri=otpauth_uri(seed, person.email))


class BackupCodes(SecretAnswer):
    """New backup codes. They are shown this once, and each is good for one sign-in."""

    backup_codes: Annotated[
        list[str],
        Field(
            repr=False,
            description="Ten codes for the person to keep. Empty where the other method "
            "was on already: then the codes of that time go on working.",
        ),
    ]


class SessionSummary(Shape):
    """A browser or device where the person is signed in."""

    id: UUID = Field(description="The session's id; it isn't its token.")
    browser: str | None = Field(
        description="The browser's name, such as `Firefox`, as it named itself at sign-in. Null "
        "where it named none."
    )
    os: str | None = Field(
        description="The operating system's name, such as `Windows`, as the browser named it at "
        "sign-in. Null where it named none."
    )
    ip_address: str | None = Field(
        description="The network address that the sign-in came from. Null where it isn't known."
    )
    signed_in_at: Timestamp = Field(
        description="When the person signed in there. The session ends 90 days later at the latest."
    )
    last_active_at: Timestamp = Field(
        description="When the session was last used, to the minute. It ends 30 days after that."
    )
    current: Annotated[
        bool, Field(description="Whether this is the session that the request came with.")
    ]

    @classmethod
    def of(cls, session: Session, current: UUID) -> "SessionSummary":
        """Returns the session in this shape, as the current one sees it."""
        return cls.from_model(session, current=session.id == current)
