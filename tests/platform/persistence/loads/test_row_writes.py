"""Rows written without transactions: each once, though DynamoDB leaves or refuses some."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.persistence.item import Item, Key, Raw, connection, keys_in, raw_rows_in
from storepost.platform.persistence.loads.row_writes import (
    StatementRefused,
    delete_rows,
    insert_rows,
    put_rows,
)
from storepost.platform.persistence.patience import MARGIN_SECONDS, patience
from storepost.values.problems import Busy
from tests.harness.faults import FAULT, NO_ANSWER, THROTTLED, FakeTime, faults, lost_answer, refusal
from tests.harness.world import World

STATEMENT_ERRORS = (
    "InternalServerError",
    "ProvisionedThroughputExceeded",
    "RequestLimitExceeded",
    "ThrottlingError",
    "TransactionConflict",
)
"""Those of `BatchStatementError` in DynamoDB's reference that a later try may not meet."""


@pytest.fixture
def partition(world: World, fake_time: FakeTime) -> str:
    """A partition of its own, without waits."""
    return f"load#{uuid4()}"


def rows(partition: str, numbers: range, text: str = "first") -> list[Raw]:
    return [
        {"pk": {"S": partition}, "sk": {"S": f"{n:04}"}, "kind": {"S": "k"}, "t": {"S": text}}
        for n in numbers
    ]


def stored(partition: str) -> dict[str, str]:
    found = raw_rows_in(partition, 10_000, ["sk", "t"]) or []
    return {raw["sk"]["S"]: raw["t"]["S"] for raw in found}


def key(partition: str, number: int) -> Key:
    return partition, f"{number:04}"


class TestPut:
    """Replaces an existing row."""

    def test_puts_25_rows_per_call(self, partition: str) -> None:
        with faults(NO_ANSWER, "nothing") as calls:
            put_rows(rows(partition, range(60)))
        assert calls.made == ["BatchWriteItem"] * 3
        put_rows(rows(partition, range(50, 70), "second"))
        expected = {f"{n:04}": "second" if n >= 50 else "first" for n in range(70)}
        assert stored(partition) == expected

    def test_rows_are_deleted(self, partition: str) -> None:
        put_rows(rows(partition, range(60)))
        delete_rows(key(partition, n) for n in range(1, 80))
        assert keys_in(partition, 10) == [key(partition, 0)]

    @given(st.lists(st.integers(0, 25), max_size=12))
    def test_unprocessed_rows_are_sent_again(self, left: list[int]) -> None:
        written: list[Raw] = []
        remaining = iter(left)

        def answer(_operation: str, request: dict[str, Any]) -> dict[str, Any]:
            ((table, parts),) = request["RequestItems"].items()
            done = max(0, len(parts) - next(remaining, 0))
            written.extend(part["PutRequest"]["Item"] for part in parts[:done])
            return {"UnprocessedItems": {table: parts[done:]} if parts[done:] else {}}

        with waiting_for_nobody(), mock.patch.object(connection, "dispatch", answer):
            put_rows(rows("p", range(25)))
        assert sorted(written, key=str) == sorted(rows("p", range(25)), key=str)

    def test_throttled_until_the_deadline_is_busy(self, partition: str) -> None:
        with (
            patience(int(MARGIN_SECONDS * 1000)),
            faults(refusal(THROTTLED[0]), "BatchWriteItem"),
            pytest.raises(Busy),
        ):
            put_rows(rows(partition, range(60)))


