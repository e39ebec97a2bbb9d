"""Limits of attempts in a sliding window: exact, counted before the secret is compared.

An attempt is counted first and given back if it succeeds, so that concurrent guesses can't exceed
the limit. Both writes are made at once, outside a request's `Changes`: attempts count even though
the answer is a problem (docs/interface.md, section 3).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import ceil

from storepost.accounts.identity.credentials import (
    AttemptsItem,
    address_attempts_key,
    in_milliseconds,
    pair_attempts_key,
    person_attempts_key,
    place_attempts_key,
    source_attempts_key,
)
from storepost.accounts.identity.problems import (
    CodeSendLimit,
    ResetLimit,
    SignInLimit,
    SignUpLimit,
    TwoFactorLimit,
)
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item, Key, find
from storepost.values import clock
from storepost.values.problems import Conflict, TooManyRequests
from storepost.values.scope import PersonScope


@dataclass(frozen=True)
class Limit:
    """At most so many attempts in any window of that length."""

    name: str
    most: int
    within: timedelta
    problem: type[TooManyRequests]
    locks: bool = False
    """Once the limit is reached, all is refused until a whole window after the last attempt."""


_WITHIN = timedelta(minutes=15)
PASSWORDS_OF_PAIR = Limit("password_pair", 10, _WITHIN, SignInLimit)
"""Passwords for an address from one source."""
PASSWORDS_OF_ADDRESS = Limit("password", 100, _WITHIN, SignInLimit)
PASSWORDS_OF_SOURCE = Limit("password_source", 100, _WITHIN, SignInLimit)
PASSWORDS_OF_PLACE = Limit("password_place", 100, _WITHIN, SignInLimit)
"""Passwords from a place at which the person is known, once one of the limits above is reached."""

_HOUR = timedelta(hours=1)
SIGN_UP_EMAILS = Limit("sign_up_email", 5, _HOUR, CodeSendLimit)
RESET_EMAILS = Limit("reset_email", 5, _HOUR, CodeSendLimit)
NEW_ADDRESS_EMAILS = Limit("new_address_email", 5, _HOUR, CodeSendLimit)
NEW_ADDRESSES_OF_PERSON = Limit("new_address", 10, _HOUR, CodeSendLimit)
"""The same emails by the person who asks for them: each may be to another stranger."""
SECOND_STEP_EMAILS = Limit("second_step_email", 5, _HOUR, CodeSendLimit)
"""Counted by person: nobody else can request any."""
SECOND_FACTORS = Limit("second_factor", 10, _HOUR, TwoFactorLimit, locks=True)
SIGN_UPS_OF_SOURCE = Limit("sign_up", 100, _HOUR, SignUpLimit)
RESETS_OF_SOURCE = Limit("reset", 100, _HOUR, ResetLimit)

_OF_ADDRESS = (PASSWORDS_OF_ADDRESS, SIGN_UP_EMAILS, RESET_EMAILS, NEW_ADDRESS_EMAILS)


@dataclass(frozen=True)
class Attempt:
    """An attempt that was counted."""

    limit: Limit
    key: Key
    made: int
    number: int
    """The attempt's number in the window, from 1."""

    @property
    def is_last(self) -> bool:
        """Returns whether the limit is reached, unless this attempt is given back."""
        return self.number == self.limit.most


def count_for_address(limit: Limit, email: str) -> Attempt:
    """Counts an attempt for an address in its form for comparison. Raises the limit's problem."""
    return _count(limit, address_attempts_key(limit.name, email))


def count_for_person(limit: Limit, person: PersonScope) -> Attempt:
    """Counts an attempt of a person. Raises the limit's problem."""
    return _count(limit, person_attempts_key(limit.name, person))


def count_for_source(limit: Limit, ip: str | None) -> Attempt:
    """Counts an attempt from a source address. Raises the limit's problem."""
    return _count(limit, source_attempts_key(limit.name, ip))


def count_password(email: str, ip: str | None) -> list[Attempt]:
    """Counts a password that is about to be compared. If it raises SignInLimit, it counts none."""
    return _count_all(
        (PASSWORDS_OF_PAIR, pair_attempts_key(PASSWORDS_OF_PAIR.name, email, ip)),
        (PASSWORDS_OF_ADDRESS, address_attempts_key(PASSWORDS_OF_ADDRESS.name, email)),
        (PASSWORDS_OF_SOURCE, source_attempts_key(PASSWORDS_OF_SOURCE.name, ip)),
    )


def count_new_address(person: PersonScope, email: str) -> None:
    """Counts an email that a person has sent to a new address, for both.

    Raises CodeSendLimit; then it counts for neither.
    """
    _count_all(
        (NEW_ADDRESS_EMAILS, address_attempts_key(NEW_ADDRESS_EMAILS.name, email)),
        (NEW_ADDRESSES_OF_PERSON, person_attempts_key(NEW_ADDRESSES_OF_PERSON.name, person)),
    )


def count_at_place(place: Key) -> Attempt:
    """Counts a password from a place at which its person is known. Raises SignInLimit."""
    return _count(PASSWORDS_OF_PLACE, place_attempts_key(PASSWORDS_OF_PLACE.name, place))


def give_back(*attempts: Attempt) -> None:
    """Takes back attempts that were right. If that isn't possible, they stay counted."""
    with suppress(Conflict):
        commit_anew(partial(_delete_all, attempts))


def delete_attempts_for(changes: Changes, email: str) -> None:
    """Deletes the attempts for an address, as part of a unit of work."""
    for limit in _OF_ADDRESS:
        changes.delete(Item(*address_attempts_key(limit.name, email)))


def _count(limit: Limit, key: Key) -> Attempt:
    [attempt] = _count_all((limit, key))
    return attempt


def _count_all(*subjects: tuple[Limit, Key]) -> list[Attempt]:
    """Counts an attempt for each subject, or for none if one of them has reached its limit."""
    try:
        return commit_anew(lambda changes: [_add(changes, *subject) for subject in subjects])
    except Conflict:  # so many at once that this one never got its turn: refused, never let through
        raise subjects[0][0].problem() from None


def _add(changes: Changes, limit: Limit, key: Key) -> Attempt:
    row, now = find(AttemptsItem, key) or AttemptsItem(*key, made=[]), clock.now()
    counted = _counted_since(row.made, limit, now)
    if len(counted) >= limit.most:
        since = counted[-1] if limit.locks else counted[-limit.most]
        raise limit.problem(retry_after=_seconds_until(since, limit.within, now))
    made = in_milliseconds(now)
    row.made = [*counted, made]
    row.expiration = now + limit.within
    changes.save(row)
    return Attempt(limit, key, made, len(row.made))


def _delete_all(attempts: Sequence[Attempt], changes: Changes) -> None:
    for attempt in attempts:
        _delete(attempt, changes)


def _delete(attempt: Attempt, changes: Changes) -> None:
    row = find(AttemptsItem, attempt.key)
    if row is None or attempt.made not in row.made:
        return
    made = list(row.made)
    made.remove(attempt.made)
    row.made = made
    changes.save(row)


def _counted_since(made: list[int], limit: Limit, now: datetime) -> list[int]:
    """Returns the attempts in the window that ends now; of a lock in force, those that set it."""
    window = limit.within // timedelta(milliseconds=1)
    recent = [moment for moment in made if moment > in_milliseconds(now) - window]
    if limit.locks and recent and len(made) >= limit.most:
        return made
    return recent


def _seconds_until(since: int, window: timedelta, now: datetime) -> int:
    return ceil((since - in_milliseconds(now)) / 1000 + window.total_seconds())
