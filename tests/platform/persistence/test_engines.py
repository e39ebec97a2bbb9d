"""moto against dynoxide: the service's calls of DynamoDB end alike, except for listed differences.

`test_engine_differences.py` lists them.
"""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.local.test_moto_transactions import LISTS, PLAIN, Operation, operations
from tests.platform.persistence.two_engines import INVALID, ONE, Answer, Engine, Row, put

pytestmark = pytest.mark.dynoxide

# The shapes of condition and update that the service's code sends, over attributes whose types
# never change, as its own don't: v holds anything, w and x numbers, m a map of maps.
CONDITIONS = [
    None,
    "attribute_exists(pk)",
    "attribute_not_exists(pk)",
    "v = :v",
    "(v = :v AND w = :one)",
    "((v = :v AND w = :one) AND attribute_not_exists(x))",
    "(attribute_not_exists(pk) AND attribute_not_exists(x))",
    "(attribute_exists(pk) AND attribute_not_exists(x))",
    "(v = :v AND w < :two)",
    "(attribute_not_exists(v) OR w < :two)",
    "(attribute_not_exists(v) AND w > :one)",
    "m.a.b = :one",
    "attribute_not_exists(v) OR w < :two OR (v = :v AND attribute_exists(w) AND x < :two)",
]
UPDATES = [
    "SET v = :v",
    "SET v = :v, w = :one",
    "SET v = :v, w = :one, x = :two REMOVE m",
    "ADD w :one",
    "ADD w :one, x :two",
    "SET v = :v ADD w :one, x :two",
    "REMOVE v",
    "REMOVE v, m",
    "REMOVE v ADD w :one, x :two",
]
NUMBERS = st.sampled_from([{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "-1.5"}])
ANYTHING = st.one_of(
    NUMBERS,
    st.sampled_from(
        [
            {"S": "text"},
            {"S": ""},
            {"S": "grüße \U0001f600"},
            {"BOOL": True},
            {"SS": ["a", "b"]},
            {"L": [{"S": "a"}, {"N": "1"}]},
            {"M": {"a": {"S": ""}}},
        ]
    ),
)
MAPS = st.sampled_from([{"M": {"a": {"M": {"b": {"N": "1"}}}}}, {"M": {"a": {"M": {}}}}])
PUTS = st.fixed_dictionaries({}, optional={"v": ANYTHING, "w": NUMBERS, "x": NUMBERS, "m": MAPS})
SORT_KEYS = ("a", "a\x01b", "a#b", "ab", "ä", "b", "\U0001f600", "\uffee")


