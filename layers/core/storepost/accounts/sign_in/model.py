"""What begins before anybody is signed in: registrations, second steps and resets."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from storepost.accounts.identity.codes import MAX_TRIES
from storepost.accounts.identity.codes import VALID_FOR as CODE_VALID_FOR
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.tokens import digest

REGISTRATION_VALID_FOR = timedelta(hours=24)
"""How long a new code can be requested; each code is valid for ten minutes of its own."""

CHALLENGE_VALID_FOR = CODE_VALID_FOR
"""From the password on, and again from each emailed code on."""

RESET_VALID_FOR = timedelta(minutes=30)


@dataclass(frozen=True)
class Registration:
    """A sign-up that waits for its code; what was typed is stored with it alone."""

    id: UUID
    name: str
    email: str
    begun_at: datetime
    password_hash: str = field(repr=False)

    def is_over(self, now: datetime, ended_at: datetime | None) -> bool:
        """Returns whether it has expired, or another of the address was verified at `ended_at`."""
        verified_elsewhere = ended_at is not None and self.begun_at <= ended_at
        return verified_elsewhere or now >= self.begun_at + REGISTRATION_VALID_FOR


@dataclass(frozen=True)
class Challenge:
    """A sign-in whose password was right and that waits for its second step."""

    token_digest: str = field(repr=False)
    person_id: UUID
    epoch: int
    """The person's `sessions_epoch` when the password was checked."""
    tries: int
    expires_at: datetime
    email: str | None = field(default=None, repr=False)
    """The address of the sign-in; None if an earlier version created the challenge."""

    def is_of(self, person: Person) -> bool:
        """Returns whether it is still valid: address and sessions are as when it was created."""
        return self.epoch == person.sessions_epoch and self.email in {None, person.email}

    def is_over(self, now: datetime) -> bool:
        """Returns whether its time or its tries are used up."""
        return now >= self.expires_at or self.tries >= MAX_TRIES


@dataclass(frozen=True)
class Reset:
    """The permission for a person to choose a new password."""

    token_digest: str = field(repr=False)
    person_id: UUID
    email: str
    password_mark: str = field(repr=False)
    """`mark_of` the person when the link was sent."""
    expires_at: datetime

    def is_for(self, person: Person, now: datetime) -> bool:
        """Returns whether it is still valid: address and password are those of when it was sent."""
        return (
            now < self.expires_at
            and self.email == person.email
            and self.password_mark == mark_of(person)
        )


def mark_of(person: Person) -> str:
    """Returns a value that differs for each of a person's passwords, and reveals none."""
    return digest(person.password_hash)
