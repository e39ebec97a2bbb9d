"""Where a person is known: browsers that they trust, and sources that they signed in from.

After too many wrong passwords nobody signs in from elsewhere, and the person still does from here.
"""

from datetime import timedelta

from storepost.accounts.identity.credentials import (
    KnownSourceItem,
    known_source_key,
    trusted_browser_key,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import is_trusted
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, find
from storepost.values import clock

KNOWN_FOR = timedelta(days=30)


def remember_source(changes: Changes, person: Person, ip: str | None) -> None:
    """Notes that the person signs in from there now."""
    if ip is not None:
        until = clock.now() + KNOWN_FOR
        key = known_source_key(person.scope, ip)
        changes.save(KnownSourceItem(*key, expires_at=until, expiration=until))


def known_place(person: Person, ip: str | None, browser: str | None) -> Key | None:
    """Returns the row by which the person is known where a request comes from; None for a stranger.

    `browser` is the token of a trusted one. The browser comes first: who shares the source with
    others doesn't share that.
    """
    if browser is not None and is_trusted(person, browser):
        return trusted_browser_key(person.scope, digest(browser))
    if ip is None:
        return None
    row = find(KnownSourceItem, known_source_key(person.scope, ip))
    return row.key if row and clock.now() < row.expires_at else None