@st.composite
def writes(draw: st.DrawFn) -> Operation:
    """One operation of a transaction, as the service's code would send it."""
    key = {
        "pk": {"S": draw(st.sampled_from("pq"))},
        "sk": {"S": draw(st.sampled_from(SORT_KEYS))},
    }
    kind = draw(st.sampled_from(["Put", "Put", "Update", "Update", "Delete", "ConditionCheck"]))
    operation: dict[str, Any] = {"TableName": LISTS, "Key": key}
    if kind == "Put":
        operation = {"TableName": LISTS, "Item": {**key, **draw(PUTS)}}
    if kind == "Update":
        operation["UpdateExpression"] = draw(st.sampled_from(UPDATES))
    condition = draw(st.sampled_from(CONDITIONS[kind == "ConditionCheck" :]))
    if condition:
        operation["ConditionExpression"] = condition
        if draw(st.booleans()):
            operation["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    values = {":v": draw(ANYTHING), ":one": {"N": "1"}, ":two": {"N": "2"}}
    named = re.findall(r":\w+", f"{operation.get('UpdateExpression')} {condition}")
    if named:
        operation["ExpressionAttributeValues"] = {name: values[name] for name in named}
    return {kind: operation}


def in_a_partition_of_its_own(transaction: list[Operation], prefix: str) -> list[Operation]:
    """The same, on rows that no other example uses."""

    def renamed(key: Row) -> Row:
        return {
            name: {"S": prefix + value["S"]} if name in {"pk", "id"} else value
            for name, value in key.items()
        }

    operations = []
    for operation in transaction:
        ((kind, body),) = operation.items()
        holder = "Item" if kind == "Put" else "Key"
        operations.append({kind: {**body, holder: renamed(body[holder])}})
    return operations


def key_of(operation: Operation) -> tuple[str, Row]:
    """The table and the key of the row that an operation is about."""
    ((_, body),) = operation.items()
    key = body.get("Key") or {n: v for n, v in body["Item"].items() if n in {"pk", "sk", "id"}}
    return body["TableName"], key


def without_validation(answer: Answer) -> Answer:
    """The answer, without its words about an update that its row can't take: see `DIFFERENCES`."""
    match answer:
        case ("ValidationException", _):
            return INVALID
        case ("TransactionCanceledException", reasons) if INVALID in str(reasons):
            return INVALID
    return answer


def ends_alike(engines: tuple[Engine, Engine], transactions: list[list[Operation]]) -> None:
    """Each transaction's answer, the rows that it named, and the stream's records of all."""
    prefix = f"{uuid4().hex}-"
    positions = [engine.end_of_stream() for engine in engines]
    for transaction in transactions:
        named = [key_of(operation) for operation in transaction]
        if len({str(key) for key in named}) < len(named):
            continue  # both refuse two operations on one row
        sent = in_a_partition_of_its_own(transaction, prefix)
        moto, dynoxide = (e.answer("transact_write_items", TransactItems=sent) for e in engines)
        assert without_validation(moto) == without_validation(dynoxide), sent
        for table, key in map(key_of, sent):
            moto_row, dynoxide_row = (engine.row(table, key) for engine in engines)
            assert moto_row == dynoxide_row, sent
    moto_told, dynoxide_told = (
        engine.told_since(place) for engine, place in zip(engines, positions, strict=True)
    )
    assert moto_told == dynoxide_told


@settings(max_examples=150, deadline=None)
@given(transactions=st.lists(st.lists(writes(), min_size=1, max_size=5), min_size=1, max_size=6))
def test_transactions_of_the_service_have_equal_results(
    engines: tuple[Engine, Engine], transactions: list[list[Operation]]
) -> None:
    ends_alike(engines, transactions)


PARSED = operations().filter(lambda operation: "NO v" not in str(operation))
"""Those whose expressions are some: `DIFFERENCES` has the others."""


@settings(max_examples=150, deadline=None)
@given(transactions=st.lists(st.lists(PARSED, min_size=1, max_size=5), max_size=6))
def test_transactions_that_test_our_moto_have_equal_results(
    engines: tuple[Engine, Engine], transactions: list[list[Operation]]
) -> None:
    """The same transactions compare ours with moto's own; here moto is compared with dynoxide."""
    ends_alike(engines, transactions)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.sets(st.sampled_from(SORT_KEYS)),
    condition=st.sampled_from(
        ["", " AND sk < :lo", " AND sk BETWEEN :lo AND :hi", " AND begins_with(sk, :lo)"]
    ),
    bounds=st.lists(st.sampled_from(SORT_KEYS), min_size=2, max_size=2),
    limit=st.sampled_from([None, 1, 2, 100]),
    forward=st.booleans(),
    kinds=st.sets(st.sampled_from("abc")),
)
def test_queries_return_equal_pages(
    engines: tuple[Engine, Engine],
    rows: set[str],
    condition: str,
    bounds: list[str],
    limit: int | None,
    forward: bool,
    kinds: set[str],
) -> None:
    """Pages of a partition, in order, and filtered by the kind of row."""
    partition = {"S": uuid4().hex}
    for engine in engines:
        for number, key in enumerate(sorted(rows)):
            item = {"pk": partition, "sk": {"S": key}, "kind": {"S": "abc"[number % 3]}}
            engine.tables.put_item(TableName=LISTS, Item=item)
    values: Row = {":p": partition, ":lo": {"S": bounds[0]}, ":hi": {"S": bounds[1]}}
    marks = {f":k{kind}": {"S": kind} for kind in sorted(kinds)}
    request: dict[str, Any] = {
        "TableName": LISTS,
        "KeyConditionExpression": f"pk = :p{condition}",
        "ExpressionAttributeValues": {n: v for n, v in values.items() if n in f":p{condition}"},
        "ScanIndexForward": forward,
        "ConsistentRead": True,
        **({"Limit": limit} if limit else {}),
    }
    if kinds:
        request["FilterExpression"] = f"kind IN ({', '.join(marks)})"
        request["ExpressionAttributeValues"] |= marks
    moto, dynoxide = (pages(engine, request) for engine in engines)
    assert moto == dynoxide


