"""The links' tokens: their content, and that nobody can forge or change one."""

import string
from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from storepost.people.opt_in.links import OptInLink, read_link
from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import Purpose, clear_key_cache
from storepost.values.scope import WorkspaceScope

ALPHABET = string.ascii_letters + string.digits + "-_"
HERE = WorkspaceScope(UUID("6a1f0a5e-92d7-4a7c-9b1c-0f3f4c2f7a55"))
LINK = OptInLink(HERE, UUID(int=7), UUID(int=9))


@pytest.fixture(scope="module", autouse=True)
def _own_keys() -> Iterator[None]:
    clear_key_cache()
    yield
    clear_key_cache()


@given(st.uuids(), st.uuids(), st.uuids())
def test_token_round_trip(workspace: UUID, profile: UUID, request: UUID) -> None:
    link = OptInLink(WorkspaceScope(workspace), profile, request)
    assert set(link.token) <= set(ALPHABET)
    assert read_link(link.token) == link


@given(st.data())
def test_any_changed_character_is_refused(data: st.DataObject) -> None:
    token = LINK.token
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from(ALPHABET))
    assume(letter != token[at])
    assert read_link(token[:at] + letter + token[at + 1 :]) is None


def test_token_opens_only_for_its_purpose() -> None:
    assert [each for each in Purpose if open_token(LINK.token, each)] == [Purpose.OPT_IN_LINK]
    content = LINK.profile_id.bytes + LINK.request_id.bytes
    others = [seal_token(content, HERE, each) for each in Purpose if each != Purpose.OPT_IN_LINK]
    assert [read_link(token) for token in others] == [None] * len(others)
