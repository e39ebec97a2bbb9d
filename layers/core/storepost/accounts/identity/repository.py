"""Rows of people, of their addresses' claims, and of sessions; the tokens' own rows.

A session's whole row is stored under its token's digest, where authentication reads it; the
person's partition names the digests. An API key's token row has what authentication needs of the
key.
"""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.accounts.identity.model import SESSION_ENDS, ApiKeyHolder, Person, Session
from storepost.platform.messaging.email_results import EmailResult, EmailResultAttribute
from storepost.platform.messaging.ses_events import Outcome
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
    find_all,
    note,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.optional_attributes import is_as_read
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.problems import Unauthenticated
from storepost.values.scope import PersonScope, WorkspaceScope

NOBODY = UUID(int=0)
"""The id that no person has."""


class PersonItem(VersionedItem, discriminator="person"):
    """An account."""

    id = Identifier()
    name = UnicodeAttribute()
    email = UnicodeAttribute()
    email_verified_at = UtcDateTimeAttribute(null=True)
    password_hash = UnicodeAttribute()
    app_since = UtcDateTimeAttribute(null=True)
    email_codes_since = UtcDateTimeAttribute(null=True)
    last_workspace_id = Identifier(null=True)
    created_at = UtcDateTimeAttribute()
    sessions_epoch = NumberAttribute(default=0)
    trust_epoch = NumberAttribute(default=0)
    email_result = EmailResultAttribute(null=True)
    """The result of the newest email to the present address; None until SES reports one."""


class EmailClaimItem(Item, discriminator="email_claim"):
    """The account that an address belongs to."""

    person_id = Identifier()


class SessionItem(Item, discriminator="session"):
    """A session, under the digest of its token."""

    id = Identifier()
    person_id = Identifier()
    browser = UnicodeAttribute(null=True)
    os = UnicodeAttribute(null=True)
    ip_address = UnicodeAttribute(null=True)
    signed_in_at = UtcDateTimeAttribute()
    last_active_at = UtcDateTimeAttribute()
    expires_at = UtcDateTimeAttribute()
    workspace_id = Identifier(null=True)
    workspace_since = UtcDateTimeAttribute(null=True)
    epoch = NumberAttribute(default=0)


class SessionPointerItem(Item, discriminator="session_pointer"):
    """Points from a person to a session's row."""

    digest = UnicodeAttribute()


class ApiKeyTokenItem(Item, discriminator="api_key_token"):
    """What authentication needs of an API key, under the digest of its secret."""

    key_id = Identifier()
    name = UnicodeAttribute()
    workspace_id = Identifier()
    scope = UnicodeAttribute()
    maker_id = Identifier(null=True)
    used_at = UtcDateTimeAttribute(null=True)
    ends_at = UtcDateTimeAttribute(null=True)
    """When a rotated secret stops working."""


def token_key(digest: str) -> Key:
    """Returns the key of a token's row."""
    return (f"token#{digest}", "token")


def email_claim_key(email: str) -> Key:
    """Returns the key of an address's claim; the address is in its form for comparison."""
    return (f"email#{email}", "claim")


def person_key(person: PersonScope) -> Key:
    """Returns the key of an account."""
    return (person.key, "person")


def session_pointer_key(person: PersonScope, session_id: UUID) -> Key:
    """Returns the key of a person's pointer to a session."""
    return (person.key, f"session#{short(session_id)}")


def find_token(digest: str) -> SessionItem | ApiKeyTokenItem | None:
    """Returns the row of a token: the one read with which authentication begins."""
    item = find(Item, token_key(digest))
    return item if isinstance(item, SessionItem | ApiKeyTokenItem) else None


def find_person(person: PersonScope) -> Person | None:
    """Returns the account, or None if it is deleted."""
    item = find(PersonItem, person_key(person))
    return as_person(item) if item else None


def find_people(ids: Iterable[UUID]) -> dict[UUID, Person]:
    """Returns those of the accounts that exist, by id."""
    rows = find_all(person_key(PersonScope(identifier)) for identifier in ids)
    people = [as_person(row) for row in rows.values() if isinstance(row, PersonItem)]
    return {person.id: person for person in people}


def find_account(email: str) -> Person | None:
    """Returns the account with that address, or None, which takes as many reads."""
    claim = find(EmailClaimItem, email_claim_key(email))
    return find_person(PersonScope(claim.person_id if claim else NOBODY))


def add_person(changes: Changes, person: Person, on_conflict: Exception) -> None:
    """Adds a new account with a verified address; raises `taken` if another account has it."""
    changes.create(
        as_row(PersonItem, person_key(person.scope), person, email_verified_at=person.created_at)
    )
    claim = EmailClaimItem(*email_claim_key(person.email), person_id=person.id)
    changes.create(claim, on_conflict=on_conflict)


def setting_password(password_hash: str) -> list[Action]:
    """Returns the action that sets a new password, for an update of the account that does more."""
    return [PersonItem.password_hash.set(password_hash)]


def setting_verified(now: datetime) -> list[Action]:
    """Returns the action that records that the address was verified."""
    return [PersonItem.email_verified_at.set(now)]


