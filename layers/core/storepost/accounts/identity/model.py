"""People and sessions as values, and the callers that authentication finds."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from storepost.values.scope import PersonScope, WorkspaceScope
from storepost.values.stored_enum import StoredEnum

SESSION_SLIDES = timedelta(days=30)
SESSION_ENDS = timedelta(days=90)


class KeyScope(StoredEnum):
    """What an API key may do. `read`: read everything that isn't reserved for admins. `propose`:
    also make change proposals. `write`: also change everything.
    """

    READ = "read"
    PROPOSE = "propose"
    WRITE = "write"

    def covers(self, needed: "KeyScope") -> bool:
        """Returns whether this scope may do what needs the other; an unknown one may nothing."""
        order = list(KeyScope)
        return self in order and order.index(self) >= order.index(needed)


@dataclass(frozen=True)
class Person:
    """Somebody with an account."""

    id: UUID
    name: str
    email: str
    email_verified: bool
    app_since: datetime | None
    email_codes_since: datetime | None
    last_workspace_id: UUID | None
    created_at: datetime
    sessions_epoch: int
    """Only sessions opened in this epoch are valid: raising it ends all others in one write."""
    trust_epoch: int
    """Only browsers trusted in this epoch are."""
    password_hash: str = field(repr=False)
    email_undeliverable: bool = False
    """Whether the newest email to the address was refused for good."""

    @property
    def scope(self) -> PersonScope:
        """Returns the scope of what belongs to the person."""
        return PersonScope(self.id)

    @property
    def has_two_factor(self) -> bool:
        """Returns whether a sign-in needs a second step."""
        return self.app_since is not None or self.email_codes_since is not None


@dataclass(frozen=True)
class Session:
    """A browser or device where somebody is signed in."""

    id: UUID
    person_id: UUID
    browser: str | None
    os: str | None
    ip_address: str | None
    signed_in_at: datetime
    last_active_at: datetime
    expires_at: datetime
    workspace_id: UUID | None
    """The active workspace."""
    token_digest: str = field(repr=False)
    workspace_since: datetime | None = None
    """When the workspace was made active; None if the session opened in it."""
    epoch: int = 0
    """The person's `sessions_epoch` when the session was opened."""

    @property
    def active_since(self) -> datetime:
        """Returns since when the workspace is active: memberships made later don't count."""
        return self.workspace_since or self.signed_in_at

    def is_over(self, now: datetime) -> bool:
        """Returns whether the session has expired."""
        return now >= self.expires_at

    def is_live(self, person: Person, now: datetime) -> bool:
        """Returns whether the session is still valid for that person."""
        return not self.is_over(now) and self.epoch == person.sessions_epoch

    def slid(self, now: datetime) -> datetime:
        """Returns the session's end if it is used now: 30 days on, 90 after sign-in at most."""
        return min(now + SESSION_SLIDES, self.signed_in_at + SESSION_ENDS)


@dataclass(frozen=True)
class SignedInPerson:
    """A caller with a session token."""

    person: Person
    session: Session
    token: str = field(repr=False)

    @property
    def id(self) -> UUID:
        """Returns the id by which idempotency distinguishes callers."""
        return self.person.id

    @property
    def person_id(self) -> UUID | None:
        """Returns the person who acts."""
        return self.person.id


@dataclass(frozen=True)
class ApiKeyHolder:
    """A caller with an API key."""

    key_id: UUID
    name: str
    scope: KeyScope
    workspace: WorkspaceScope
    maker_id: UUID | None
    """The person who made the key, None once that account is deleted."""
    token: str = field(repr=False)

    @property
    def id(self) -> UUID:
        """Returns the key's id, which idempotency uses: a rotation doesn't change it."""
        return self.key_id

    @property
    def person_id(self) -> UUID | None:
        """Returns the person for whom the key acts."""
        return self.maker_id


type Caller = SignedInPerson | ApiKeyHolder
