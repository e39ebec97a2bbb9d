"""Calls of AWS that reach moto in this process, without HTTP between botocore and it.

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
"""The events of botocore during a call, each with the service and the operation."""
_LIBRARIES = frozenset({"aws_lambda_powertools", "boto3", "botocore", "moto", "pynamodb"})
"""Whose listeners only serve the request as it is sent."""


@dataclass(frozen=True)
class _Service:
    """How a service's requests name it, and what answers them by operation."""

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
    """Has the process's clients call moto so from now on; each call holds the lock."""

    def call(client: BaseClient, operation: str, parameters: Parameters) -> Any:  # noqa: ANN401
        service = _SERVICES.get(client.meta.service_model.service_name)
        if service is None or operation not in service.calls or not _is_free(client, operation):
            return _whole_way(client, operation, parameters)
        try:
            with lock:
                answer = service.calls[operation](client, operation, parameters)
        except (HTTPException, MoreThanAName, ServiceException):
            # Nothing was written. The same call again says so in the words of AWS.
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
