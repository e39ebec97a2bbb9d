"""Does what AWS does between the functions: streams, queues and schedules invoke their readers.

Each reader retries as its event source in the template declares. A failure is printed and never
ends a pump: when a function raises, its whole batch fails.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any
from uuid import uuid4

from local.aws import ACCOUNT, REGION, client, queue_arn, queue_url
from local.aws.stream_positions import StreamPositions
from local.aws.stream_records import Record, StreamRecords, number_of
from local.console import say, say_failure
from local.functions import invoke
from local.template import Function, functions
from storepost.values import clock

MAX_RECEIVED = 10
"""The most messages of one SQS receive, and the default batch size of a reader."""
STREAM_BATCH = 100

type Pause = Callable[[int], None]
"""Waits before a retry, depending on the number of failed tries."""


def _no_pause(_failures: int) -> None:
    """Tries again at once."""


@dataclass
class StreamPump:
    """Delivers the table's stream to the functions that read it, one after the other."""

    table: str = "Table"
    pause: Pause = _no_pause
    positions: StreamPositions = field(default_factory=StreamPositions)
    readers: list["StreamReader"] = field(init=False)

    def __post_init__(self) -> None:
        stream = StreamRecords(self.table)
        self.readers = [
            StreamReader(function, source, stream, self.pause, self.positions)
            for function in functions()
            for source in function.events_of("DynamoDB")
        ]

    def pump(self) -> int:
        """Delivers new records; returns how many were handed to a function."""
        return sum(reader.pump() for reader in self.readers)


