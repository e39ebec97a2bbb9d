"""A transport to DynamoDB that refuses calls, loses answers and kills its process at random.

It replaces botocore's HTTP session, so that all of our and botocore's code runs above it. Errors
are those that DynamoDB documents.
"""

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError

type Body = dict[str, Any]

_THROTTLED = (
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
)
_SINGLE_WRITES = ("PutItem", "UpdateItem", "DeleteItem")


@dataclass(frozen=True)
class Rates:
    """The probability of each fault for a call that it can affect, from 0 to 1."""

    throttled: float = 0.30
    lost: float = 0.05
    """The call is carried out; half of the answers are 500, half never arrive."""
    conflict: float = 0.08
    """Of writes: another transaction is writing one of the rows."""
    unprocessed: float = 0.05
    """Of batches: some rows stay unprocessed."""
    killed: float = 0.003
    """The process is killed, half of the times before the call and half after it."""


class Sender(Protocol):
    """Botocore's session of HTTP."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Sends the request."""


@dataclass
class FaultyTransport:
    """Replaces botocore's own session."""

    plain: Sender
    rates: Rates
    chance: random.Random
    met: Counter[str] = field(default_factory=Counter)
    """The number of calls by fault."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Sends the request, unless a fault affects it."""
        target: Any = request.headers["X-Amz-Target"]
        operation = (target if isinstance(target, str) else target.decode()).partition(".")[2]
        fault = self._fault(operation)
        if fault is None:
            return self.plain.send(request)
        self.met[fault.__name__.removeprefix("_")] += 1
        return fault(self, request, operation)

    def close(self) -> None:
        """Does nothing: the transport lives as long as its process."""

    def _fault(self, operation: str) -> "_Fault | None":
        rates, drawn = self.rates, self.chance.random()
        writes = operation == "TransactWriteItems" or operation in _SINGLE_WRITES
        possible: list[tuple[float, _Fault]] = [
            (rates.throttled, _throttled),
            (rates.lost, _lost),
            (rates.killed, _killed),
            (rates.conflict if writes else 0, _conflict),
            (rates.unprocessed if operation.startswith("Batch") else 0, _unprocessed),
        ]
        for rate, fault in possible:
            if drawn < rate:
                return fault
            drawn -= rate
        return None


type _Fault = Callable[[FaultyTransport, AWSPreparedRequest, str], AWSResponse]


def _throttled(own: FaultyTransport, request: AWSPreparedRequest, _operation: str) -> AWSResponse:
    return _error(request, own.chance.choice(_THROTTLED))


def _conflict(own: FaultyTransport, request: AWSPreparedRequest, operation: str) -> AWSResponse:
    if operation != "TransactWriteItems":
        return _error(request, "TransactionConflictException")
    reasons = [{"Code": "None"} for _ in _body(request)["TransactItems"]]
    own.chance.choice(reasons).update(Code="TransactionConflict", Message="Ongoing for the item")
    names = ", ".join(reason["Code"] for reason in reasons)
    text = (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{names}]"
    )
    return _error(request, "TransactionCanceledException", text, CancellationReasons=reasons)


def _lost(own: FaultyTransport, request: AWSPreparedRequest, _operation: str) -> AWSResponse:
    own.plain.send(request)
    if own.chance.random() < 0.5:
        return _error(request, "InternalServerError", status=500)
    raise ConnectionClosedError(endpoint_url=request.url)


def _killed(own: FaultyTransport, request: AWSPreparedRequest, _operation: str) -> AWSResponse:
    if own.chance.random() < 0.5:
        own.plain.send(request)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody outlives that")


def _unprocessed(own: FaultyTransport, request: AWSPreparedRequest, operation: str) -> AWSResponse:
    """Leaves some or all of the rows unprocessed."""
    if operation == "BatchExecuteStatement":
        return _refused_statements(own, request)
    body = _body(request)
    [(table, request_items)] = body["RequestItems"].items()
    rows = request_items["Keys"] if operation == "BatchGetItem" else request_items
    done = own.chance.randrange(len(rows))
    answer: Body = {"Responses": {}}
    if done:
        some = (
            {**request_items, "Keys": rows[:done]} if operation == "BatchGetItem" else rows[:done]
        )
        _resize(request, {**body, "RequestItems": {table: some}})
        answer = json.loads(own.plain.send(request).content)
    rest = {**request_items, "Keys": rows[done:]} if operation == "BatchGetItem" else rows[done:]
    name = "UnprocessedKeys" if operation == "BatchGetItem" else "UnprocessedItems"
    return _answer(request, 200, {**answer, name: {table: rest}})


def _refused_statements(own: FaultyTransport, request: AWSPreparedRequest) -> AWSResponse:
    """Carries out some of the statements; each of the others has an error of its own."""
    body = _body(request)
    statements = body["Statements"]
    done = own.chance.randrange(len(statements))
    responses: list[Body] = []
    if done:
        _resize(request, {**body, "Statements": statements[:done]})
        responses = json.loads(own.plain.send(request).content)["Responses"]
    refused = {"Error": {"Code": "ThrottlingError", "Message": "refused"}}
    return _answer(request, 200, {"Responses": responses + [refused] * (len(statements) - done)})


def _resize(request: AWSPreparedRequest, body: Body) -> None:
    request.body = json.dumps(body).encode()
    request.headers["Content-Length"] = str(len(request.body))


def _body(request: AWSPreparedRequest) -> Body:
    sent: Any = request.body
    return dict(json.loads(sent))


def _error(
    request: AWSPreparedRequest, code: str, text: str = "refused", status: int = 400, **more: Any
) -> AWSResponse:
    kind = f"com.amazonaws.dynamodb.v20120810#{code}"
    return _answer(request, status, {"__type": kind, "message": text, "Message": text, **more})


def _answer(request: AWSPreparedRequest, status: int, body: Body) -> AWSResponse:
    headers = {"content-type": "application/x-amz-json-1.0"}
    answer: Any = AWSResponse(request.url, status, cast("Any", headers), None)
    answer._content = json.dumps(body).encode()
    return cast("AWSResponse", answer)
