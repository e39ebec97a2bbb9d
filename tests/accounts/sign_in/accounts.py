"""Accounts that can sign in, and the credentials of their owners."""

import base64
import hashlib
import hmac
import re
import struct
from datetime import datetime

from storepost.accounts.identity import two_factor
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.repository import (
    PersonItem,
    person_key,
)
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.harness.world import Answer, Email, Someone, World

PASSWORD = "correct horse battery"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def account(world: World, name: str | None = None, *, verified: bool = True) -> Someone:
    """A person whose password is `PASSWORD`."""
    person = world.person(name, verified=verified)
    _change(person, PersonItem.password_hash.set(hash_password(PASSWORD)))
    return person


def with_app(person: Someone) -> str:
    """Turns the app method on: its seed."""
    seed, changes = two_factor.new_seed(), Changes()
    two_factor.keep_seed(changes, PersonScope(person.id), seed, 0)
    changes.commit()
    _change(person, PersonItem.app_since.set(clock.now()))
    return seed


def with_email_codes(person: Someone) -> None:
    """Turns the email method on."""
    _change(person, PersonItem.email_codes_since.set(clock.now()))


def with_backup_codes(person: Someone) -> list[str]:
    """Ten new backup codes."""
    changes = Changes()
    codes = two_factor.new_backup_codes(changes, PersonScope(person.id))
    changes.commit()
    return codes


def totp(seed: str, moment: datetime, steps: int = 0) -> str:
    """An authenticator app's code as RFC 6238 and RFC 4226 say, so many steps on."""
    counter = int(moment.timestamp()) // 30 + steps
    mac = hmac.digest(base64.b32decode(seed), struct.pack(">Q", counter), hashlib.sha1)
    offset = mac[-1] & 0xF
    number = struct.unpack(">I", mac[offset : offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 10**6:06d}"


def code_in(email: Email) -> str:
    """The one code in an email: six digits on a line of their own."""
    [code] = re.findall(r"^\d{6}$", email.text, re.MULTILINE)
    return str(code)


def fragment_in(email: Email, page: str) -> str:
    """The part of a page's link behind its `#`."""
    [fragment] = set(re.findall(rf"https://api\.example\.com/v1/pages/{page}#(\S+)", email.text))
    return str(fragment)


def another(code: str) -> str:
    """A wrong code."""
    return f"{(int(code) + 1) % 10**6:06d}"


def try_sign_in(
    world: World,
    email: str,
    password: str = PASSWORD,
    *,
    source_ip: str = "203.0.113.7",
    **more: object,
) -> Answer:
    """POST /auth/sign-in."""
    body = {"email": email, "password": password, **more}
    headers = {"user-agent": FIREFOX}
    return world.call("POST", "/auth/sign-in", json_body=body, headers=headers, source_ip=source_ip)


def challenged(world: World, person: Someone) -> str:
    """A challenge of the person, whose password was right."""
    answer = try_sign_in(world, person.email)
    assert answer.status == 200, answer.body
    assert answer.json["status"] == "two_factor_required"
    return str(answer.json["challenge"])


def try_second_step(
    world: World,
    challenge: str,
    method: str,
    code: str,
    *,
    source_ip: str = "203.0.113.7",
    **more: object,
) -> Answer:
    """POST /auth/two-factor/verify."""
    body = {"challenge": challenge, "method": method, "code": code, **more}
    return world.call(
        "POST",
        "/auth/two-factor/verify",
        json_body=body,
        headers={"user-agent": FIREFOX},
        source_ip=source_ip,
    )


def signs_in(world: World, token: str) -> bool:
    """Whether the token authenticates: an anonymous caller gets 401, a known one an answer."""
    return world.call("GET", "/invitations", token=token).status != 401


def _change(person: Someone, action: object) -> None:
    changes, row = Changes(), PersonItem(*person_key(PersonScope(person.id)))
    changes.update(row, [action])  # type: ignore[list-item]
    changes.commit()
