"""moto and dynoxide, each with tables of its own."""

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from local import aws
from tests.local.test_moto_transactions import LISTS

type Row = dict[str, dict[str, Any]]
type Answer = object

MOTO = {
    "dynamodb": f"https://dynamodb.{aws.REGION}.amazonaws.com",
    "dynamodbstreams": f"https://streams.dynamodb.{aws.REGION}.amazonaws.com",
}
INVALID = "ValidationError"
ONE = {"N": "1"}


@dataclass(frozen=True)
class Engine:
    """One of the two, with tables of its own."""

    tables: Any
    streams: Any

    def answer(self, operation: str, **request: Any) -> Answer:
        """The parts of an answer that the service reads: attributes and rows, or the error."""
        try:
            answer = getattr(self.tables, operation)(**request)
        except ClientError as error:
            return self._refusal(error)
        looked_at = ("Attributes", "Item", "Items", "Count", "LastEvaluatedKey")
        return {name: answer[name] for name in looked_at if name in answer}

    def _refusal(self, error: ClientError) -> Answer:
        code = error.response["Error"]["Code"]
        reasons = error.response.get("CancellationReasons", [])
        return code, [(reason["Code"], reason.get("Item")) for reason in reasons]

    def row(self, table: str, key: Row) -> Row | None:
        """A row, None where there is none."""
        found: Row | None = self.tables.get_item(TableName=table, Key=key).get("Item")
        return found

    def end_of_stream(self) -> str:
        """The stream's position for later records."""
        arn = self.tables.describe_table(TableName=LISTS)["Table"]["LatestStreamArn"]
        (shard,) = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        return str(
            self.streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST"
            )["ShardIterator"]
        )

    def told_since(self, place: str) -> list[tuple[str, Row, Row | None]]:
        """The stream's records since then: the kind of change, the keys and the new image."""
        records = self.streams.get_records(ShardIterator=place)["Records"]
        return [
            (r["eventName"], r["dynamodb"]["Keys"], r["dynamodb"].get("NewImage")) for r in records
        ]


def put(engine: Engine, key: Row, **attributes: Any) -> Answer:
    """The answer to a put."""
    return engine.answer("put_item", TableName=LISTS, Item={**key, **attributes})
