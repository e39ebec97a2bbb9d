"""The small engine in moto's place, for what takes thousands of calls."""

import pytest

from storepost.platform.persistence.item import connection
from tests.platform.counted_tree.engine import Engine


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Counts calls and read units, and lets tests act between calls."""
    small = Engine()
    monkeypatch.setattr(connection, "_make_api_call", small.call)
    return small