@dataclass
class StreamReader:
    """One function as a reader of the table's stream."""

    function: Function
    source: dict[str, Any]
    stream: StreamRecords
    pause: Pause
    positions: StreamPositions

    @property
    def window(self) -> int:
        """For how many seconds records are gathered for one batch."""
        return int(self.source.get("MaximumBatchingWindowInSeconds", 0))

    def pump(self) -> int:
        """Delivers new records; returns how many were handed to the function."""
        return sum(self._pump_shard(shard) for shard in self.stream.shards())

    def waiting(self) -> list[Record]:
        """Returns the undelivered records, oldest first, without delivering them."""
        return [
            record
            for shard in self.stream.shards()
            for records in self._batches(shard)
            for record in records
            if passes(record, self.source)
        ]

    def _batches(self, shard: str) -> Iterator[list[Record]]:
        """Yields the records after the reader's position, a batch at a time."""
        place = self.positions.of(self.function.name, shard)
        limit = self.source.get("BatchSize", STREAM_BATCH)
        while records := self.stream.after(shard, place, limit):
            yield records
            place = number_of(records[-1])

    def _pump_shard(self, shard: str) -> int:
        handed, arn = 0, self.stream.arn_of(shard)
        for batch in self._batches(shard):
            records = [_stream_record(r, arn) for r in batch if passes(r, self.source)]
            if records:
                self._deliver(records, shard)
                handed += len(records)
            # Recorded only now: undelivered records must be delivered again.
            self.positions.note(self.function.name, shard, number_of(batch[-1]))
        return handed

    def _deliver(self, records: list[Record], shard: str) -> None:
        """Delivers the records in order, until each succeeds or is sent to the failure destination.

        A batch that fails at a later record continues from that record. A batch that fails at its
        first record is bisected if the source says so, else retried (Lambda, "Using AWS Lambda with
        Amazon DynamoDB": splitting a batch doesn't count as a retry).
        """
        waiting = [(records, 0)]
        while waiting:
            batch, failures = waiting.pop(0)
            failed = self._first_failed(batch)
            if failed is None:
                continue
            if failed > 0:
                waiting.insert(0, (batch[failed:], 0))
            elif len(batch) > 1 and self.source.get("BisectBatchOnFunctionError"):
                middle = len(batch) // 2
                waiting[:0] = [(batch[:middle], failures), (batch[middle:], failures)]
            elif failures < self.source.get("MaximumRetryAttempts", 0):
                self.pause(failures + 1)
                waiting.insert(0, (batch, failures + 1))
            else:
                self._give_up(batch, shard, failures + 1)

    def _first_failed(self, batch: list[Record]) -> int | None:
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        failed = failed_of(self.function, batch, numbers)
        return min((numbers.index(number) for number in failed), default=None)

    def _give_up(self, batch: list[Record], shard: str, tries: int) -> None:
        """Sends the records' positions, not their content, to the failure destination."""
        say(f"{self.function.job}: gave up on {len(batch)} of the stream's records")
        target = self.source["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
        first, last = batch[0], batch[-1]
        event = {
            "requestContext": {
                "requestId": str(uuid4()),
                "functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function.name}",
                "condition": "RetryAttemptsExhausted",
                "approximateInvokeCount": tries,
            },
            "version": "1.0",
            "timestamp": clock.to_text(clock.now()),
            "DDBStreamBatchInfo": {
                "shardId": shard,
                "startSequenceNumber": first["dynamodb"]["SequenceNumber"],
                "endSequenceNumber": last["dynamodb"]["SequenceNumber"],
                "batchSize": len(batch),
                "streamArn": first["eventSourceARN"],
            },
        }
        client("sqs").send_message(QueueUrl=queue_url(target), MessageBody=json.dumps(event))


def failed_of(function: Function, records: list[Record], ids: list[str]) -> set[str]:
    """Runs the function on a batch; returns the ids that failed.

    All fail if the function raises or names an id that isn't in the batch (Lambda, "Reporting batch
    item failures").
    """
    try:
        answer = invoke(function, {"Records": records})
    except Exception as error:
        say_failure(function.job, error)
        return set(ids)
    failed = {f["itemIdentifier"] for f in (answer or {}).get("batchItemFailures", [])}
    return failed if failed <= set(ids) else set(ids)


def passes(record: Record, source: dict[str, Any]) -> bool:
    """Whether a stream's record passes the event source's filters."""
    filters = source.get("FilterCriteria", {}).get("Filters", [])
    return not filters or any(_matches(record, _pattern(f["Pattern"])) for f in filters)


@cache
def _pattern(text: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads(text)


def _matches(value: Any, pattern: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            name in value and _matches(value[name], inner) for name, inner in pattern.items()
        )
    return any(_matches_one(value, choice) for choice in pattern)


def _matches_one(value: Any, choice: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(choice, dict):
        return isinstance(value, str) and value.startswith(choice["prefix"])
    return bool(value == choice)


def _stream_record(record: Record, arn: str) -> Record:
    created_at = record["dynamodb"]["ApproximateCreationDateTime"]
    if isinstance(created_at, datetime):
        created_at = created_at.timestamp()
    # The engine has the machine's time, which may be days behind the service's.
    created_at += clock.offset().total_seconds()
    return {
        "eventID": record["eventID"],
        "eventName": record["eventName"],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": record["awsRegion"],
        "dynamodb": {**record["dynamodb"], "ApproximateCreationDateTime": int(created_at)},
        "eventSourceARN": arn,
    }


def pump_queue(queue: str, first_seconds: int | None = None) -> int:
    """Hands a queue's visible messages to its reader; returns how many were received.

    A failed message becomes visible again after `first_seconds`, and later after each further
    failure, so that it outlasts the lease of a killed run. With None it becomes visible when its
    reader decided, or else after the queue's own visibility timeout. The queue's redrive policy
    limits the number of receives.
    """
    function, source = _reader(queue)
    sqs = client("sqs")
    url = queue_url(queue)
    messages = _received(url, source.get("BatchSize", MAX_RECEIVED))
    if not messages:
        return 0
    ids = [message["MessageId"] for message in messages]
    failed = failed_of(function, [_queue_record(m, queue) for m in messages], ids)
    if failed:
        say(f"{function.job}: {len(failed)} of {len(messages)} messages failed")
    for message in messages:
        handle = {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]}
        if message["MessageId"] not in failed:
            sqs.delete_message(**handle)
        elif first_seconds is not None:
            receives = int(message["Attributes"]["ApproximateReceiveCount"])
            # Imported here: it reads the environment, which a run sets after importing this file.
            from storepost.platform.messaging.queues import longest_wait  # noqa: PLC0415

            seconds = longest_wait(receives, first_seconds)
            sqs.change_message_visibility(**handle, VisibilityTimeout=seconds)
    return len(messages)


def _received(url: str, limit: int) -> list[Record]:
    """Returns visible messages of a queue, in as many calls as Lambda makes for one batch."""
    messages: list[Record] = []
    while len(messages) < limit:
        some = client("sqs").receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=min(limit - len(messages), MAX_RECEIVED),
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        if not some.get("Messages"):
            break
        messages += some["Messages"]
    return messages


def reader_of(queue: str) -> Function:
    """Returns the function that reads a queue."""
    return _reader(queue)[0]


@cache
def _reader(queue: str) -> tuple[Function, dict[str, Any]]:
    for function in functions():
        for source in function.events_of("SQS"):
            if source["Queue"]["Fn::GetAtt"][0] == queue:
                return function, source
    raise LookupError(queue)


@cache
def read_queues() -> tuple[str, ...]:
    """Returns the logical ids of the queues that functions read."""
    return tuple(s["Queue"]["Fn::GetAtt"][0] for f in functions() for s in f.events_of("SQS"))


def _queue_record(message: Record, queue: str) -> Record:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn(queue),
        "awsRegion": REGION,
    }


def run_schedule(job: str) -> Any:  # noqa: ANN401 - the function's own answer
    """Runs a scheduled function now, by its folder's name. Raises LookupError."""
    for function in functions():
        if function.job == job and function.events_of("ScheduleV2"):
            return invoke(function, schedule_event(function))
    raise LookupError(job)


def schedule_event(function: Function) -> dict[str, Any]:
    """Returns EventBridge Scheduler's event for a schedule without an input."""
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": ACCOUNT,
        "time": clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/{function.name}"],
        "detail": "{}",
    }
