"""Read units of what goes to DynamoDB, counted by its rules: moto charges nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any, cast
from unittest import mock

from botocore.client import BaseClient

from tests.platform.counted_tree.engine import size_of

UNIT_BYTES = 4096


@contextmanager
def counted_units() -> Iterator[list[int]]:
    """The strongly consistent read units of each call inside the block.

    A GetItem rounds its row up, a BatchGetItem each of its rows, a Query the sum of them; what
    isn't there costs one unit too.
    """
    units, plain = list[int](), cast(Any, BaseClient)._make_api_call

    def call(client: Any, operation: str, parameters: Any) -> Any:
        answer = plain(client, operation, parameters)
        units.extend(_units(operation, parameters, answer))
        return answer

    with mock.patch.object(BaseClient, "_make_api_call", call):
        yield units


def _units(operation: str, parameters: Any, answer: Any) -> Iterator[int]:
    if operation == "GetItem":
        yield _rounded([answer.get("Item", {})])
    elif operation == "Query":
        yield _rounded(answer["Items"])
    elif operation == "BatchGetItem":
        requested = sum(len(each["Keys"]) for each in parameters["RequestItems"].values())
        found = [row for rows in answer["Responses"].values() for row in rows]
        yield sum(_rounded([row]) for row in found) + requested - len(found)


def _rounded(rows: list[dict[str, Any]]) -> int:
    return max(1, ceil(sum(map(size_of, rows)) / UNIT_BYTES))
