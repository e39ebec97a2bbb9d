"""The second step: TOTP by the RFC's own figures, and backup codes."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.accounts.identity.credentials import (
    AuthenticatorItem,
    BackupCodesItem,
    authenticator_key,
    backup_codes_key,
)
from storepost.accounts.identity.two_factor import (
    backup_codes_left,
    delete_backup_codes,
    delete_seed,
    keep_seed,
    matching_step,
    new_backup_codes,
    new_seed,
    otpauth_uri,
    unseal_seed,
)
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.values.scope import PersonScope
from tests.harness.world import CANARY, World

# RFC 6238, appendix B: the SHA-1 secret is the ASCII text "12345678901234567890", here in Base32.
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
# The appendix' times and codes of eight digits; codes of six are their last six (RFC 4226, 5.3).
VECTORS = [
    (59, "94287082"),
    (1111111109, "07081804"),
    (1111111111, "14050471"),
    (1234567890, "89005924"),
    (2000000000, "69279037"),
    (20000000000, "65353130"),
]


def at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_rfc_6238_test_vectors(seconds: int, code: str) -> None:
    assert matching_step(SECRET, code[-6:], at(seconds)) == seconds // 30


@pytest.mark.parametrize(("seconds", "code"), VECTORS[1:])  # the first has no steps before it
@pytest.mark.parametrize(("steps", "fits"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_adjacent_time_steps_are_accepted(seconds: int, code: str, steps: int, fits: bool) -> None:
    step = matching_step(SECRET, code[-6:], at(seconds + 30 * steps))
    assert step == (seconds // 30 if fits else None)


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
@pytest.mark.parametrize(("after", "fits"), [(-1, True), (0, False), (1, False)])
def test_used_or_earlier_time_step_is_refused(
    seconds: int, code: str, after: int, fits: bool
) -> None:
    step = seconds // 30
    found = matching_step(SECRET, code[-6:], at(seconds), step + after)
    assert found == (step if fits else None)


@settings(deadline=None)
@given(st.text(max_size=8), st.sampled_from(VECTORS))
def test_no_other_text_is_accepted(text: str, vector: tuple[int, str]) -> None:
    seconds, code = vector
    plain = "".join(character for character in text if character not in " -")
    fits = matching_step(SECRET, text, at(seconds)) == seconds // 30
    assert fits == (plain == code[-6:])


def test_grouped_digits_are_accepted() -> None:
    assert matching_step(SECRET, "287 082", at(59)) == 1


def test_seed_has_160_bits() -> None:
    assert {len(new_seed()) for _ in range(20)} == {32}  # Base32: 5 bits a character
    assert len({new_seed() for _ in range(20)}) == 20


def test_otpauth_uri_for_the_authenticator_app() -> None:
    uri = urlsplit(otpauth_uri(SECRET, f"someone.{CANARY}@example.com"))
    assert (uri.scheme, uri.netloc) == ("otpauth", "totp")
    assert unquote(uri.path) == f"/Storepost:someone.{CANARY}@example.com"
    assert parse_qs(uri.query) == {"secret": [SECRET], "issuer": ["Storepost"]}


def test_seed_is_sealed_for_one_person(world: World) -> None:
    one, other = PersonScope(uuid4()), PersonScope(uuid4())
    changes = Changes()
    keep_seed(changes, one, SECRET, 7)
    changes.commit()
    row = find(AuthenticatorItem, authenticator_key(one))
    assert row is not None
    assert (SECRET in row.seed, row.last_step) == (False, 7)
    assert unseal_seed(row.seed, authenticator_key(one)) == SECRET
    with pytest.raises(InvalidTag):
        unseal_seed(row.seed, authenticator_key(other))


def test_deletion_is_idempotent(world: World) -> None:
    person = PersonScope(uuid4())
    for _ in range(2):
        changes = Changes()
        delete_seed(changes, person)
        delete_backup_codes(changes, person)
        changes.commit()
    assert world.rows(person.key) == []


def test_ten_backup_codes_are_stored_as_macs(world: World) -> None:
    person, changes = PersonScope(uuid4()), Changes()
    codes = new_backup_codes(changes, person)
    changes.commit()
    assert len(set(codes)) == 10
    assert all(len(code.replace("-", "")) == 10 for code in codes)
    assert not set("01IO") & set("".join(codes))
    assert backup_codes_left(person) == 10
    row = find(BackupCodesItem, backup_codes_key(person))
    assert row is not None
    stored = "".join(row.macs)
    assert not [code for code in codes if code in stored or code.replace("-", "") in stored]


def test_new_backup_codes_replace_the_old_ones(world: World) -> None:
    person = PersonScope(uuid4())
    rows = []
    for _ in range(2):
        changes = Changes()
        new_backup_codes(changes, person)
        changes.commit()
        rows.append(find(BackupCodesItem, backup_codes_key(person)))
    first, second = rows
    assert first is not None
    assert second is not None
    assert not first.macs & second.macs


def test_new_person_has_no_backup_codes(world: World) -> None:
    assert backup_codes_left(PersonScope(uuid4())) == 0
