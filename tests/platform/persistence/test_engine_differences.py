"""The known differences of moto and dynoxide, with the engine that is right.

A listed one that no longer exists fails; `test_engines.py` fails for one that isn't listed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.local.test_moto_transactions import LISTS
from tests.platform.persistence.two_engines import INVALID, ONE, Answer, Engine, Row, put

pytestmark = pytest.mark.dynoxide


def updated(engine: Engine, key: Row, expression: str, **more: Any) -> Answer:
    """The answer to an update of one row."""
    return engine.answer(
        "update_item",
        TableName=LISTS,
        Key=key,
        UpdateExpression=expression,
        ExpressionAttributeValues={":one": ONE},
        **more,
    )


def in_transaction(engine: Engine, key: Row, expression: str) -> Answer:
    """The answer to a transaction of one update."""
    update = {
        "TableName": LISTS,
        "Key": key,
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":one": ONE},
    }
    return engine.answer("transact_write_items", TransactItems=[{"Update": update}])


def four_megabytes(engine: Engine, key: Row) -> Answer:
    """The answer to a transaction of twelve large rows."""
    large = {"S": "x" * 390_000}
    rows = [{**key, "sk": {"S": str(number)}, "v": large} for number in range(12)]
    puts = [{"Put": {"TableName": LISTS, "Item": row}} for row in rows]
    return engine.answer("transact_write_items", TransactItems=puts)


def one_megabyte(engine: Engine, key: Row) -> Answer:
    """How many rows of 50 KB a query without a limit returns."""
    for number in range(25):
        put(engine, {**key, "sk": {"S": f"{number:02}"}}, v={"S": "x" * 50_000})
    answer = engine.tables.query(
        TableName=LISTS,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": key["pk"]},
    )
    return int(answer["Count"])


def key_at_the_end(engine: Engine, key: Row) -> Answer:
    """Whether a page that ends with the partition's last row has a `LastEvaluatedKey`."""
    put(engine, key)
    answer = engine.tables.query(
        TableName=LISTS,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": key["pk"]},
        Limit=1,
    )
    return "LastEvaluatedKey" in answer


def no_expression(engine: Engine, key: Row) -> Answer:
    """The answer to a transaction whose condition fails and whose update is no expression."""
    update = {"TableName": LISTS, "Key": key, "UpdateExpression": "NO v"}
    condition = {"ConditionExpression": "attribute_exists(v)"}
    return engine.answer("transact_write_items", TransactItems=[{"Update": update | condition}])


def number_as_stored(engine: Engine, key: Row) -> Answer:
    """How a number is returned."""
    put(engine, key, v={"N": "1.50"})
    row = engine.row(LISTS, key)
    return row and row["v"]


def told_of_no_change(engine: Engine, key: Row) -> Answer:
    """The stream's records of a put that changes nothing."""
    put(engine, key, v=ONE)
    place = engine.end_of_stream()
    put(engine, key, v=ONE)
    return [kind for kind, *_ in engine.told_since(place)]


@dataclass(frozen=True)
class Difference:
    """One way in which the engines differ, and each one's answer."""

    why: str
    look: Callable[[Engine, Row], Answer]
    moto: Answer
    dynoxide: Answer


CANCELLED = ("TransactionCanceledException", [(INVALID, None)])
REFUSED: Answer = ("ValidationException", [])

DIFFERENCES = [
    Difference(
        "An update that its row can't take cancels a transaction for a `ValidationError`, says the"
        " documentation of TransactWriteItems; moto refuses the request instead. No code of ours"
        " tells them apart: either is a fault of its own.",
        lambda engine, key: in_transaction(engine, key, "SET v.x = :one"),
        moto=REFUSED,
        dynoxide=CANCELLED,
    ),
    Difference(
        "A transaction has at most 4 MB; moto doesn't count. Ours are far below it: a row that is"
        " large, such as an order with 250 lines, is alone in its transaction.",
        four_megabytes,
        moto={},
        dynoxide=REFUSED,
    ),
    Difference(
        "A page of a query ends at 1 MB (2^20 bytes); moto ends it at a million. Who reads a whole"
        " partition follows the pages on either.",
        one_megabyte,
        moto=19,
        dynoxide=20,
    ),
    Difference(
        "DynamoDB drops zeroes at a number's end; moto keeps its text. We read numbers as numbers.",
        number_as_stored,
        moto={"N": "1.50"},
        dynoxide={"N": "1.5"},
    ),
    Difference(
        "A page that is full may name a row to go on from though none follows, as DynamoDB does;"
        " moto looks ahead. Whoever follows pages takes an empty one.",
        key_at_the_end,
        moto=False,
        dynoxide=True,
    ),
    Difference(
        "What is no expression is refused before anything is looked at, as moto does; dynoxide"
        " sees it where a condition didn't fail before. PynamoDB writes our expressions.",
        no_expression,
        moto=REFUSED,
        dynoxide=("TransactionCanceledException", [("ConditionalCheckFailed", None)]),
    ),
    Difference(
        "`ALL_OLD` of a row that wasn't there is nothing, says DynamoDB; dynoxide answers its key."
        " We ask for `ALL_NEW` alone.",
        lambda engine, key: updated(engine, key, "SET v = :one", ReturnValues="ALL_OLD"),
        moto={},
        dynoxide={"Attributes": {"pk": {"S": "p"}, "sk": {"S": "s"}}},
    ),
    Difference(
        "`UPDATED_NEW` is the changed attributes alone; moto adds the key of a new row. We ask for"
        " `ALL_NEW` alone.",
        lambda engine, key: updated(engine, key, "SET v = :one", ReturnValues="UPDATED_NEW"),
        moto={"Attributes": {"pk": {"S": "p"}, "sk": {"S": "s"}, "v": ONE}},
        dynoxide={"Attributes": {"v": ONE}},
    ),
]


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: d.why.partition(";")[0])
def test_listed_difference_exists(engines: tuple[Engine, Engine], difference: Difference) -> None:
    partition = uuid4().hex
    key = {"pk": {"S": partition}, "sk": {"S": "s"}}
    answers = [difference.look(engine, key) for engine in engines]
    shown = [eval(repr(answer).replace(partition, "p")) for answer in answers]
    assert shown == [difference.moto, difference.dynoxide]
    assert shown[0] != shown[1]


def test_put_without_change_has_a_stream_record(engines: tuple[Engine, Engine]) -> None:
    """DynamoDB's stream has no record of that: no reader of the stream may rely on either."""
    key = {"pk": {"S": uuid4().hex}, "sk": {"S": "s"}}
    assert [told_of_no_change(engine, key) for engine in engines] == [["MODIFY"]] * 2


def test_upsert_has_one_stream_record(engines: tuple[Engine, Engine]) -> None:
    """moto by itself adds a record of a row with only its key first."""
    key = {"pk": {"S": uuid4().hex}, "sk": {"S": "s"}}
    for engine in engines:
        place = engine.end_of_stream()
        updated(engine, key, "SET v = :one")
        updated(engine, key, "SET w = :one")
        whole = {**key, "v": ONE}
        assert engine.told_since(place) == [
            ("INSERT", key, whole),
            ("MODIFY", key, {**whole, "w": ONE}),
        ]
