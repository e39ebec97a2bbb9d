"""The engine's units against DynamoDB's own rules (Developer Guide, "Read and write operations").

So that the page of costs can believe it. What a call that fails is charged no answer says; the
meter reckons that, as its own tests below show.
"""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from benchmarks.measure.reckoning import Usage
from tests.costs.metering import Meter, units_of

pytestmark = pytest.mark.dynoxide
TABLE = "Units"
TOTAL = {"ReturnConsumedCapacity": "TOTAL"}
KEY_BYTES = len("pk") + len("p") + len("sk") + len("s")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """DynamoDB's, with a table of its own."""
    config = Config(parameter_validation=False)
    made: Any = boto3.client("dynamodb", config=config)
    made.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    )
    yield made
    made.delete_table(TableName=TABLE)


@pytest.fixture(autouse=True)
def _empty(client: Any) -> None:
    """Each test begins with nothing."""
    for row in client.scan(TableName=TABLE)["Items"]:
        client.delete_item(TableName=TABLE, Key={"pk": row["pk"], "sk": row["sk"]})


def key(name: str = "s") -> dict[str, Any]:
    """The key of a row."""
    return {"pk": {"S": "p"}, "sk": {"S": name}}


def row(size: int, name: str = "s", **more: Any) -> dict[str, Any]:
    """A row of so many bytes: names and values, in UTF-8. `more` comes on top."""
    return {**key(name), "t": {"S": "x" * (size - KEY_BYTES - len("t") - len(name) + 1)}, **more}


def put(client: Any, item: dict[str, Any], **more: Any) -> float:
    """What it takes to put a row."""
    return units_of(client.put_item(TableName=TABLE, Item=item, **more, **TOTAL))


def write(client: Any, *parts: dict[str, Any]) -> float:
    """What a transaction takes."""
    items = [{kind: {"TableName": TABLE, **p} for kind, p in part.items()} for part in parts]
    return units_of(client.transact_write_items(TransactItems=items, **TOTAL))


class TestSizes:
    """What a row weighs; one byte more than a KB is a unit more."""

    @pytest.mark.parametrize(
        ("attribute", "weight"),
        [
            ({"S": "ä"}, 2),
            ({"N": "7"}, 2),
            ({"N": "1234567890"}, 6),
            ({"N": "-12"}, 3),
            ({"BOOL": True}, 1),
            ({"NULL": True}, 1),
            ({"SS": ["a", "bc"]}, 3),
            ({"M": {}}, 3),
            ({"M": {"ab": {"S": "cde"}}}, 3 + 1 + 2 + 3),
            ({"L": [{"S": "ab"}, {"S": "c"}]}, 3 + 2 + 3),
        ],
    )
    def test_value_size(self, client: Any, attribute: dict[str, Any], weight: int) -> None:
        fits = row(1024 - weight - len("v"), v=attribute)
        assert put(client, fits) == 1
        assert put(client, row(1025 - weight - len("v"), v=attribute)) == 2


class TestWrites:
    """A unit a KB begun, of the larger of old and new row; twice that in a transaction."""

    def test_put(self, client: Any) -> None:
        assert put(client, row(1500)) == 2
        assert put(client, row(100)) == 2
        assert put(client, row(100)) == 1

    def test_update(self, client: Any) -> None:
        put(client, row(1500))
        parameters = {"TableName": TABLE, "Key": key(), "UpdateExpression": "REMOVE t", **TOTAL}
        assert units_of(client.update_item(**parameters)) == 2
        assert units_of(client.update_item(**parameters)) == 1

    def test_delete(self, client: Any) -> None:
        put(client, row(1500))
        parameters = {"TableName": TABLE, "Key": key(), **TOTAL}
        assert units_of(client.delete_item(**parameters)) == 2
        assert units_of(client.delete_item(**parameters)) == 1, "nothing is there"

    def test_transaction(self, client: Any) -> None:
        assert write(client, {"Put": {"Item": row(1500)}}) == 4
        deleted = {"Delete": {"Key": key("none")}}
        assert write(client, {"Put": {"Item": row(100, "a")}}, deleted) == 4

    def test_condition_check_costs_a_write_of_the_row(self, client: Any) -> None:
        put(client, row(100))
        check = {"Key": key(), "ConditionExpression": "attribute_exists(pk)"}
        assert write(client, {"ConditionCheck": check}, {"Put": {"Item": row(9, "a")}}) == 4


