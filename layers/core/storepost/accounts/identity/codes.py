"""Emailed codes: six digits, ten minutes, five wrong tries (docs/interface.md, section 3).

A code is stored beside its purpose: the caller names the row's key, and each key has one code at a
time. Only an HMAC is stored, under a key that never leaves KMS.
"""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated

from pydantic import Field, StringConstraints

from storepost.accounts.identity.credentials import EmailedCodeItem
from storepost.accounts.identity.problems import ChallengeClosed, CodeInvalid
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, find
from storepost.platform.persistence.sealing import Purpose, code_mac, code_matches
from storepost.values import clock

DIGITS = 6
VALID_FOR = timedelta(minutes=10)
MAX_TRIES = 5
MAX_LENGTH = 32
_DECORATION = str.maketrans("", "", " -")

Code = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_LENGTH),
    Field(repr=False),
]
"""A code in a request. One in the wrong form counts as a wrong code, not as an invalid field."""


@dataclass(frozen=True)
class EmailedCode:
    """A code that a request proved, and that no transaction has used up yet."""

    key: Key
    mac: str = field(repr=False)


def issue_code(changes: Changes, key: Key) -> str:
    """Returns a new code to email, with tries of its own; an earlier one ends."""
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
    expires_at = clock.now() + VALID_FOR
    changes.save(
        EmailedCodeItem(
            *key,
            mac=code_mac(code, Purpose.EMAILED_CODE, _context(key)),
            expires_at=expires_at,
            expiration=expires_at,
        )
    )
    return code


def check_code(key: Key, code: str) -> EmailedCode:
    """Returns the code behind `key` if `code` is the same, without using it up.

    The try is counted at once, before the code is compared: it counts although the answer is a
    problem. Raises `CodeInvalid`, and `ChallengeClosed` if there is no code, its time is over or
    its tries are used up.
    """
    row = find(EmailedCodeItem, key)
    if row is None or clock.now() >= row.expires_at or row.tries >= MAX_TRIES:
        raise ChallengeClosed()
    tried = Changes()
    tried.update(
        EmailedCodeItem(*key),
        [EmailedCodeItem.tries.add(1)],
        (EmailedCodeItem.mac == row.mac) & (EmailedCodeItem.tries < MAX_TRIES),
    )
    tried.commit()
    if not code_matches(plain(code), Purpose.EMAILED_CODE, _context(key), row.mac):
        raise CodeInvalid()
    return EmailedCode(key, row.mac)


def use_code(changes: Changes, code: EmailedCode) -> None:
    """Uses up a proven code: it is good for one transaction, and `ChallengeClosed` in any other."""
    changes.delete(
        EmailedCodeItem(*code.key), EmailedCodeItem.mac == code.mac, on_conflict=ChallengeClosed()
    )


def plain(code: str) -> str:
    """Returns the code without the spaces and hyphens that people group it by, in upper case."""
    return code.translate(_DECORATION).upper()


def _context(key: Key) -> str:
    return "|".join(key)
