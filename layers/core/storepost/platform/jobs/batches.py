"""Handles batches of queues and streams record by record; only failed ones are delivered again.

Calls to DynamoDB are retried within the run for as long as its time allows.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSEvent, SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.jobs.powertools_batches import (
    BatchProcessor,
    EventType,
    SqsFifoPartialProcessor,
    process_partial_response,
)
from storepost.platform.jobs.runs import NotYet, Run, run_once
from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.queues import redeliver_soon
from storepost.platform.messaging.relay import Outgoing, is_left_to_sweep, relay_all
from storepost.platform.persistence.patience import patience
from storepost.values.logs import log_keys, log_unexpected
from storepost.values.metrics import count, flush

_WORKSPACE = re.compile(r'"workspaceId":\s*"([0-9a-f-]{36})"')

type Handler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]


def job[M: QueueMessage](
    message: type[M], work: Callable[[Run[M]], None]
) -> Callable[[SQSRecord, LambdaContext], None]:
    """Returns the function that runs `work` on the message of each record."""

    def handle(record: SQSRecord, context: LambdaContext) -> None:
        tries = int(record.attributes.approximate_receive_count)
        remaining = context.get_remaining_time_in_millis
        run_once(work, Run(message.of(record.body), tries, remaining))

    return handle


def queue_handler(work: Callable[[SQSRecord, LambdaContext], None]) -> Handler:
    """Returns the handler of a standard queue's reader."""
    return _of_queue(BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False), work)


def joint_queue_handler[M: QueueMessage](
    message: type[M], work: Callable[[Sequence[M]], None]
) -> Handler:
    """Returns the handler of a standard queue's reader that works on a batch's messages together.

    `work` may do a part of it, fail, and be repeated. If it fails, each message is worked on alone,
    and those that fail again are delivered again.
    """
    alone = queue_handler(job(message, lambda run: work([run.message])))

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        records = list(SQSEvent(event).records)
        if len(records) == 1:
            return alone(event, context)
        with log_keys(requestId=context.aws_request_id):
            try:
                # Half of the time is for those that have to be repeated alone.
                with _measured(context, parts=2):
                    work([message.of(record.body) for record in records])
            except Exception as error:
                log_unexpected(error)
                return alone(event, context)
        return {"batchItemFailures": []}

    return lambda_handler


def fifo_queue_handler(work: Callable[[SQSRecord, LambdaContext], None]) -> Handler:
    """Returns the handler of a FIFO queue's reader: a failure holds back its own group only."""
    return _of_queue(_partial_fifo(), work)


def _partial_fifo() -> SqsFifoPartialProcessor:
    processor = SqsFifoPartialProcessor(skip_group_on_error=True)
    processor.raise_on_entire_batch_failure = False  # its constructor doesn't take it
    return processor


def stream_batch_handler[T](
    read: Callable[[DynamoDBRecord], T | None], write: Callable[[Sequence[T]], None]
) -> Handler:
    """Returns the handler of a reader of the table's stream that writes what it reads together.

    `read` returns what is to be written for one record, or None. Records that couldn't be read are
    delivered again, with all records after the first of them. If the write fails, all are.
    """

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        records = event["Records"]
        with log_keys(requestId=context.aws_request_id), _measured(context):
            found, failed = _read_each(records, read)
            try:
                write(list(found.values()))
            except Exception as error:
                log_unexpected(error)
                failed |= found.keys()
        numbers = (raw["dynamodb"]["SequenceNumber"] for raw in records)
        return {"batchItemFailures": [{"itemIdentifier": n} for n in numbers if n in failed]}

    return lambda_handler


