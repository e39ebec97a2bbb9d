"""The small engine in moto's place, for tests that make thousands of calls."""

import pytest

from storepost.platform.persistence.counted_tree import cold_leaves, contention, writing
from storepost.platform.persistence.item import connection
from tests.platform.counted_tree.engine import Engine


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Counts calls and read units, and lets tests act between calls."""
    small = Engine()
    monkeypatch.setattr(connection, "_make_api_call", small.call)
    return small


@pytest.fixture
def folds_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """No unit folds by chance, and none remembers for a moment that a list was contended."""
    monkeypatch.setattr(writing, "_FOLD_EVERY", 10**12)
    monkeypatch.setattr(contention, "_SECONDS", 0.0)


@pytest.fixture
def all_is_cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list packs all that it may as it grows, whatever its keys say; one call at a time."""
    monkeypatch.setattr(cold_leaves.ColdLeaves, "_is_cold", lambda *_: True)
    monkeypatch.setattr(cold_leaves, "_THREADS", 1)