class TestReads:
    """A unit each 4 KB begun, read strongly consistently."""

    def test_get_item(self, client: Any) -> None:
        put(client, row(4096))
        parameters = {"TableName": TABLE, "ConsistentRead": True, **TOTAL}
        assert units_of(client.get_item(Key=key(), **parameters)) == 1
        put(client, row(4097))
        assert units_of(client.get_item(Key=key(), **parameters)) == 2
        assert units_of(client.get_item(Key=key("none"), **parameters)) == 1, "nothing is there"
        assert units_of(client.get_item(Key=key(), **{**parameters, "ConsistentRead": False})) == 1

    def test_batch_get_rounds_up_each_row(self, client: Any) -> None:
        for name in ("a", "b", "c"):
            put(client, row(100, name))
        keys = [key(name) for name in ("a", "b", "c", "none")]
        parameters = {TABLE: {"Keys": keys, "ConsistentRead": True}}
        assert units_of(client.batch_get_item(RequestItems=parameters, **TOTAL)) == 4

    def test_query_rounds_up_the_sum(self, client: Any) -> None:
        for number in range(9):
            put(client, row(1000, f"{number}"))
        parameters = {
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "p"}},
            "ConsistentRead": True,
            **TOTAL,
        }
        assert units_of(client.query(**parameters)) == 3
        assert units_of(client.query(**parameters, Limit=4)) == 1
        assert units_of(client.query(**parameters, FilterExpression="t = :p")) == 3
        assert units_of(client.query(**parameters, ProjectionExpression="pk")) == 3
        parameters["ExpressionAttributeValues"] = {":p": {"S": "nobody"}}
        assert units_of(client.query(**parameters)) == 1

    def test_transact_get(self, client: Any) -> None:
        put(client, row(100))
        parts = [{"Get": {"TableName": TABLE, "Key": key(name)}} for name in ("s", "none")]
        assert units_of(client.transact_get_items(TransactItems=parts, **TOTAL)) == 4


class TestFailures:
    """What is charged although nothing was written; the rows here are smaller than a KB."""

    @pytest.fixture
    def meter(self) -> Iterator[Meter]:
        """A meter that takes the test for a function."""
        made = Meter(running=lambda: "Test")
        with made.on():
            yield made

    def test_failed_condition(self, client: Any, meter: Meter) -> None:
        put(client, row(100))
        with pytest.raises(ClientError, match="conditional request failed"):
            put(client, row(9), ConditionExpression="attribute_not_exists(pk)")
        assert meter.used == {"Test": Usage(writes=2, write_calls=2)}

    def test_cancelled_transaction(self, client: Any, meter: Meter) -> None:
        check = {"Key": key(), "ConditionExpression": "attribute_exists(pk)"}
        with pytest.raises(ClientError, match="ConditionalCheckFailed"):
            write(client, {"ConditionCheck": check}, {"Put": {"Item": row(9, "a")}})
        assert meter.used == {"Test": Usage(writes=4, transactions=1)}

    def test_successful_calls_are_counted_as_reported(self, client: Any, meter: Meter) -> None:
        put(client, row(1500))
        client.get_item(TableName=TABLE, Key=key(), ConsistentRead=True)
        write(client, {"Delete": {"Key": key()}})
        expected = Usage(reads=1, writes=6, read_calls=1, write_calls=1, transactions=1)
        assert meter.used == {"Test": expected}