class TestInsert:
    """Only if there is no row."""

    def test_inserts_25_rows_per_call_and_keeps_existing_rows(self, partition: str) -> None:
        put_rows(rows(partition, range(10, 13)))
        with faults(NO_ANSWER, "nothing") as calls:
            refused = insert_rows(rows(partition, range(60), "second"))
        assert calls.made == ["BatchExecuteStatement"] * 3
        assert refused == [key(partition, n) for n in range(10, 13)]
        expected = {f"{n:04}": "first" if 10 <= n < 13 else "second" for n in range(60)}
        assert stored(partition) == expected

    def test_rows_of_one_call_may_have_different_attributes(self, partition: str) -> None:
        plain, other = rows(partition, range(2))
        assert insert_rows([plain, {**other, "more": {"BOOL": True}}]) == []
        found = raw_rows_in(partition, 10, ["sk", "more"])
        assert found == [{"sk": {"S": "0000"}}, {"sk": {"S": "0001"}, "more": {"BOOL": True}}]

    def test_repeated_insert_changes_nothing_and_returns_all_keys(self, partition: str) -> None:
        assert insert_rows(rows(partition, range(30))) == []
        refused = insert_rows(rows(partition, range(30), "second"))
        assert refused == [key(partition, n) for n in range(30)]
        assert set(stored(partition).values()) == {"first"}

    def test_lost_response_returns_keys_as_existing(self, partition: str) -> None:
        with lost_answer("BatchExecuteStatement"):
            refused = insert_rows(rows(partition, range(3)))
        assert refused == [key(partition, n) for n in range(3)]
        assert len(stored(partition)) == 3

    @pytest.mark.parametrize("error", [FAULT, *map(refusal, THROTTLED)])
    def test_throttled_call_is_sent_again(self, partition: str, error: ClientError) -> None:
        with patience(60_000), faults(error, "BatchExecuteStatement", 20):
            assert insert_rows(rows(partition, range(60))) == []
        assert len(stored(partition)) == 60

    @pytest.mark.parametrize("code", STATEMENT_ERRORS)
    def test_only_throttled_statements_are_sent_again(self, partition: str, code: str) -> None:
        put_rows(rows(partition, range(1)))
        with refused_statements(code, [range(0, 20), range(0, 19), range(0, 19)]) as sent:
            refused = insert_rows(rows(partition, range(25), "second"))
        assert sent == [25, 20, 19, 19]
        assert refused == [key(partition, 0)]
        assert len(stored(partition)) == 25

    def test_other_statement_error_is_raised(self, partition: str) -> None:
        with (
            refused_statements("ValidationError", [range(1)]),
            pytest.raises(StatementRefused, match="ValidationError"),
        ):
            insert_rows(rows(partition, range(2)))

    def test_refused_until_the_deadline_is_busy(self, partition: str) -> None:
        with (
            patience(int(MARGIN_SECONDS * 1000)),
            refused_statements("ThrottlingError", [range(25)] * 1000),
            pytest.raises(Busy),
        ):
            insert_rows(rows(partition, range(25)))


def refused_statements(code: str, parts: list[range]) -> Any:
    """Refuses those statements of each call, as their results say."""
    return _Refused(code, iter(parts))


class _Refused:
    """Stands between the client and the engine; how many statements were sent in each call."""

    def __init__(self, code: str, parts: Iterator[range]) -> None:
        self._code = code
        self._parts = parts
        self.sent: list[int] = []

    def __enter__(self) -> list[int]:
        self._patch = mock.patch.object(BaseClient, "_make_api_call", self._call())
        self._patch.start()
        return self.sent

    def __exit__(self, *_: object) -> None:
        self._patch.stop()

    def _call(self) -> Callable[..., Any]:
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def call(client: Any, operation: str, parameters: Any) -> Any:
            if operation != "BatchExecuteStatement":
                return plain(client, operation, parameters)
            statements = parameters["Statements"]
            self.sent.append(len(statements))
            part = next(self._parts, range(0))
            remaining = [s for n, s in enumerate(statements) if n not in part]
            answer = (
                plain(client, operation, {"Statements": remaining})
                if remaining
                else {"Responses": []}
            )
            answers = iter(answer["Responses"])
            refused = {"Error": {"Code": self._code, "Message": "refused"}}
            responses = [refused if n in part else next(answers) for n in range(len(statements))]
            return {**answer, "Responses": responses}

        return call


def waiting_for_nobody() -> Any:
    """For Hypothesis's examples, which have no fixtures of their own."""
    return mock.patch("storepost.platform.persistence.patience.time.sleep")


def test_statements_name_only_the_service_table() -> None:
    """A function's rights name that table only."""
    sent: list[str] = []

    def answer(_operation: str, request: dict[str, Any]) -> dict[str, Any]:
        sent.extend(each["Statement"] for each in request["Statements"])
        return {"Responses": [{} for _ in request["Statements"]]}

    with mock.patch.object(connection, "dispatch", answer):
        insert_rows(rows("p", range(2)))
    statement = (
        f"INSERT INTO \"{Item.Meta.table_name}\" VALUE {{'pk': ?, 'sk': ?, 'kind': ?, 't': ?}}"
    )
    assert sent == [statement] * 2
