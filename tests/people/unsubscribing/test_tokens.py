"""The links' tokens: their content, their cost, and that nobody can forge or change one."""

import os
import string
from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from storepost.people.unsubscribing.links import UnsubscribeLink, read_link
from storepost.platform.persistence import sealed_tokens, sealing
from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import (
    Purpose,
    _kms,
    clear_key_cache,
    derived_key,
    keyed_hash,
)
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import ServiceSettings, settings
from tests.harness.call_interruption import counted

FIRST_KEY = os.environ["CODE_KEY_ID"]
ALPHABET = string.ascii_letters + string.digits + "-_"
THIS = Purpose.UNSUBSCRIBE_LINK
HERE = WorkspaceScope(UUID("6a1f0a5e-92d7-4a7c-9b1c-0f3f4c2f7a55"))
PERSON = UUID("0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11")
LINK = UnsubscribeLink(HERE, PERSON, "erika.canary@example.com", "spring sale")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.fixture(scope="module", autouse=True)
def _own_keys() -> Iterator[None]:
    clear_key_cache()
    yield
    clear_key_cache()


def new_key() -> str:
    """Another key, as an operator makes it."""
    made = _kms().create_key(KeyUsage="GENERATE_VERIFY_MAC", KeySpec="HMAC_256")
    return str(made["KeyMetadata"]["KeyId"])


def give_keys(patch: pytest.MonkeyPatch, keys: dict[int, str]) -> None:
    """Deploys other keys."""
    other = replace(settings(), code_key_ids=keys)
    for module in (sealed_tokens, sealing):
        patch.setattr(module, "settings", lambda: other)
    clear_key_cache()


class TestLinks:
    """A link and its token."""

    @given(st.uuids(), st.uuids(), TEXTS, st.none() | TEXTS)
    def test_token_round_trip(
        self, workspace: UUID, profile: UUID, email: str, reference: str | None
    ) -> None:
        link = UnsubscribeLink(WorkspaceScope(workspace), profile, email, reference)
        assert set(link.token) <= set(ALPHABET)
        assert read_link(link.token) == link

    @given(st.data())
    def test_any_changed_character_is_refused(self, data: st.DataObject) -> None:
        token = LINK.token
        at = data.draw(st.integers(0, len(token) - 1))
        letter = data.draw(st.sampled_from(ALPHABET) | st.characters(exclude_categories=["Cs"]))
        assume(letter != token[at])
        assert read_link(token[:at] + letter + token[at + 1 :]) is None

    def test_last_character_has_one_valid_encoding(self) -> None:
        """The last letter has spare bits, which Python's decoder ignores."""
        for length in range(3):
            link = UnsubscribeLink(HERE, PERSON, "a@example.com" + "m" * length, None)
            token = link.token
            assert [each for each in ALPHABET if read_link(token[:-1] + each)] == [token[-1]]

    @given(st.integers(0, 200), st.text(ALPHABET + "=+/ \n%ä", min_size=1, max_size=8))
    def test_truncated_or_extended_token_is_refused(self, at: int, more: str) -> None:
        token = LINK.token
        cut = token[: at % len(token)]
        for other in (cut, token + more, more + token, cut + more + token[len(cut) :]):
            assert read_link(other) is None

    @given(st.text() | st.binary(max_size=80).map(sealed_tokens._text))
    def test_arbitrary_text_is_refused(self, token: str) -> None:
        assert read_link(token) is None

    def test_token_and_repr_contain_no_personal_data(self) -> None:
        raw = sealed_tokens._bytes(LINK.token)
        for secret in (PERSON.bytes, b"erika", b"example", b"spring"):
            assert secret not in raw
        assert "erika" not in repr(LINK)
        assert "spring" not in repr(LINK)


class TestSealing:
    """What every sealed token promises."""

    def test_token_opens_only_for_its_purpose(self) -> None:
        token = seal_token(b"content", HERE, THIS)
        assert open_token(token, THIS) == (HERE, b"content")
        assert [p for p in Purpose if open_token(token, p)] == [THIS]

    def test_token_opens_only_for_its_workspace(self) -> None:
        other = WorkspaceScope(PERSON)
        one, another = (
            sealed_tokens._bytes(seal_token(b"content", each, THIS)) for each in (HERE, other)
        )
        swapped = sealed_tokens._text(another[:17] + one[17:])
        assert open_token(swapped, THIS) is None

    def test_old_key_generation_opens_until_removed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        old = seal_token(b"content", HERE, THIS)
        give_keys(monkeypatch, {1: FIRST_KEY, 2: (second := new_key())})
        new = seal_token(b"content", HERE, THIS)
        assert new != old
        assert [open_token(each, THIS) for each in (old, new)] == [(HERE, b"content")] * 2
        give_keys(monkeypatch, {2: second})
        assert [open_token(each, THIS) for each in (old, new)] == [None, (HERE, b"content")]

    def test_token_opens_only_with_key_of_its_generation(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A token opens with the key of its own generation only; the other keys don't matter."""
        give_keys(monkeypatch, {1: new_key(), 2: (second := new_key())})
        token = seal_token(b"content", HERE, THIS)
        give_keys(monkeypatch, {1: new_key(), 2: second})
        assert open_token(token, THIS) == (HERE, b"content")
        give_keys(monkeypatch, {1: second, 2: new_key()})
        assert open_token(token, THIS) is None

    def test_keyed_hash_uses_first_key_after_rotation(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hashed = keyed_hash("a", Purpose.ERASED_ADDRESS, HERE.key)
        give_keys(monkeypatch, {1: FIRST_KEY, 2: new_key()})
        assert keyed_hash("a", Purpose.ERASED_ADDRESS, HERE.key) == hashed

    def test_environment_configures_key_per_generation(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CODE_KEY_ID_10", "tenth")
        monkeypatch.setenv("CODE_KEY_ID_2", "second")
        monkeypatch.setenv("CODE_KEY_ID_3", "")
        assert [*ServiceSettings().code_key_ids.items()] == [
            (1, FIRST_KEY),
            (2, "second"),
            (10, "tenth"),
        ]

    def test_kms_is_called_once_per_container(self) -> None:
        clear_key_cache()
        assert counted(lambda: [seal_token(b"c", HERE, THIS) for _ in range(9)]) == ["GenerateMac"]
        assert counted(lambda: open_token(seal_token(b"c", HERE, THIS), THIS)) == []

    def test_derived_keys_are_stable_and_differ_by_purpose(self) -> None:
        key = derived_key(THIS, 1)
        assert len(key) == 64
        assert key != derived_key(Purpose.ERASED_ADDRESS, 1)
        clear_key_cache()
        assert derived_key(THIS, 1) == key
