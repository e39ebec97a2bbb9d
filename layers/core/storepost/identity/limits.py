"""Limits of attempts in a sliding window: exact, counted before the secret is compared.

An attempt is counted first and given back where it succeeds, so that guesses made at the same time
can't overrun the limit. Both writes are made at once, outside a request's `Changes`: attempts count
even though the answer is a problem (operations.md, section 3).
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import ceil

from storepost import clock
from storepost.identity.credentials import (
    AttemptsItem,
    address_attempts_key,
    in_milliseconds,
    person_attempts_key,
    source_attempts_key,
)
from storepost.identity.problems import CodeSendLimit, SignInLimit, SignUpLimit, TwoFactorLimit
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.item import Item, Key, find
from storepost.problems import Conflict, TooManyRequests
from storepost.scope import PersonScope


@dataclass(frozen=True)
class Limit:
    """At most so many attempts in any window of that length."""

    name: str
    most: int
    within: timedelta
    problem: type[TooManyRequests]
    locks: bool = False
    """Once reached, nothing is let through until a whole window after the last attempt."""


PASSWORDS_OF_ADDRESS = Limit("password", 10, timedelta(minutes=15), SignInLimit)
PASSWORDS_OF_SOURCE = Limit("password_source", 100, timedelta(minutes=15), SignInLimit)
CODES_TO_ADDRESS = Limit("code_send", 5, timedelta(hours=1), CodeSendLimit)
SECOND_FACTORS = Limit("second_factor", 10, timedelta(hours=1), TwoFactorLimit, locks=True)
SIGN_UPS_OF_SOURCE = Limit("sign_up", 100, timedelta(hours=1), SignUpLimit)

_OF_ADDRESS = (PASSWORDS_OF_ADDRESS.name, CODES_TO_ADDRESS.name)


@dataclass(frozen=True)
class Attempt:
    """An attempt that was counted."""

    limit: Limit
    key: Key
    made: int
    number: int
    """Which of the window's attempts it is, from 1."""

    @property
    def is_last(self) -> bool:
        """Whether the limit is reached, unless this attempt is given back."""
        return self.number == self.limit.most


def count_for_address(limit: Limit, email: str) -> Attempt:
    """Counts an attempt for an address as it is compared. Raises the limit's problem."""
    return _count(limit, address_attempts_key(limit.name, email))


def count_for_person(limit: Limit, person: PersonScope) -> Attempt:
    """Counts an attempt of a person. Raises the limit's problem."""
    return _count(limit, person_attempts_key(limit.name, person))


def count_for_source(limit: Limit, ip: str | None) -> Attempt:
    """Counts an attempt from a source address. Raises the limit's problem."""
    return _count(limit, source_attempts_key(limit.name, ip))


def give_back(*attempts: Attempt) -> None:
    """Takes attempts back that turned out right. One that can't be stays counted."""
    for attempt in attempts:
        with suppress(Conflict):
            commit_anew(partial(_remove, attempt))


def forget_address(changes: Changes, email: str) -> None:
    """Removes what was counted for an address, as part of a unit of work."""
    for name in _OF_ADDRESS:
        changes.delete(Item(*address_attempts_key(name, email)))


def _count(limit: Limit, key: Key) -> Attempt:
    try:
        return commit_anew(lambda changes: _add(changes, limit, key))
    except Conflict:  # so many at once that this one never got its turn: refused, never let through
        raise limit.problem() from None


def _add(changes: Changes, limit: Limit, key: Key) -> Attempt:
    row, now = find(AttemptsItem, key) or AttemptsItem(*key, made=[]), clock.now()
    counted = _still_counted(row.made, limit, now)
    if len(counted) >= limit.most:
        since = counted[-1] if limit.locks else counted[-limit.most]
        raise limit.problem(retry_after=_seconds_until(since, limit.within, now))
    made = in_milliseconds(now)
    row.made = [*counted, made]
    row.expiration = now + limit.within
    changes.save(row)
    return Attempt(limit, key, made, len(row.made))


def _remove(attempt: Attempt, changes: Changes) -> None:
    row = find(AttemptsItem, attempt.key)
    if row is None or attempt.made not in row.made:
        return
    made = list(row.made)
    made.remove(attempt.made)
    row.made = made
    changes.save(row)


def _still_counted(made: list[int], limit: Limit, now: datetime) -> list[int]:
    """The attempts in the window that ends now; of a lock in force, those that led to it."""
    window = limit.within // timedelta(milliseconds=1)
    recent = [moment for moment in made if moment > in_milliseconds(now) - window]
    if limit.locks and recent and len(made) >= limit.most:
        return made
    return recent


def _seconds_until(since: int, window: timedelta, now: datetime) -> int:
    return ceil((since - in_milliseconds(now)) / 1000 + window.total_seconds())
