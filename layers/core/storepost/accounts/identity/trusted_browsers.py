"""Trusted browsers: for 30 days a sign-in there needs only the password, and no second step.

The browser keeps a token of 256 bits, the service its SHA-256. A browser is trusted in the person's
`trust_epoch`; raising that ends all of them in one write, and their rows are deleted afterwards.
"""

import secrets
from datetime import timedelta
from itertools import batched

from pynamodb.expressions.update import Action

from storepost.accounts.identity.credentials import (
    TrustedBrowserItem,
    trusted_browser_key,
    trusted_browsers_of,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import NOBODY, PersonItem, person_key
from storepost.accounts.identity.tokens import digest
from storepost.platform.persistence.changes import MAX_ITEMS, Changes
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope

TRUSTED_FOR = timedelta(days=30)
PREFIX = "stb_"
_TOKEN_BYTES = 32


def trust_browser(changes: Changes, person: Person) -> str:
    """Trusts the person's browser; returns the token that it keeps."""
    token = PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = clock.now() + TRUSTED_FOR
    changes.create(
        TrustedBrowserItem(
            *trusted_browser_key(person.scope, digest(token)),
            expires_at=expires_at,
            epoch=person.trust_epoch,
            expiration=expires_at,
        )
    )
    return token


def is_trusted(person: Person | None, token: str) -> bool:
    """Returns whether the token is of a browser that this person trusts now.

    For nobody it takes as many reads.
    """
    scope = person.scope if person else PersonScope(NOBODY)
    row = find(TrustedBrowserItem, trusted_browser_key(scope, digest(token)))
    return person is not None and row is not None and _counts(row, person)


def count_trusted(person: Person) -> int:
    """Returns how many browsers the person trusts now."""
    return sum(_counts(row, person) for row in trusted_browsers_of(person.scope))


def revoke_actions() -> list[Action]:
    """Returns the action that ends all trust, for an update of the account that does more."""
    return [PersonItem.trust_epoch.add(1)]


def revoke_all(changes: Changes, person: Person) -> None:
    """Ends the trust in all browsers of the person."""
    row = PersonItem(*person_key(person.scope))
    changes.update(row, revoke_actions(), PersonItem.pk.exists())
    changes.after_commit(lambda: sweep(person))


def sweep(person: Person) -> None:
    """Deletes the rows of browsers that were trusted up to the person's epoch, as it was read.

    If it is interrupted, it leaves rows that don't count any more and that expire.
    """
    revoked = (
        row for row in trusted_browsers_of(person.scope) if int(row.epoch) <= person.trust_epoch
    )
    for some in batched(revoked, MAX_ITEMS, strict=False):
        changes = Changes()
        for row in some:
            changes.delete(row)
        changes.commit()


def _counts(row: TrustedBrowserItem, person: Person) -> bool:
    return clock.now() < row.expires_at and int(row.epoch) == person.trust_epoch