STORED = st.fixed_dictionaries(
    {},
    optional={
        "v": ANYTHING | st.sampled_from([{"B": b"\x00\xff"}, {"NULL": True}]),
        "w": NUMBERS,
        "m": MAPS,
        "size": st.just({"L": [{"B": b"\x01"}, {"L": []}, {"M": {}}]}),
    },
)
PROJECTED = [None, "pk, v", "w, absent", "m.a.b, pk"]


@settings(max_examples=40, deadline=None)
@given(
    rows=st.dictionaries(st.sampled_from("abc"), STORED, min_size=1),
    projection=st.sampled_from(PROJECTED),
    consistent=st.booleans(),
)
def test_gets_and_batch_gets_return_equal_rows(
    engines: tuple[Engine, Engine],
    rows: dict[str, Row],
    projection: str | None,
    consistent: bool,
) -> None:
    """By keys, alone and several of two tables at once; some of the rows don't exist."""
    partition = uuid4().hex
    keys = [{"pk": {"S": partition}, "sk": {"S": sk}} for sk in "abcd"]
    options = {"ConsistentRead": consistent}
    if projection:
        options["ProjectionExpression"] = projection  # type: ignore[assignment]
    plain = {"id": {"S": partition}}
    found = []
    for engine in engines:
        for sk, row in rows.items():
            put(engine, {"pk": {"S": partition}, "sk": {"S": sk}}, **row)
        engine.tables.put_item(TableName=PLAIN, Item={**plain, "v": ONE})
        batch = engine.tables.batch_get_item(
            RequestItems={
                LISTS: {"Keys": keys, **options},
                PLAIN: {"Keys": [plain, {"id": {"S": f"{partition}-no"}}]},
            }
        )
        assert batch["UnprocessedKeys"] == {}
        alone = [engine.answer("get_item", TableName=LISTS, Key=key, **options) for key in keys]
        # Those of a batch come in any order.
        found.append((alone, {name: in_order(r) for name, r in batch["Responses"].items()}))
    assert found[0] == found[1]


def in_order(rows: list[Row]) -> list[str]:
    """Rows as texts that are equal where the rows are."""
    return sorted(json.dumps(row, sort_keys=True, default=bytes.hex) for row in rows)


@settings(max_examples=100, deadline=None)
@given(
    row=st.none() | PUTS,
    kind=st.sampled_from(["put", "update", "delete"]),
    update=st.sampled_from(UPDATES),
    condition=st.sampled_from(CONDITIONS),
    values=st.fixed_dictionaries({":v": ANYTHING, ":one": st.just({"N": "1"}), ":two": NUMBERS}),
    old=st.booleans(),
)
def test_single_writes_have_equal_results(
    engines: tuple[Engine, Engine],
    row: Row | None,
    kind: str,
    update: str,
    condition: str | None,
    values: Row,
    old: bool,
) -> None:
    """Each write alone: its answer, the row afterwards, and the stream's record."""
    key = {"pk": {"S": uuid4().hex}, "sk": {"S": "s"}}
    of_kind: dict[str, dict[str, Any]] = {
        "put": {"Item": {**key, "v": values[":v"]}},
        "update": {"Key": key, "UpdateExpression": update, "ReturnValues": "ALL_NEW"},
        "delete": {"Key": key},
    }
    request: dict[str, Any] = {"TableName": LISTS, **of_kind[kind]}
    if condition:
        shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if old else {}
        request |= {"ConditionExpression": condition, **shown}
    named = re.findall(r":\w+", f"{request.get('UpdateExpression')} {condition}")
    if named:
        request["ExpressionAttributeValues"] = {name: values[name] for name in named}
    seen = []
    for engine in engines:
        if row is not None:
            put(engine, key, **row)
        place = engine.end_of_stream()
        answer = engine.answer(f"{kind}_item", **request)
        seen.append((answer, engine.row(LISTS, key), engine.told_since(place)))
    assert seen[0] == seen[1]


def pages(engine: Engine, request: dict[str, Any]) -> list[Answer]:
    """Each page's rows, or the refusal; without empty ones at the end: see `DIFFERENCES`."""
    found: list[Answer] = []
    while True:
        answer = engine.answer("query", **request)
        if not isinstance(answer, dict):
            return [answer]
        found.append(answer["Items"])
        if "LastEvaluatedKey" not in answer:
            break
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}
    while found and not found[-1]:
        found.pop()
    return found
