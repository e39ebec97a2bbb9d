"""The greatest transaction of the whole run: none may have more than 90 items in all.

DynamoDB takes 100. What is kept free is for what comes to every transaction one day, and for keys
that a list's split turns into two.
"""

import os
from typing import Any

import pytest
from botocore.client import BaseClient

MOST = 90

type Seen = tuple[int, str]
"""How many items, and the test that was running."""


class Transactions:
    """Keeps the greatest one."""

    def __init__(self) -> None:
        """None was seen yet."""
        self.greatest: Seen = (0, "")

    def install(self) -> None:
        """From now on the transactions of every botocore client of the process are counted."""
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def counted(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
            if operation == "TransactWriteItems":
                self._count(len(params["TransactItems"]))
            return plain(client, operation, params)

        BaseClient._make_api_call = counted  # type: ignore[attr-defined]

    def _count(self, items: int) -> None:
        self.keep((items, os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]))
        if items > MOST:
            # No handler of ours may catch this: `Failed` is no Exception.
            pytest.fail(f"a transaction of {items} items: {MOST} are the most")

    def keep(self, seen: Seen) -> None:
        """Keeps it if it is greater than what was seen."""
        self.greatest = max(self.greatest, seen)
