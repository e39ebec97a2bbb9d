"""Rows of what begins before anybody is signed in, each under a digest."""

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.accounts.identity.codes import MAX_TRIES
from storepost.accounts.identity.problems import ChallengeClosed
from storepost.accounts.identity.tokens import digest
from storepost.accounts.sign_in.model import REGISTRATION_VALID_FOR, Challenge, Registration, Reset
from storepost.accounts.sign_in.problems import TokenInvalid
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute, find
from storepost.platform.persistence.mapping import as_row


class RegistrationItem(Item, discriminator="registration"):
    """A sign-up that waits for its code."""

    id = Identifier()
    name = UnicodeAttribute()
    email = UnicodeAttribute()
    password_hash = UnicodeAttribute()
    begun_at = UtcDateTimeAttribute()


class VerifiedAddressItem(Item, discriminator="verified_address"):
    """When an address was last verified: its registrations from before are over."""

    at = UtcDateTimeAttribute()


class ChallengeItem(Item, discriminator="challenge"):
    """A sign-in that waits for its second step."""

    person_id = Identifier()
    epoch = NumberAttribute()
    tries = NumberAttribute(default=0)
    expires_at = UtcDateTimeAttribute()
    email = UnicodeAttribute(null=True)


class ResetItem(Item, discriminator="password_reset"):
    """The permission for a person to choose a new password."""

    person_id = Identifier()
    email = UnicodeAttribute()
    password_mark = UnicodeAttribute()
    expires_at = UtcDateTimeAttribute()


def registration_key(registration_id: UUID) -> Key:
    """Returns the key of a registration."""
    return (f"token#{digest(str(registration_id))}", "registration")


def registration_code_key(registration_id: UUID) -> Key:
    """Returns the key of a registration's code."""
    return (registration_key(registration_id)[0], "code")


def verified_address_key(email: str) -> Key:
    """Returns the key of the row that says when an address was verified."""
    return (f"email#{email}", "verified")


def challenge_key(token_digest: str) -> Key:
    """Returns the key of a challenge."""
    return (f"token#{token_digest}", "challenge")


def challenge_code_key(token_digest: str) -> Key:
    """Returns the key of the code that was emailed for a challenge."""
    return (f"token#{token_digest}", "code")


def reset_key(token_digest: str) -> Key:
    """Returns the key of a reset."""
    return (f"token#{token_digest}", "password_reset")


def add_registration(changes: Changes, registration: Registration) -> None:
    """Adds a new registration."""
    changes.create(
        as_row(
            RegistrationItem,
            registration_key(registration.id),
            registration,
            expiration=registration.begun_at + REGISTRATION_VALID_FOR,
        )
    )


def find_registration(registration_id: UUID, now: datetime) -> Registration | None:
    """Returns the registration, unless it is over."""
    item = find(RegistrationItem, registration_key(registration_id))
    if item is None:
        return None
    verified = find(VerifiedAddressItem, verified_address_key(item.email))
    registration = Registration(
        id=item.id,
        name=item.name,
        email=item.email,
        begun_at=item.begun_at,
        password_hash=item.password_hash,
    )
    return None if registration.is_over(now, verified.at if verified else None) else registration


def end_registrations(changes: Changes, registration: Registration, now: datetime) -> None:
    """Ends a registration that was verified, and every other of its address."""
    changes.delete(
        RegistrationItem(*registration_key(registration.id)),
        RegistrationItem.pk.exists(),
        on_conflict=ChallengeClosed(),
    )
    key = verified_address_key(registration.email)
    changes.save(VerifiedAddressItem(*key, at=now, expiration=now + REGISTRATION_VALID_FOR))


def add_challenge(changes: Changes, challenge: Challenge) -> None:
    """Adds a new challenge."""
    changes.create(
        as_row(
            ChallengeItem,
            challenge_key(challenge.token_digest),
            challenge,
            expiration=challenge.expires_at,
        )
    )


def find_challenge(token: str, now: datetime) -> Challenge | None:
    """Returns the challenge, unless it is over."""
    token_digest = digest(token)
    item = find(ChallengeItem, challenge_key(token_digest))
    if item is None:
        return None
    challenge = Challenge(
        token_digest=token_digest,
        person_id=item.person_id,
        epoch=int(item.epoch),
        tries=int(item.tries),
        expires_at=item.expires_at,
        email=item.email,
    )
    return None if challenge.is_over(now) else challenge


def prolong_challenge(changes: Changes, challenge: Challenge, until: datetime) -> None:
    """Lets an open challenge end later."""
    changes.update(
        ChallengeItem(*challenge_key(challenge.token_digest)),
        [ChallengeItem.expires_at.set(until), ChallengeItem.expiration.set(until)],
        ChallengeItem.pk.exists(),
        on_conflict=ChallengeClosed(),
    )


def count_try(challenge: Challenge) -> None:
    """Counts a try of an open challenge. Raises `ChallengeClosed` if there is none left.

    It counts at once, outside a request's `Changes`, although the answer is a problem.
    """
    changes = Changes()
    changes.update(
        ChallengeItem(*challenge_key(challenge.token_digest)),
        [ChallengeItem.tries.add(1)],
        ChallengeItem.pk.exists() & (ChallengeItem.tries < MAX_TRIES),
        on_conflict=ChallengeClosed(),
    )
    changes.commit()


def refund_try(challenge: Challenge) -> None:
    """Takes back a try in which nothing was compared. If that isn't possible, it stays counted."""
    changes = Changes()
    changes.update(
        ChallengeItem(*challenge_key(challenge.token_digest)),
        [ChallengeItem.tries.add(-1)],
        ChallengeItem.tries > 0,
    )
    with suppress(LostRace):
        changes.commit()


def end_challenge(changes: Changes, challenge: Challenge) -> None:
    """Ends a challenge whose second step succeeded: it opens one session."""
    changes.delete(
        ChallengeItem(*challenge_key(challenge.token_digest)),
        ChallengeItem.pk.exists(),
        on_conflict=ChallengeClosed(),
    )


def add_reset(changes: Changes, reset: Reset) -> None:
    """Adds a new reset."""
    changes.create(
        as_row(ResetItem, reset_key(reset.token_digest), reset, expiration=reset.expires_at)
    )


def find_reset(token: str) -> Reset | None:
    """Returns the reset of the token, even if its time is over."""
    token_digest = digest(token)
    item = find(ResetItem, reset_key(token_digest))
    if item is None:
        return None
    return Reset(
        token_digest=token_digest,
        person_id=item.person_id,
        email=item.email,
        password_mark=item.password_mark,
        expires_at=item.expires_at,
    )


def end_reset(changes: Changes, reset: Reset) -> None:
    """Ends a reset with which a new password was chosen: it works once."""
    changes.delete(
        ResetItem(*reset_key(reset.token_digest)),
        ResetItem.pk.exists(),
        on_conflict=TokenInvalid(),
    )
