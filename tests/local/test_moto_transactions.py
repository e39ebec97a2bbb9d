"""Our lighter transactions against moto's own: the same outcome, state, order and stream."""

from copy import deepcopy
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moto.dynamodb.exceptions import TransactionCanceledException
from moto.dynamodb.models import DynamoDBBackend

from local.aws import moto_transactions

type Operation = dict[str, dict[str, Any]]

LISTS, PLAIN = "Lists", "Plain"
own, original = moto_transactions._transact, moto_transactions._original


def backend() -> DynamoDBBackend:
    """A table with sort keys and a stream, and one with neither."""
    made = DynamoDBBackend("eu-central-1", "123456789012")
    for name, keys in ((LISTS, ["pk", "sk"]), (PLAIN, ["id"])):
        made.create_table(
            name,
            schema=[
                {"AttributeName": key, "KeyType": kind}
                for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            attr=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
            throughput=None,
            billing_mode="PAY_PER_REQUEST",
            indexes=[],
            global_indexes=[],
            streams={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
            if name == LISTS
            else None,
            sse_specification=None,
            tags=[],
            deletion_protection_enabled=False,
            warm_throughput=None,
        )
    return made


def state(of: DynamoDBBackend) -> dict[str, Any]:
    """Everything that readers see of both tables, in its order."""
    rows = {
        name: [item.to_json() for item in table.all_items()] for name, table in of.tables.items()
    }
    shard = of.tables[LISTS].stream_shard
    assert shard is not None
    records = deepcopy([record.to_json() for record in shard.items])
    for record in records:
        # Random values, the time, and a size that depends on the time's digits.
        del record["eventID"]
        del record["dynamodb"]["ApproximateCreationDateTime"], record["dynamodb"]["SizeBytes"]
    return {**deepcopy(rows), "stream": records}


def outcome(of: DynamoDBBackend, transact: Any, operations: list[Operation]) -> object:
    """None, or how it failed."""
    try:
        transact(of, operations)
    except TransactionCanceledException as error:
        return error.description
    except Exception as error:
        return type(error), str(error)
    return None


VALUES = st.one_of(
    st.integers(0, 3).map(lambda n: {"N": str(n)}),
    st.just({"S": "text"}),
    st.just({"L": [{"M": {"deep": {"N": "1"}}}]}),
)
# A condition's kind and the expression that says it.
CONDITIONS = st.sampled_from(
    [None, "attribute_exists(v)", "attribute_not_exists(v)", "attribute_type(v, :n)"]
)
KEYS = st.one_of(
    st.builds(
        lambda pk, sk: (LISTS, {"pk": {"S": pk}, "sk": {"S": sk}}),
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
    ),
    st.builds(lambda pk: (PLAIN, {"id": {"S": pk}}), st.sampled_from("abc")),
)
# The last two fail: a number is added to a text, and the expression is none at all.
UPDATES = st.sampled_from(["SET v = :v", "ADD v :one", "REMOVE v", "SET w = v", "NO v"])


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    """One operation of a transaction, most of which succeed."""
    table, key = draw(KEYS)
    kind = draw(st.sampled_from(["Put", "Put", "Update", "Delete", "ConditionCheck"]))
    value, condition = draw(VALUES), draw(CONDITIONS)
    operation: dict[str, Any] = {"TableName": table, "Key": key}
    values: dict[str, Any] = {}
    if kind == "Put":
        operation = {"TableName": table, "Item": {**key, "v": value}}
    if kind == "Update":
        update = draw(UPDATES)
        operation["UpdateExpression"] = update
        values |= {":v": value} if ":v" in update else {}
        values |= {":one": {"N": "1"}} if ":one" in update else {}
    if kind == "ConditionCheck":
        condition = condition or "attribute_exists(v)"
    if condition:
        operation["ConditionExpression"] = condition
        operation["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        values |= {":n": {"S": "N"}} if ":n" in condition else {}
    if values:
        operation["ExpressionAttributeValues"] = values
    return {kind: operation}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(operations(), min_size=1, max_size=5), min_size=1, max_size=6))
def test_transactions_equal_motos(transactions: list[list[Operation]]) -> None:
    patched, unpatched = backend(), backend()
    for transaction in transactions:
        assert outcome(patched, own, transaction) == outcome(unpatched, original, transaction)
        assert state(patched) == state(unpatched)


def put(table: str, key: dict[str, Any], value: str) -> Operation:
    """Puts a row that isn't there yet."""
    return {
        "Put": {
            "TableName": table,
            "Item": {**key, "v": {"S": value}},
            "ConditionExpression": "attribute_not_exists(v)",
        }
    }


def update(table: str, key: dict[str, Any]) -> Operation:
    """Updates an existing row."""
    return {
        "Update": {
            "TableName": table,
            "Key": key,
            "UpdateExpression": "SET v = :v",
            "ExpressionAttributeValues": {":v": {"S": "new"}},
        }
    }


def failing() -> Operation:
    """What ends any transaction."""
    return {
        "ConditionCheck": {
            "TableName": LISTS,
            "Key": {"pk": {"S": "no"}, "sk": {"S": "no"}},
            "ConditionExpression": "attribute_exists(pk)",
        }
    }


def test_failed_transaction_leaves_rows_order_and_stream_unchanged() -> None:
    patched = backend()
    rows = [{"pk": {"S": pk}, "sk": {"S": sk}} for pk in "ba" for sk in "21"]
    plain = [{"id": {"S": name}} for name in "cab"]
    own(patched, [put(LISTS, key, "old") for key in rows] + [put(PLAIN, k, "old") for k in plain])
    before, table = state(patched), patched.tables[LISTS]
    with pytest.raises(TransactionCanceledException):
        own(
            patched,
            [
                {"Delete": {"TableName": LISTS, "Key": rows[0]}},
                update(LISTS, rows[1]),
                update(PLAIN, plain[1]),
                {"Delete": {"TableName": PLAIN, "Key": plain[0]}},
                put(LISTS, {"pk": {"S": "new"}, "sk": {"S": "1"}}, "new"),
                failing(),
            ],
        )
    assert state(patched) == before
    assert patched.tables[LISTS] is table, "readers of the stream hold on to the table"


def test_transaction_time_is_independent_of_table_size() -> None:
    def seconds(size: int) -> float:
        made = backend()
        for first in range(0, size, 100):
            keys = [{"pk": {"S": str(n)}, "sk": {"S": "x"}} for n in range(first, first + 100)]
            own(made, [put(LISTS, key, "v") for key in keys])
        probe = [put(LISTS, {"pk": {"S": f"n{n}"}, "sk": {"S": "x"}}, "v") for n in range(50)]
        began = perf_counter()
        with pytest.raises(TransactionCanceledException):
            own(made, [*probe, failing()])
        return perf_counter() - began

    small, large = (min(seconds(size) for _ in range(3)) for size in (100, 3000))
    # moto's own copies 30 times as many rows then.
    assert large < 5 * small
