"""Rows that are read by their keys, many at once."""

from typing import Any
from unittest import mock

import pytest

from storepost.platform.persistence import item
from storepost.platform.persistence.item import find_raw
from storepost.values.problems import Busy

KEYS = [(f"p{number}", "s") for number in range(2000)]


def answering(brings: int) -> Any:
    """A batch get that returns so many rows of each request and leaves the others unprocessed."""

    def answer(table: str, keys: list[Any], **_named: object) -> dict[str, Any]:
        unprocessed = keys[brings:]
        return {
            "Responses": {table: keys[:brings]},
            "UnprocessedKeys": {table: {"Keys": unprocessed}} if unprocessed else {},
        }

    return mock.Mock(side_effect=answer)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No read waits for an engine that doesn't exist."""
    monkeypatch.setattr("storepost.platform.persistence.patience.time.sleep", lambda _seconds: None)


def test_unprocessed_keys_are_retried_while_rows_arrive() -> None:
    """With large rows each answer leaves some unprocessed."""
    with mock.patch.object(item.connection, "batch_get_item", answering(7)):
        assert set(find_raw(KEYS)) == set(KEYS)


def test_batch_get_without_progress_is_busy() -> None:
    """An answer without rows means throttling."""
    with (
        mock.patch.object(item.connection, "batch_get_item", answering(0)),
        pytest.raises(Busy),
    ):
        find_raw(KEYS)
