"""Changes of the account's row, and changes that were requested and aren't in force yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.codes import VALID_FOR, EmailedCode, use_code
from storepost.accounts.identity.limits import delete_attempts_for
from storepost.accounts.identity.model import Person, SignedInPerson
from storepost.accounts.identity.problems import ChallengeClosed
from storepost.accounts.identity.repository import (
    EmailClaimItem,
    PersonItem,
    SessionPointerItem,
    email_claim_key,
    person_key,
    token_key,
)
from storepost.accounts.identity.sessions import end_all_sessions
from storepost.accounts.identity.two_factor import seal_seed, unseal_seed
from storepost.accounts.me.problems import EmailTaken
from storepost.accounts.workspaces.repository import MembershipPointerItem, membership_key
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import (
    Item,
    Key,
    UtcDateTimeAttribute,
    find,
    find_all,
    keys_in,
)
from storepost.platform.persistence.optional_attributes import is_as_read, set_or_remove
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope

MAX_TRIES = 5
ROWS_AT_ONCE = 45
SET_UP_WITHIN = timedelta(minutes=30)


class AddressChangeItem(Item, discriminator="address_change"):
    """The address that a person asked for; its code has a row beside it."""

    email = UnicodeAttribute()


class PendingAuthenticatorItem(Item, discriminator="pending_authenticator"):
    """The seed of an app that hasn't shown a code yet, sealed under its own key."""

    seed = UnicodeAttribute()
    tries = NumberAttribute(default=0)
    expires_at = UtcDateTimeAttribute()


def address_change_key(person: PersonScope) -> Key:
    """Returns the key of the address that the person asked for."""
    return (person.key, "address_change")


def address_code_key(person: PersonScope) -> Key:
    """Returns the key of the code that was sent to it."""
    return (person.key, "code#address_change")


def email_method_code_key(person: PersonScope) -> Key:
    """Returns the key of the code that turns emailed second factors on."""
    return (person.key, "code#email_method")


def pending_authenticator_key(person: PersonScope) -> Key:
    """Returns the key of the seed of an app that is being set up."""
    return (person.key, "pending_authenticator")


@dataclass(frozen=True)
class PendingSeed:
    """The seed of an app that is being set up."""

    seed: str = field(repr=False)
    sealed: str = field(repr=False)


def change_password(changes: Changes, caller: SignedInPerson, password_hash: str) -> None:
    """Writes a new password, and ends trusted browsers and every session but the caller's."""
    also = [PersonItem.password_hash.set(password_hash), *trusted_browsers.revoke_actions()]
    end_all_sessions(changes, caller.person, except_=caller.session, also=also)
    _sweep_browsers(changes, caller.person)


def revoke_browsers(changes: Changes, person: Person) -> None:
    """Ends the trust in all browsers, if the account's methods are still as they were read."""
    _change(changes, person, [])


def change_app(changes: Changes, person: Person, since: datetime | None) -> None:
    """Turns the app method on or off, and ends the trust in all browsers."""
    _change(changes, person, [set_or_remove(PersonItem.app_since, since)])


def change_email_codes(changes: Changes, person: Person, since: datetime | None) -> None:
    """Turns the email method on or off, and ends the trust in all browsers."""
    _change(changes, person, [set_or_remove(PersonItem.email_codes_since, since)])


def move_address(changes: Changes, person: Person, email: str, code: EmailedCode) -> None:
    """Gives the account the address that it asked for, and ends the trust in all browsers.

    Raises EmailTaken if the address has become another account's.
    """
    now = clock.now()
    actions: list[Action] = [
        PersonItem.email.set(email),
        PersonItem.email_verified_at.set(now),
        PersonItem.email_result.remove(),
    ]
    _change(changes, person, actions)
    claim = EmailClaimItem(*email_claim_key(email), person_id=person.id)
    changes.create(claim, on_conflict=EmailTaken())
    old = EmailClaimItem(*email_claim_key(person.email))
    changes.delete(old, EmailClaimItem.person_id == person.id)
    use_code(changes, code)
    pending = AddressChangeItem(*address_change_key(person.scope))
    changes.delete(pending, AddressChangeItem.email == email)


