"""The second step: an authenticator app's codes (RFC 6238), emailed codes and backup codes.

TOTP is of 30 s, SHA-1 and 6 digits, with one step either way; a step is never used twice.
"""

import hmac
import secrets
from datetime import datetime
from enum import StrEnum
from typing import Any

from storepost.accounts.identity.codes import check_code, plain, use_code
from storepost.accounts.identity.credentials import (
    AuthenticatorItem,
    BackupCodesItem,
    authenticator_key,
    backup_codes_key,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.problems import ChallengeClosed, CodeInvalid
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, find
from storepost.platform.persistence.sealing import Purpose, code_mac, seal, unseal
from storepost.values import clock
from storepost.values.scope import PersonScope

STEP_SECONDS = 30
DIGITS = 6
ISSUER = "Storepost"
BACKUP_CODES = 10
_BACKUP_LENGTH = 10
_BACKUP_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # 32 characters: 50 bits a code


class SecondFactor(StrEnum):
    """What the second step of signing in is taken by. `app`: a code that an authenticator app
    shows. `email`: a code that was emailed. `backup_code`: one of ten codes that the person
    keeps.
    """

    APP = "app"
    EMAIL = "email"
    BACKUP_CODE = "backup_code"


def methods_of(person: Person) -> list[SecondFactor]:
    """Returns the person's methods for the second step."""
    has = {
        SecondFactor.APP: person.app_since is not None,
        SecondFactor.EMAIL: person.email_codes_since is not None,
        SecondFactor.BACKUP_CODE: backup_codes_left(person.scope) > 0,
    }
    return [method for method in SecondFactor if has[method]]


def verify_second_factor(
    changes: Changes, person: Person, method: SecondFactor, code: str, emailed: Key
) -> None:
    """Adds to `changes` that the code is used up; one code is good for one transaction.

    `emailed` is the key of the challenge's emailed code. Raises `CodeInvalid`; the caller counts
    the try before (limits.SECOND_FACTORS).
    """
    match method:
        case SecondFactor.APP:
            _use_app_code(changes, person, code)
        case SecondFactor.EMAIL:
            _use_emailed_code(changes, person, code, emailed)
        case SecondFactor.BACKUP_CODE:
            _use_backup_code(changes, person.scope, code)


def new_seed() -> str:
    """Returns 160 random bits in Base32, as RFC 4226 asks for and apps read them."""
    return str(_pyotp().random_base32())


def otpauth_uri(seed: str, email: str) -> str:
    """Returns the address that an authenticator app reads, as a link or from a QR code."""
    return str(_pyotp().TOTP(seed).provisioning_uri(name=email, issuer_name=ISSUER))


def matching_step(seed: str, code: str, now: datetime, after: int | None = None) -> int | None:
    """Returns the time step of the code: the present one or one of its neighbours.

    It returns None if it is none of them, or not after the step `after`. All three are compared, in
    constant time.
    """
    totp, submitted = (
        _pyotp().TOTP(seed, digits=DIGITS, interval=STEP_SECONDS),
        plain(code).encode(),
    )
    present = int(now.timestamp()) // STEP_SECONDS
    found = None
    for step in (present - 1, present, present + 1):
        fits = hmac.compare_digest(str(totp.generate_otp(step)).encode(), submitted)
        if fits and (after is None or step > after):
            found = step
    return found


def seal_seed(seed: str, key: Key) -> str:
    """Returns the seed sealed for the row at `key`; it can't be opened anywhere else."""
    return seal(seed.encode(), Purpose.AUTHENTICATOR_SEED, "|".join(key))


def unseal_seed(sealed: str, key: Key) -> str:
    """Returns the seed that `seal_seed` sealed for that row."""
    return unseal(sealed, Purpose.AUTHENTICATOR_SEED, "|".join(key)).decode()


def keep_seed(changes: Changes, person: PersonScope, seed: str, step: int) -> None:
    """Stores the seed of the person's app; `step`'s code proved it and doesn't count again."""
    key = authenticator_key(person)
    changes.save(AuthenticatorItem(*key, seed=seal_seed(seed, key), last_step=step))


def delete_seed(changes: Changes, person: PersonScope) -> None:
    """Deletes the seed of the person's app; repeatable."""
    changes.delete(AuthenticatorItem(*authenticator_key(person)))


def new_backup_codes(changes: Changes, person: PersonScope) -> list[str]:
    """Returns ten codes, each good for one sign-in; the former ones end."""
    codes = [
        "".join(secrets.choice(_BACKUP_ALPHABET) for _ in range(_BACKUP_LENGTH))
        for _ in range(BACKUP_CODES)
    ]
    key = backup_codes_key(person)
    changes.save(BackupCodesItem(*key, macs={_backup_mac(code, key) for code in codes}))
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def delete_backup_codes(changes: Changes, person: PersonScope) -> None:
    """Deletes the person's backup codes; repeatable."""
    changes.delete(BackupCodesItem(*backup_codes_key(person)))


def backup_codes_left(person: PersonScope) -> int:
    """Returns how many codes haven't been used yet."""
    row = find(BackupCodesItem, backup_codes_key(person))
    return len(row.macs or ()) if row else 0


def _use_app_code(changes: Changes, person: Person, code: str) -> None:
    key = authenticator_key(person.scope)
    row = find(AuthenticatorItem, key) if person.app_since else None
    if row is None:
        raise CodeInvalid()
    step = matching_step(unseal_seed(row.seed, key), code, clock.now(), int(row.last_step))
    if step is None:
        raise CodeInvalid()
    changes.update(
        AuthenticatorItem(*key),
        [AuthenticatorItem.last_step.set(step)],
        (AuthenticatorItem.last_step < step) & (AuthenticatorItem.seed == row.seed),
        on_conflict=CodeInvalid(),
    )


def _use_emailed_code(changes: Changes, person: Person, code: str, emailed: Key) -> None:
    if person.email_codes_since is None:
        raise CodeInvalid()
    try:
        use_code(changes, check_code(emailed, code))
    except ChallengeClosed:  # none was sent, or its time is over: the challenge itself is open yet
        raise CodeInvalid() from None


def _use_backup_code(changes: Changes, person: PersonScope, code: str) -> None:
    key = backup_codes_key(person)
    row = find(BackupCodesItem, key)
    digest = _backup_mac(plain(code), key)
    matches = [hmac.compare_digest(digest, mac) for mac in (row.macs or ())] if row else []
    if not any(matches):
        raise CodeInvalid()
    changes.update(
        BackupCodesItem(*key),
        [BackupCodesItem.macs.delete({digest})],
        BackupCodesItem.macs.contains(digest),
        on_conflict=CodeInvalid(),
    )


def _backup_mac(code: str, key: Key) -> str:
    return code_mac(code, Purpose.BACKUP_CODE, "|".join(key))


def _pyotp() -> Any:  # noqa: ANN401 - imported only where a code is at hand
    import pyotp  # noqa: PLC0415

    return pyotp