def relay_handler[E](
    outgoing: Callable[[DynamoDBRecord], Outgoing | None],
    events_of: Callable[[DynamoDBRecord], Sequence[E]],
    outgoing_of_events: Callable[[Mapping[str, Sequence[E]]], Mapping[str, Outgoing]],
) -> Handler:
    """Returns the handler of the stream's reader that sends to queues what rows have for them.

    `events_of` reads the events off one record. `outgoing_of_events` gets the events of all records
    of the batch, by their sequence numbers, and returns what they have for a queue: it reads the
    table once. Records of one batch share calls of SQS. If SQS refuses something of a record, that
    record is delivered again, with all records after the first such one; an outbox row only until
    the sweep sends it.
    """

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        records = event["Records"]
        with log_keys(requestId=context.aws_request_id), _measured(context):
            parts, failed = _read_each(records, outgoing)
            events, unread = _read_each(records, events_of)
            happened, unheard = _read_together(events, outgoing_of_events)
            failed |= unread | unheard
            failed |= _relayed([*parts.items(), *happened.items()])
        return {"batchItemFailures": _to_redeliver(records, failed)}

    return lambda_handler


@contextmanager
def _measured(context: LambdaContext, parts: int = 1) -> Iterator[None]:
    """Retries calls inside the block while that part of the run's time lasts; sends its metrics."""
    with patience(context.get_remaining_time_in_millis() // parts) as own:
        yield
    if own.retries:
        count("Retries", own.retries)
    flush(requestId=context.aws_request_id)


def _read_each[T](
    records: Sequence[dict[str, Any]], read: Callable[[DynamoDBRecord], T | None]
) -> tuple[dict[str, T], set[str]]:
    """Returns what was read off each record, by its number, and the numbers that failed."""
    found: dict[str, T] = {}
    failed = set[str]()
    for raw in records:
        number = raw["dynamodb"]["SequenceNumber"]
        try:
            part = read(DynamoDBRecord(raw))
        except Exception as error:
            log_unexpected(error)
            failed.add(number)
        else:
            if part:
                found[number] = part
    return found, failed


def _read_together[E](
    events: Mapping[str, Sequence[E]],
    outgoing_of_events: Callable[[Mapping[str, Sequence[E]]], Mapping[str, Outgoing]],
) -> tuple[Mapping[str, Outgoing], set[str]]:
    """Returns what the events have for a queue; if that fails, the numbers of all with events."""
    try:
        return outgoing_of_events(events) if events else {}, set()
    except Exception as error:
        log_unexpected(error)
        return {}, set(events)


def _relayed(parts: Sequence[tuple[str, Outgoing]]) -> set[str]:
    """Sends what the records have; returns the numbers of those that SQS refused in part."""
    return {parts[place][0] for place in relay_all([part for _, part in parts])}


def _to_redeliver(records: Sequence[dict[str, Any]], failed: set[str]) -> list[dict[str, str]]:
    rows = [raw["dynamodb"] for raw in records if not _is_left_to_sweep(raw["dynamodb"])]
    numbers = (row["SequenceNumber"] for row in rows)
    return [{"itemIdentifier": number} for number in numbers if number in failed]


def _is_left_to_sweep(row: dict[str, Any]) -> bool:
    pk, sk = (row["Keys"][name]["S"] for name in ("pk", "sk"))
    return is_left_to_sweep(pk, sk)


def _of_queue(
    processor: BatchProcessor, work: Callable[[SQSRecord, LambdaContext], None]
) -> Handler:
    run = _handler(processor, work)

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        answer = run(event, context)
        failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
        if failed:
            try:
                redeliver_soon(r for r in SQSEvent(event).records if r.message_id in failed)
            except Exception as error:  # they are delivered again all the same, but later
                log_unexpected(error)
        return answer

    return lambda_handler


def _handler(processor: BatchProcessor, work: Callable[[Any, LambdaContext], None]) -> Handler:
    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        def handle(record: Any) -> None:  # noqa: ANN401 - Powertools knows it by its name
            with log_keys(requestId=context.aws_request_id, **_named(record)):
                try:
                    work(record, context)
                except NotYet:
                    raise
                except Exception as error:
                    log_unexpected(error)
                    raise

        with _measured(context):
            answer = process_partial_response(
                event=event, record_handler=handle, processor=processor, context=context
            )
        return dict(answer)

    return lambda_handler


def _named(record: Any) -> dict[str, str | None]:  # noqa: ANN401 - of a queue or of the stream
    """Returns the ids of a record for its log lines: the message's, and its workspace's."""
    if not isinstance(record, SQSRecord):
        return {}
    found = _WORKSPACE.search(record.body)
    return {"messageId": record.message_id, "workspaceId": found[1] if found else None}