def renew_hash(changes: Changes, person: Person, password_hash: str) -> None:
    """Writes another hash of the same password, if that is still the person's."""
    row = PersonItem(*person_key(person.scope))
    changes.update(
        row,
        setting_password(password_hash),
        PersonItem.password_hash == person.password_hash,
    )


def sessions_of(person: PersonScope) -> list[Session]:
    """Returns all rows of the person's sessions: `Session.is_live` says which of them are valid."""
    pointers = SessionPointerItem.rows_in(person.key, "session#")
    rows = find_all(token_key(pointer.digest) for pointer in pointers)
    return [as_session(row) for row in rows.values() if isinstance(row, SessionItem)]


def find_session(person: PersonScope, session_id: UUID) -> Session | None:
    """Returns the person's session with that id, an expired one too."""
    pointer = find(SessionPointerItem, session_pointer_key(person, session_id))
    row = find(SessionItem, token_key(pointer.digest)) if pointer else None
    return as_session(row) if row else None


def add_session(changes: Changes, session: Session) -> None:
    """Adds a new session: its row and the person's pointer."""
    pk, sk = token_key(session.token_digest)
    changes.create(
        as_row(SessionItem, (pk, sk), session, expiration=session.signed_in_at + SESSION_ENDS)
    )
    pointer = session_pointer_key(PersonScope(session.person_id), session.id)
    changes.create(
        SessionPointerItem(
            *pointer,
            digest=session.token_digest,
            expiration=session.signed_in_at + SESSION_ENDS,
        )
    )


def delete_session(changes: Changes, session: Session) -> None:
    """Deletes the session's two rows; repeatable."""
    changes.delete(SessionItem(*token_key(session.token_digest)))
    pointer = session_pointer_key(PersonScope(session.person_id), session.id)
    changes.delete(SessionPointerItem(*pointer))


def activate_workspace(changes: Changes, session: Session, workspace_id: UUID | None) -> None:
    """Makes a workspace the session's active one, or none. Raises Unauthenticated if it ended."""
    row = SessionItem(*token_key(session.token_digest))
    actions: list[Action] = (
        [SessionItem.workspace_id.remove(), SessionItem.workspace_since.remove()]
        if workspace_id is None
        else [
            SessionItem.workspace_id.set(workspace_id),
            SessionItem.workspace_since.set(clock.now()),
        ]
    )
    changes.update(row, actions, SessionItem.pk.exists(), Unauthenticated())


def remember_workspace(changes: Changes, person: Person, workspace_id: UUID | None) -> None:
    """Records the workspace used last, in which the next session opens.

    Raises Unauthenticated if the account was deleted.
    """
    value = (
        PersonItem.last_workspace_id.remove()
        if workspace_id is None
        else PersonItem.last_workspace_id.set(workspace_id)
    )
    row = PersonItem(*person_key(person.scope))
    changes.update(row, [value], PersonItem.pk.exists(), Unauthenticated())


def touch_account(changes: Changes, person: Person, on_conflict: Exception) -> None:
    """Demands that the account still exists, and raises its version without any other change.

    A deletion of the account that was decided before is decided again: it doesn't overlook what
    the unit gives the person.
    """
    changes.update(PersonItem(*person_key(person.scope)), [], PersonItem.pk.exists(), on_conflict)


def rename_person(changes: Changes, person: Person, name: str) -> None:
    """Changes the person's name."""
    row = PersonItem(*person_key(person.scope))
    changes.update(row, [PersonItem.name.set(name)], PersonItem.pk.exists())


def expect_methods(changes: Changes, person: Person) -> None:
    """Expects the person's two-factor methods to be unchanged since they were read."""
    same = is_as_read(PersonItem.app_since, person.app_since) & is_as_read(
        PersonItem.email_codes_since, person.email_codes_since
    )
    changes.expect(PersonItem(*person_key(person.scope)), PersonItem.pk.exists() & same)


def touch_session(session: Session, now: datetime) -> bool:
    """Records that the session is in use, which prolongs it; returns False if it was ended."""
    return note(
        SessionItem(*token_key(session.token_digest)),
        [SessionItem.last_active_at.set(now), SessionItem.expires_at.set(session.slid(now))],
    )


def as_person(item: PersonItem) -> Person:
    """Returns the account as a value."""
    return as_value(
        Person,
        item,
        email_verified=item.email_verified_at is not None,
        email_undeliverable=_bounced(item.email_result),
    )


def _bounced(result: EmailResult | None) -> bool:
    return result is not None and result.outcome is Outcome.BOUNCED


def as_session(item: SessionItem) -> Session:
    """Returns the session as a value."""
    return as_value(Session, item, token_digest=item.pk.removeprefix("token#"))


def as_holder(item: ApiKeyTokenItem, token: str) -> ApiKeyHolder:
    """Returns the key's caller as a value."""
    return as_value(ApiKeyHolder, item, workspace=WorkspaceScope(item.workspace_id), token=token)


def touch_key(item: ApiKeyTokenItem, now: datetime) -> bool:
    """Records that the key is in use; returns False if it was revoked."""
    return note(item, [ApiKeyTokenItem.used_at.set(now)])
