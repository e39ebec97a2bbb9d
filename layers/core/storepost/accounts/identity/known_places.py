"""Where a person is known: browsers that they trust, and sources that they signed in from.

After too many wrong passwords nobody can sign in from elsewhere, but the person can from here.
"""

from datetime import timedelta

from storepost.accounts.identity.credentials import (
    KnownSourceItem,
    known_source_key,
    trusted_browser_key,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import NOBODY
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import is_trusted
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, find
from storepost.values import clock
from storepost.values.scope import PersonScope

KNOWN_FOR = timedelta(days=30)


def remember_source(changes: Changes, person: Person, ip: str | None) -> None:
    """Stores that the person signs in from this source now."""
    if ip is not None:
        until = clock.now() + KNOWN_FOR
        key = known_source_key(person.scope, ip)
        changes.save(KnownSourceItem(*key, expires_at=until, expiration=until))


def known_place(person: Person | None, ip: str | None, browser: str | None) -> Key | None:
    """Returns the row by which the person is known at a request's origin; None for a stranger.

    `browser` is the token of a trusted one. The browser is tried first: others may share the
    source, but not the browser. Nobody is known anywhere, which takes as many reads.
    """
    scope = person.scope if person else PersonScope(NOBODY)
    if browser is not None and is_trusted(person, browser):
        return trusted_browser_key(scope, digest(browser))
    if ip is None:
        return None
    row = find(KnownSourceItem, known_source_key(scope, ip))
    return row.key if row and clock.now() < row.expires_at else None
