"""Checks the greatest transaction of the whole run: none may have more than 90 items.

DynamoDB allows 100. The rest is reserved for items that may be added to every transaction later,
and for keys that a list's split turns into two.
"""

import os
from typing import Any

import pytest
from botocore.client import BaseClient

MOST = 90

type Seen = tuple[int, str]
"""The number of items, and the running test."""


class Transactions:
    """Records the greatest transaction."""

    def __init__(self) -> None:
        """Begins with no transaction."""
        self.greatest: Seen = (0, "")

    def install(self) -> None:
        """Counts the transactions of every botocore client of the process from now on."""
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def counted(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
            if operation == "TransactWriteItems":
                self._count(len(params["TransactItems"]))
            return plain(client, operation, params)

        BaseClient._make_api_call = counted  # type: ignore[attr-defined]

    def _count(self, items: int) -> None:
        self.keep((items, os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]))
        if items > MOST:
            # None of our handlers catches this, as `Failed` isn't an `Exception`.
            pytest.fail(f"a transaction of {items} items: {MOST} are the most")

    def keep(self, seen: Seen) -> None:
        """Keeps it if it is the greatest so far."""
        self.greatest = max(self.greatest, seen)