def ask_for_address(changes: Changes, person: PersonScope, email: str) -> None:
    """Stores the address as long as its code is valid; it replaces one asked for before."""
    key, expires_at = address_change_key(person), clock.now() + VALID_FOR
    changes.save(AddressChangeItem(*key, email=email, expiration=expires_at))


def requested_address(person: PersonScope) -> str | None:
    """Returns the address that the person asked for."""
    row = find(AddressChangeItem, address_change_key(person))
    return row.email if row else None


def begin_app(changes: Changes, person: PersonScope, seed: str) -> None:
    """Stores the seed until the app shows a code; it replaces one begun before."""
    key, expires_at = pending_authenticator_key(person), clock.now() + SET_UP_WITHIN
    changes.save(
        PendingAuthenticatorItem(
            *key, seed=seal_seed(seed, key), expires_at=expires_at, expiration=expires_at
        )
    )


def try_app(person: PersonScope) -> PendingSeed:
    """Returns the seed that is being set up, for one try at a code of it.

    The try is counted at once, outside the request's changes: it counts although the answer is a
    problem. Raises ChallengeClosed if nothing was begun, its time is over or five tries were made.
    """
    key = pending_authenticator_key(person)
    row = find(PendingAuthenticatorItem, key)
    if row is None or clock.now() >= row.expires_at or row.tries >= MAX_TRIES:
        raise ChallengeClosed()
    tried = Changes()
    tried.update(
        PendingAuthenticatorItem(*key),
        [PendingAuthenticatorItem.tries.add(1)],
        (PendingAuthenticatorItem.seed == row.seed) & (PendingAuthenticatorItem.tries < MAX_TRIES),
    )
    tried.commit()
    return PendingSeed(unseal_seed(row.seed, key), row.seed)


def end_app_set_up(changes: Changes, person: PersonScope, pending: PendingSeed) -> None:
    """Ends the set-up of a seed, which is good for one transaction."""
    row = PendingAuthenticatorItem(*pending_authenticator_key(person))
    changes.delete(row, PendingAuthenticatorItem.seed == pending.sealed)


def delete_person(changes: Changes, person: Person) -> None:
    """Deletes the account and frees its address, if the account is still as it was read.

    The attempts that are counted for the address are deleted, too: they name it.
    """
    row = find(PersonItem, person_key(person.scope))
    if row is None:
        raise LostRace()
    changes.delete(row, _unchanged(person))
    claim = EmailClaimItem(*email_claim_key(person.email))
    changes.delete(claim, EmailClaimItem.person_id == person.id)
    delete_attempts_for(changes, person.email)


def delete_some(changes: Changes, person: PersonScope) -> int:
    """Deletes some rows of the person's partition, and what they name; returns how many they were.

    A session's pointer names the session's own row, a membership's the membership.
    """
    keys = keys_in(person.key, ROWS_AT_ONCE)
    rows = find_all(key for key in keys if key[1].startswith(("session#", "membership#")))
    for key in keys:
        changes.delete(Item(*key))
        named = _named_by(person, rows.get(key))
        if named:
            changes.delete(Item(*named))
    return len(keys)


def _named_by(person: PersonScope, pointer: Item | None) -> Key | None:
    if isinstance(pointer, SessionPointerItem):
        return token_key(pointer.digest)
    if isinstance(pointer, MembershipPointerItem):
        return membership_key(WorkspaceScope(pointer.workspace_id), person.id)
    return None


def _change(changes: Changes, person: Person, actions: Sequence[Action]) -> None:
    changes.update(
        PersonItem(*person_key(person.scope)),
        [*actions, *trusted_browsers.revoke_actions()],
        _unchanged(person),
    )
    _sweep_browsers(changes, person)


def _sweep_browsers(changes: Changes, person: Person) -> None:
    changes.after_commit(lambda: trusted_browsers.sweep(person))


def _unchanged(person: Person) -> Condition:
    """Returns the condition that the account's address, password and methods are unchanged."""
    same: Condition = (
        (PersonItem.email == person.email)
        & (PersonItem.password_hash == person.password_hash)
        & is_as_read(PersonItem.app_since, person.app_since)
        & is_as_read(PersonItem.email_codes_since, person.email_codes_since)
    )
    return same
