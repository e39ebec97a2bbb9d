"""Observes a run of the worker, and makes it run out of time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.client import BaseClient

from local import functions
from local.events.pumps import reader_of
from local.functions import Context
from storepost.stores.imports.messages import StoreImportMessage
from tests.sync.batches.batch_store import QUEUE

FIRST_CHUNK, SECOND_CHUNK = 2, 3
"""Transactions of a run: the first is the import's start."""


@contextmanager
def transactions() -> Iterator[list[list[dict[str, Any]]]]:
    """The items of each transaction inside the block."""
    seen: list[list[dict[str, Any]]] = []
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(self: Any, operation: str, parameters: Any) -> Any:
        if operation == "TransactWriteItems":
            seen.append(parameters["TransactItems"])
        return plain(self, operation, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", call)
        yield seen


def chunks_of(seen: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """The transactions that contain orders."""
    return [items for items in seen if any("#order#" in key_of(item)[0] for item in items)]


def key_of(item: dict[str, Any]) -> tuple[str, str]:
    """The key of a transaction's item."""
    [(_, written)] = item.items()
    key = written.get("Key") or written["Item"]
    return key["pk"]["S"], key["sk"]["S"]


def slow(monkeypatch: pytest.MonkeyPatch, chunks_each: int) -> None:
    """Makes runs of the worker end after so many chunks and one more."""

    class Running(Context):
        def get_remaining_time_in_millis(self) -> int:
            self.remaining_milliseconds -= 1
            return self.remaining_milliseconds

    def context(name: str, milliseconds: int) -> Context:
        if name != reader_of(QUEUE).name:
            return Context(name, milliseconds)
        return Running(name, StoreImportMessage.margin_milliseconds + chunks_each)

    monkeypatch.setattr(functions, "Context", context)
