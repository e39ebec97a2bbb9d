"""Calls of DynamoDB and SQS that reach moto in this process, without HTTP between botocore and it.

Botocore would sign a request, build it and parse the answer; moto would find the service by the
address and parse and write the same JSON again: five sixths of a read's time. Here moto's own
method for the operation gets the parameters and gives its result.

A call takes botocore's whole way all the same where

- moto refuses it: the error is then what AWS's own would be,
- somebody listens to the client's events, and so to the request as it is sent,
- the client's endpoint is another than AWS's, such as dynoxide's.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from botocore.client import BaseClient
from moto.core.exceptions import ServiceException
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.responses import ActionResult, BaseResponse
from moto.dynamodb.responses import DynamoHandler, DynamoResult
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler
from moto.sqs.responses import SQSResponse
from werkzeug.exceptions import HTTPException

from local.aws.moto_items import as_sent

type Parameters = dict[str, Any]

EVENTS = (
    "provide-client-params",
    "before-parameter-build",
    "before-call",
    "request-created",
    "before-sign",
    "before-send",
    "response-received",
    "needs-retry",
    "after-call",
    "after-call-error",
)
"""What botocore tells of during a call, each with the service and the operation."""
_LIBRARIES = frozenset({"aws_lambda_powertools", "boto3", "botocore", "moto", "pynamodb"})
"""Whose listeners only serve the request as it is sent."""


@dataclass(frozen=True)
class _Service:
    """What answers for a service: moto's class, and its method by operation."""

    handler: type[BaseResponse]
    target: str
    methods: Mapping[str, str]


_SERVICES = {
    "dynamodb": _Service(
        DynamoHandler,
        "DynamoDB_20120810",
        {
            "BatchGetItem": "batch_get_item",
            "BatchWriteItem": "batch_write_item",
            "DeleteItem": "delete_item",
            "DescribeTable": "describe_table",
            "GetItem": "get_item",
            "PutItem": "put_item",
            "Query": "query",
            "Scan": "scan",
            "TransactWriteItems": "transact_write_items",
            "UpdateItem": "update_item",
        },
    ),
    "dynamodbstreams": _Service(
        DynamoDBStreamsHandler,
        "DynamoDBStreams_20120810",
        {
            "DescribeStream": "describe_stream",
            "GetRecords": "get_records",
            "GetShardIterator": "get_shard_iterator",
        },
    ),
    "sqs": _Service(
        SQSResponse,
        "AmazonSQS",
        {
            "ChangeMessageVisibility": "change_message_visibility",
            "DeleteMessage": "delete_message",
            "GetQueueAttributes": "get_queue_attributes",
            "GetQueueUrl": "get_queue_url",
            "ReceiveMessage": "receive_message",
            "SendMessage": "send_message",
            "SendMessageBatch": "send_message_batch",
        },
    ),
}

_whole_way: Callable[[BaseClient, str, Parameters], Any] = BaseClient._make_api_call  # type: ignore[attr-defined]
_answers: dict[tuple[str, str], tuple[str, ...]] = {}
"""The members of an operation's answer, by service and operation."""
_heard: WeakKeyDictionary[BaseClient, tuple[object, set[str]]] = WeakKeyDictionary()


def install(lock: threading.RLock, announce: Callable[[str], None]) -> None:
    """Has the process's clients call moto so from now on; each call holds the lock."""

    def call(client: BaseClient, operation: str, parameters: Parameters) -> Any:  # noqa: ANN401
        service = _SERVICES.get(client.meta.service_model.service_name)
        if service is None or operation not in service.methods or not _is_free(client, operation):
            return _whole_way(client, operation, parameters)
        try:
            with lock:
                answer = _answer(client, service, operation, parameters)
        except (HTTPException, ServiceException):
            # Nothing was written. Asked again, it says so in the words of AWS.
            return _whole_way(client, operation, parameters)
        announce(f"{service.target}.{operation}")
        return answer

    BaseClient._make_api_call = call  # type: ignore[attr-defined]


def _answer(
    client: BaseClient, service: _Service, operation: str, parameters: Parameters
) -> Parameters:
    handler: Any = service.handler()
    handler.params = handler.body = {
        name: copied(value) for name, value in parameters.items() if value is not None
    }
    handler.uri_match, handler.automated_parameter_parsing = {}, True
    handler.uri, handler.path = client.meta.endpoint_url, ""
    handler.current_account, handler.region = DEFAULT_ACCOUNT_ID, client.meta.region_name
    of_moto: ActionResult = getattr(handler, service.methods[operation])()
    # That of items is plain and new already.
    result: Any = of_moto.result if isinstance(of_moto, DynamoResult) else copied(of_moto.result)
    answer = {
        name: result[name] for name in _members(client, operation) if result.get(name) is not None
    }
    answer["ResponseMetadata"] = {
        "RequestId": str(uuid4()),
        "HTTPStatusCode": 200,
        "HTTPHeaders": {},
        "RetryAttempts": 0,
    }
    return answer


def _members(client: BaseClient, operation: str) -> tuple[str, ...]:
    """What botocore knows of the operation's answer; moto's result may have more."""
    model = client.meta.service_model
    known = _answers.get((model.service_name, operation))
    if known is None:
        shape = model.operation_model(operation).output_shape
        known = _answers[model.service_name, operation] = tuple(shape.members) if shape else ()
    return known


def copied(value: Any) -> Any:  # noqa: ANN401 - what JSON can say, bytes and moments
    """The value as it would come over the wire: nothing of it is the sender's own."""
    match value:
        case dict():
            return {name: copied(each) for name, each in value.items()}
        case list() | tuple():
            return [copied(each) for each in value]
        case str():
            return str(value)
        case datetime():
            return as_sent(value)
    return value


def _is_free(client: BaseClient, operation: str) -> bool:
    """Whether the client is moto's, and nobody but libraries listens to its events."""
    if not client.meta.endpoint_url.endswith(".amazonaws.com"):
        return False
    # Its emitter has a new one whenever somebody begins or ceases to listen.
    emitter = client.meta.events._emitter  # type: ignore[attr-defined]
    state, free = _heard.get(client, (None, set[str]()))
    if state is not emitter._lookup_cache:
        free = set[str]()
        _heard[client] = emitter._lookup_cache, free
    if operation in free:
        return True
    name = client.meta.service_model.service_id.hyphenize()
    listening = chain.from_iterable(
        emitter._handlers.prefix_search(f"{event}.{name}.{operation}") for event in EVENTS
    )
    if any(_package(each) not in _LIBRARIES for each in listening):
        return False
    free.add(operation)
    return True


def _package(handler: Any) -> str:  # noqa: ANN401 - a function, a method, a partial or an object
    while isinstance(handler, partial):
        handler = handler.func
    return str(handler.__module__).partition(".")[0]
