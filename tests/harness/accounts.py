"""People's accounts and sessions as they are stored."""

from storepost.accounts.identity.model import Person, Session
from storepost.accounts.identity.repository import (
    PersonItem,
    SessionItem,
    as_session,
    find_person,
    find_token,
    person_key,
    rename_person,
)
from storepost.accounts.identity.tokens import digest
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values.scope import PersonScope
from tests.harness.world import Someone


def row_of(someone: Someone) -> PersonItem:
    """The account's row."""
    row = find(PersonItem, person_key(PersonScope(someone.id)))
    assert row is not None
    return row


def person_of(someone: Someone) -> Person:
    """The account as the service reads it."""
    person = find_person(PersonScope(someone.id))
    assert person is not None
    return person


def rename(someone: Someone, name: str) -> None:
    """A change that knows nothing of the row's version."""
    changes = Changes()
    rename_person(changes, person_of(someone), name)
    changes.commit()


def session_of(token: str) -> Session:
    """The session of a token."""
    item = find_token(digest(token))
    assert isinstance(item, SessionItem)
    return as_session(item)
