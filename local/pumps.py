"""What AWS does between the functions: streams and queues carry events to their readers."""

import fnmatch
import json
from dataclasses import dataclass, field
from typing import Any

import boto3

from local.aws import queue_arn, queue_name, streams_client
from local.functions import invoke
from local.template import Function, functions

BATCH = 10


@dataclass
class StreamPump:
    """Carries the table's stream to the functions that read it."""

    table: str = "Table"
    _client: Any = field(default_factory=streams_client)
    _iterators: dict[str, str] = field(default_factory=dict)

    def pump(self) -> int:
        """Hands on what is new; the number of records handed to a function."""
        handed = 0
        arn = boto3.client("dynamodb").describe_table(TableName=self.table)["Table"][
            "LatestStreamArn"
        ]
        shards = self._client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        for shard in shards:
            handed += self._pump_shard(arn, shard["ShardId"])
        return handed

    def _pump_shard(self, arn: str, shard: str) -> int:
        if shard not in self._iterators:
            self._iterators[shard] = self._client.get_shard_iterator(
                StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
        handed = 0
        while True:
            answer = self._client.get_records(ShardIterator=self._iterators[shard], Limit=100)
            self._iterators[shard] = answer["NextShardIterator"]
            if not answer["Records"]:
                return handed
            handed += sum(_hand_on(answer["Records"], arn, f, s) for f, s in _stream_readers())


def _stream_readers() -> list[tuple[Function, dict[str, Any]]]:
    return [(f, source) for f in functions() for source in f.events_of("DynamoDB")]


def _hand_on(
    records: list[dict[str, Any]], arn: str, function: Function, source: dict[str, Any]
) -> int:
    passed = [_stream_record(r, arn) for r in records if passes(r, source)]
    if passed:
        invoke(function, {"Records": passed})
    return len(passed)


def passes(record: dict[str, Any], source: dict[str, Any]) -> bool:
    """Whether a stream's record passes the event source's filters."""
    filters = source.get("FilterCriteria", {}).get("Filters", [])
    return not filters or any(_matches(record, json.loads(f["Pattern"])) for f in filters)


def _matches(value: Any, pattern: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            name in value and _matches(value[name], inner) for name, inner in pattern.items()
        )
    return any(_matches_one(value, choice) for choice in pattern)


def _matches_one(value: Any, choice: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(choice, dict):
        return isinstance(value, str) and fnmatch.fnmatchcase(value, choice["prefix"] + "*")
    return bool(value == choice)


def _stream_record(record: dict[str, Any], arn: str) -> dict[str, Any]:
    return {
        "eventID": record["eventID"],
        "eventName": record["eventName"],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": record["awsRegion"],
        "dynamodb": record["dynamodb"],
        "eventSourceARN": arn,
    }


def pump_queue(queue: str) -> int:
    """Hands what is visible in a queue to its reader; the number of messages it took."""
    function = reader_of(queue)
    sqs: Any = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName=queue_name(queue))["QueueUrl"]
    messages = sqs.receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=BATCH,
        MessageSystemAttributeNames=["All"],
        MessageAttributeNames=["All"],
    ).get("Messages", [])
    if not messages:
        return 0
    answer = invoke(function, {"Records": [_queue_record(m, queue) for m in messages]})
    failed = {f["itemIdentifier"] for f in answer["batchItemFailures"]}
    for message in messages:
        if message["MessageId"] not in failed:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return len(messages)


def reader_of(queue: str) -> Function:
    """The function that reads a queue."""
    for function in functions():
        for source in function.events_of("SQS"):
            if source["Queue"]["Fn::GetAtt"][0] == queue:
                return function
    raise LookupError(queue)


def read_queues() -> list[str]:
    """The queues that a function reads, by logical id."""
    return [s["Queue"]["Fn::GetAtt"][0] for f in functions() for s in f.events_of("SQS")]


def _queue_record(message: dict[str, Any], queue: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn(queue),
        "awsRegion": "eu-central-1",
    }


def run_schedule(job: str) -> Any:  # noqa: ANN401 - the function's own answer
    """Runs a scheduled function now, by its folder's name."""
    for function in functions():
        if function.folder.rstrip("/").endswith(f"schedules/{job}"):
            return invoke(function, {"version": "0", "source": "aws.scheduler", "detail": {}})
    raise LookupError(job)
