"""Cheap password hashes: what these tests are about is who compares them, and when."""

from collections.abc import Iterator

import pytest

from storepost.identity import passwords


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(passwords, "MEMORY_KIB", 8)
    monkeypatch.setattr(passwords, "PASSES", 1)
    _forget()
    yield
    _forget()


def _forget() -> None:
    passwords._hasher.cache_clear()
    passwords._dummy.cache_clear()
