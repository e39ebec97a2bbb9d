"""Passwords: their parameters, and what counts as the same one."""

import pytest
from pydantic import BaseModel, ValidationError

from storepost.accounts.identity import passwords
from storepost.accounts.identity.passwords import (
    Password,
    SubmittedPassword,
    hash_password,
    needs_rehash,
    verify_password,
)


class Body(BaseModel):
    """A body with both kinds."""

    new: Password
    submitted: SubmittedPassword


@pytest.fixture(autouse=True)
def _cheap_hashes() -> None:
    """These tests are about the real parameters, so the suite's cheap ones don't apply."""
    passwords._hasher.cache_clear()
    passwords._dummy.cache_clear()


def test_argon2id_with_19_mib_two_passes_and_one_lane() -> None:
    assert hash_password("correct horse").startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_only_the_same_password_verifies() -> None:
    stored = hash_password("correct horse")
    assert verify_password(stored, "correct horse")
    assert not verify_password(stored, "Correct horse")
    assert not verify_password(stored, "correct horse ")


def test_equal_passwords_have_different_hashes() -> None:
    assert hash_password("correct horse") != hash_password("correct horse")


def test_unicode_compatibility_forms_are_equal() -> None:
    assert verify_password(hash_password("cafe\u0301 \u2168"), "caf\u00e9 IX")


def test_unknown_account_is_compared_with_dummy_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    class Spy:
        """Counts the calls of the hasher."""

        def __init__(self) -> None:
            self.real = original()

        def hash(self, password: str) -> str:
            return str(self.real.hash(password))

        def verify(self, stored: str, password: str) -> bool:
            compared.append(stored)
            return bool(self.real.verify(stored, password))

    original = passwords._hasher
    monkeypatch.setattr(passwords, "_hasher", Spy)
    stored_hash = hash_password("correct horse")
    assert not verify_password(None, "correct horse")
    assert verify_password(stored_hash, "correct horse")
    nobody, somebody = compared
    parameters = "$argon2id$v=19$m=19456,t=2,p=1$"
    assert (nobody.startswith(parameters), somebody) == (True, stored_hash)


def test_malformed_hash_never_verifies() -> None:
    assert not verify_password("plain text", "plain text")


def test_weaker_hash_needs_rehash() -> None:
    weaker = hash_password("correct horse").replace("t=2", "t=1")
    assert needs_rehash(weaker)
    assert not needs_rehash(hash_password("correct horse"))


def test_repr_of_body_hides_passwords() -> None:
    body = Body(new="a secret password", submitted="another secret")
    assert "secret" not in repr(body)
    assert "secret" not in str(body)


@pytest.mark.parametrize("length", [12, 200])
def test_shortest_and_longest_password_are_accepted(length: int) -> None:
    assert len(Body(new="p" * length, submitted="x").new) == length


@pytest.mark.parametrize("length", [11, 201])
def test_too_short_or_too_long_password_is_refused(length: int) -> None:
    with pytest.raises(ValidationError) as error:
        Body(new="p" * length, submitted="x")
    assert [e["loc"] for e in error.value.errors()] == [("new",)]
