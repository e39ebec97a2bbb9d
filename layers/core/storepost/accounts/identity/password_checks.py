"""Checks a password, with limits that stop strangers from guessing and lock nobody out."""

from collections.abc import Sequence
from dataclasses import dataclass

from storepost.accounts.identity.known_places import known_place
from storepost.accounts.identity.limits import Attempt, count_at_place, count_password, give_back
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.passwords import verify_password
from storepost.accounts.identity.problems import SignInLimit
from storepost.values.problems import Problem


@dataclass(frozen=True)
class Place:
    """The origin of a password."""

    ip: str | None
    browser: str | None = None
    """The token of a browser that may be trusted."""


def check_password(
    person: Person | None, email: str, place: Place, password: str, problem: Problem
) -> None:
    """Raises `problem` if the password isn't the person's, and SignInLimit past the limits.

    Past the limits the right password is accepted where the person is known, and the answer to a
    wrong one says that the limit is reached. For an address without an account it counts, and takes
    as long as for one with an account.
    """
    attempts, wrong = _counted(person, email, place, problem)
    if not verify_password(person.password_hash if person else None, password):
        raise wrong
    give_back(*attempts)


def _counted(
    person: Person | None, email: str, place: Place, problem: Problem
) -> tuple[Sequence[Attempt], Problem]:
    """Returns the attempts that were counted, and the problem of a wrong password."""
    try:
        return count_password(email, place.ip), problem
    except SignInLimit as limit:
        known = known_place(person, place.ip, place.browser)
        if known is None:
            raise
        return [count_at_place(known)], limit
