"""People with passwords and second factors, and what every operation of the account refuses."""

import base64
import hmac
import re
import struct
from functools import cache

from pynamodb.attributes import Attribute

from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.idempotency import RecordItem, unpacked
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import PersonScope
from tests.harness.accounts import person_of, row_of
from tests.harness.world import Answer, Email, Someone, World

PASSWORD = "right canary password"
WRONG = "wrong canary password"
NEW_PASSWORD = "newer canary password"

type Json = dict[str, object]


@cache
def _hash(password: str) -> str:
    return hash_password(password)


def account(world: World) -> Someone:
    """A person who is signed in and whose password is PASSWORD."""
    someone = world.person()
    _write(someone, PersonItem.password_hash, _hash(PASSWORD))
    return someone


def _write(someone: Someone, attribute: Attribute[str], value: str) -> None:
    changes = Changes()
    row = PersonItem(*person_key(PersonScope(someone.id)))
    changes.update(row, [attribute.set(value)])
    changes.commit()


def partition(world: World, someone: Someone) -> set[str]:
    """The sort keys of the person's rows, except the account, its sessions and its limits."""
    keys = {row.sk for row in world.rows(f"person#{short(someone.id)}")}
    apart = ("session#", "attempts#")
    return {key for key in keys if key != "person" and not key.startswith(apart)}


def two_factor(someone: Someone) -> Json:
    """What `GET /me` says of two-factor."""
    answer = someone.call("GET", "/me")
    assert answer.status == 200, answer.body
    found: Json = answer.json["user"]["twoFactor"]
    return found


def trust(someone: Someone, browsers: int = 1) -> None:
    """Makes the person trust some browsers."""
    changes = Changes()
    for _ in range(browsers):
        trusted_browsers.trust_browser(changes, person_of(someone))
    changes.commit()


def totp(secret: str, steps: int = 0) -> str:
    """RFC 6238's code of the present step, or of one so many steps from it."""
    counter = int(clock.now().timestamp()) // 30 + steps
    mac = hmac.digest(base64.b32decode(secret), struct.pack(">Q", counter), "sha1")
    offset = mac[-1] & 0xF
    number = struct.unpack(">I", mac[offset : offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 10**6:06d}"


def wrong(code: str) -> str:
    """Another code of the same form."""
    return f"{(int(code) + 500_000) % 10**6:06d}"


def wrong_totp(secret: str) -> str:
    """A code that is of none of the steps that count."""
    near = {totp(secret, steps) for steps in range(-3, 4)}
    return next(code for code in map("{:06d}".format, range(8)) if code not in near)


def code_in(email: Email) -> str:
    """The six digits in an email."""
    code: str
    [code] = set(re.findall(r"\b\d{6}\b", email.text))
    assert code in email.html
    return code


def start_app(someone: Someone) -> str:
    """Begins to set the app up; the secret."""
    answer = someone.call("POST", "/me/two-factor/app", {"password": PASSWORD})
    assert answer.status == 200, answer.body
    return str(answer.json["secret"])


def app_on(world: World, someone: Someone) -> list[str]:
    """Turns the app method on; the backup codes."""
    code = totp(start_app(someone))
    return _confirmed(someone, "/me/two-factor/app/confirm", code)


def start_email(world: World, someone: Someone) -> str:
    """Asks for the code that turns emailed codes on; the code."""
    answer = someone.call("POST", "/me/two-factor/email")
    assert answer.status == 204, answer.body
    return code_in(world.emails()[-1])


def email_on(world: World, someone: Someone) -> list[str]:
    """Turns the email method on; the backup codes."""
    code = start_email(world, someone)
    return _confirmed(someone, "/me/two-factor/email/confirm", code)


def _confirmed(someone: Someone, path: str, code: str) -> list[str]:
    answer = someone.call("POST", path, {"code": code})
    assert answer.status == 200, answer.body
    codes: list[str] = answer.json["backupCodes"]
    return codes


def refuses_wrong_password(world: World, path: str, body: Json, field: str = "password") -> None:
    """A wrong password is refused and counted; ten of them lock the right one out too."""
    someone = account(world)
    before = row_of(someone).attribute_values
    for _ in range(10):
        answer = someone.call("POST", path, {**body, field: WRONG})
        assert answer.problem() == (422, "password_wrong")
    world.advance(minutes=5)
    answer = someone.call("POST", path, {**body, field: PASSWORD})
    assert answer.problem() == (429, "sign_in_limit")
    assert 0 < int(answer.header("retry-after") or 0) <= 10 * 60
    assert row_of(someone).attribute_values == before
    assert partition(world, someone) == set()
    assert world.emails() == []


def keeps_its_secret(world: World, someone: Someone, path: str, body: Json, secrets: str) -> Answer:
    """The first answer of an operation that tells a secret, after its retries were seen to get it.

    `secrets` names the field. The record holds none of them in clear; another session of the same
    person gets no answer, and nothing runs.
    """
    first = someone.call("POST", path, body, key="k")
    assert first.status == 200, first.body
    before = _state(world, someone)
    again = someone.call("POST", path, body, key="k")
    assert (again.status, again.body) == (200, first.body)
    assert again.header("idempotency-replayed") == "true"
    assert _state(world, someone) == before
    other, _ = world.sign_in(someone.id)
    before = _state(world, someone)
    refused = world.call("POST", path, token=other, json_body=body, key="k")
    assert refused.problem() == (409, "idempotency_secret_sealed")
    assert _state(world, someone) == before
    secret_or_secrets = first.json[secrets]
    records = "".join(str(unpacked(record.answer)) for record in RecordItem.scan() if record.answer)
    assert secret_or_secrets
    assert records
    for secret in [secret_or_secrets] if isinstance(secret_or_secrets, str) else secret_or_secrets:
        assert secret not in records
        assert secret.replace("-", "") not in records
    return first


def _state(world: World, someone: Someone) -> dict[str, Json]:
    rows = world.rows(f"person#{short(someone.id)}")
    return {row.sk: row.attribute_values for row in rows}
