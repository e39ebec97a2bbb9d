"""Passes AWS calls to moto in this process directly, without HTTP between botocore and moto.

Botocore would sign a request, build it and parse the answer; moto would find the service by the
address and parse and write the same JSON again: five sixths of a read's time. Here moto's own
method for the operation is called with the parameters and returns its result.

A call still takes botocore's complete path if

- moto refuses it: the error then has the form of AWS's own,
- a handler is registered for the client's events, as it may read the request that is sent,
- the client's endpoint isn't AWS's but, for example, dynoxide's.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

from botocore.client import BaseClient
from moto.core.exceptions import ServiceException
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler
from moto.kms.responses import KmsResponse
from moto.sqs.responses import SQSResponse
from werkzeug.exceptions import HTTPException

from local.aws.moto_methods import Call, Parameters, by_methods, by_shapes, by_written_methods
from local.aws.moto_objects import OBJECT_CALLS, MoreThanAName

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
"""botocore's events during a call; the service and the operation follow each name."""
_LIBRARIES = frozenset({"aws_lambda_powertools", "boto3", "botocore", "moto", "pynamodb"})
"""Libraries whose event handlers only prepare the HTTP request and may be skipped."""


@dataclass(frozen=True)
class _Service:
    """A service's name in `X-Amz-Target`, and the method that answers each operation."""

    target: str
    calls: Mapping[str, Call]


_SERVICES = {
    "dynamodb": _Service(
        "DynamoDB_20120810",
        by_methods(
            DynamoHandler,
            "BatchExecuteStatement",
            "BatchGetItem",
            "BatchWriteItem",
            "DeleteItem",
            "DescribeTable",
            "GetItem",
            "PutItem",
            "Query",
            "Scan",
            "TransactWriteItems",
            "UpdateItem",
        ),
    ),
    "dynamodbstreams": _Service(
        "DynamoDBStreams_20120810",
        by_methods(DynamoDBStreamsHandler, "DescribeStream", "GetRecords", "GetShardIterator"),
    ),
    "kms": _Service(
        "TrentService",
        by_written_methods(KmsResponse, "Decrypt", "GenerateDataKey", "GenerateMac", "VerifyMac"),
    ),
    "s3": _Service("AmazonS3", OBJECT_CALLS),
    "sqs": _Service(
        "AmazonSQS",
        by_methods(
            SQSResponse,
            "ChangeMessageVisibility",
            "DeleteMessage",
            "GetQueueAttributes",
            "GetQueueUrl",
            "ReceiveMessage",
            "SendMessage",
            "SendMessageBatch",
        ),
    ),
    "ssm": _Service(
        "AmazonSSM", by_shapes("moto.ssm.responses:SimpleSystemManagerResponse", "GetParameter")
    ),
}

_STATUSES = {"DeleteObject": 204}
_whole_way: Callable[[BaseClient, str, Parameters], Any] = BaseClient._make_api_call  # type: ignore[attr-defined]
_heard: WeakKeyDictionary[BaseClient, tuple[object, set[str]]] = WeakKeyDictionary()


def install(lock: threading.RLock, announce: Callable[[str], None]) -> None:
    """Has all clients of the process call moto directly from now on; each call holds the lock."""

    def call(client: BaseClient, operation: str, parameters: Parameters) -> Any:  # noqa: ANN401
        service = _SERVICES.get(client.meta.service_model.service_name)
        if service is None or operation not in service.calls or not _is_free(client, operation):
            return _whole_way(client, operation, parameters)
        try:
            with lock:
                answer = service.calls[operation](client, operation, parameters)
        except (HTTPException, MoreThanAName, ServiceException):
            # moto wrote nothing. Repeating the call through botocore raises AWS's own error.
            return _whole_way(client, operation, parameters)
        announce(f"{service.target}.{operation}")
        answer["ResponseMetadata"] = {
            "RequestId": "",
            "HTTPStatusCode": _STATUSES.get(operation, 200),
            "HTTPHeaders": {},
            "RetryAttempts": 0,
        }
        return answer

    BaseClient._make_api_call = call  # type: ignore[attr-defined]


def _is_free(client: BaseClient, operation: str) -> bool:
    """Whether the client calls moto, and only libraries have handlers for its events."""
    if not client.meta.endpoint_url.endswith(".amazonaws.com"):
        return False
    # The emitter makes a new lookup cache whenever a handler is registered or unregistered.
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
