"""Passwords: Argon2id with 19 MiB, two passes and one lane (docs/architecture.md, section 8).

Compared in Unicode's NFKC form, so that a password typed on another keyboard or system is the same
password (NIST SP 800-63B, section 5.1.1.2); nothing is trimmed and case counts.
"""

import unicodedata
from functools import cache
from typing import Annotated, Any

from pydantic import Field, StringConstraints

MIN_LENGTH = 12
MAX_LENGTH = 200
MEMORY_KIB = 19 * 1024
PASSES = 2
LANES = 1

_IN_SCHEMA: dict[str, Any] = {"format": "password", "writeOnly": True}

Password = Annotated[
    str,
    StringConstraints(min_length=MIN_LENGTH, max_length=MAX_LENGTH),
    Field(repr=False, json_schema_extra=_IN_SCHEMA),
]
"""A new password in a request: 12 to 200 characters as they are sent."""

SubmittedPassword = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_LENGTH),
    Field(repr=False, json_schema_extra=_IN_SCHEMA),
]
"""A password in a request that has to match: if it is too short it is wrong, not invalid."""


def hash_password(password: str) -> str:
    """Returns the password's Argon2id hash in PHC string form."""
    return str(_hasher().hash(_normalised(password)))


def verify_password(password_hash: str | None, password: str) -> bool:
    """Returns whether the password is the hash's.

    None, for an address without an account, takes as long as a wrong password and returns False.
    """
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - costly

    dummy = _dummy()  # made here in either case, or a container's first unknown address would show
    try:
        return bool(_hasher().verify(password_hash or dummy, _normalised(password)))
    except (VerificationError, InvalidHashError):
        return False


def needs_rehash(password_hash: str) -> bool:
    """Returns whether the hash was made with other parameters than today's."""
    return bool(_hasher().check_needs_rehash(password_hash))


@cache
def _hasher() -> Any:  # noqa: ANN401 - imported only where a password is at hand
    from argon2 import PasswordHasher  # noqa: PLC0415

    return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES)


@cache
def _dummy() -> str:
    """Returns a hash with the same parameters, of which no password is known."""
    from secrets import token_urlsafe  # noqa: PLC0415

    return hash_password(token_urlsafe(32))


def _normalised(password: str) -> str:
    return unicodedata.normalize("NFKC", password)
