"""Stores whose names all resolve."""

import pytest

from storepost.platform.fetching import guard


@pytest.fixture(autouse=True)
def _public_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name resolves to a public address, so that no test uses a resolver."""
    monkeypatch.setattr(guard, "resolve", lambda _host, _port: ["93.184.216.34"])
