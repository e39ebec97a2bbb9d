"""What a function's run asks of AWS, counted where the answers come in: at botocore.

DynamoDB answers the units of a call that succeeded. Of one that failed it answers none, and charges
nevertheless: a unit for each KB of the row that was in the way (at least one), doubled for each
row of a transaction. The rows that fail here are smaller than 1 KB.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from unittest import mock

from botocore.client import BaseClient
from botocore.exceptions import ClientError

from benchmarks.measure.reckoning import Usage
from local import functions
from storepost.accounts.identity import passwords

_WRITES = frozenset(
    {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "BatchExecuteStatement"}
)
_TRANSACTION = "TransactWriteItems"
_GONE = "ConditionalCheckFailedException"
_CANCELLED = "TransactionCanceledException"
_PRICED = {
    ("s3", "PutObject"): Usage(objects_put=1),
    ("s3", "GetObject"): Usage(objects_got=1),
    ("s3", "DeleteObject"): Usage(),
    ("sesv2", "SendEmail"): Usage(emails=1),
    ("kms", "GenerateMac"): Usage(macs=1),
    # Once a container or in minutes, and so of no request in particular.
    ("kms", "GenerateDataKey"): Usage(),
    ("kms", "Decrypt"): Usage(),
    ("ssm", "GetParameter"): Usage(),
}


@dataclass
class Meter:
    """Counts while it is switched on."""

    used: dict[str, Usage] = field(default_factory=dict)
    running: Callable[[], str | None] = functions.running
    """The function that runs now."""

    def note(self, usage: Usage) -> None:
        """Adds to the use of the running function; calls outside of functions don't count."""
        running = self.running()
        if running is not None:
            self.used[running] = self.used.get(running, Usage()) + usage

    @contextmanager
    def on(self) -> Iterator[None]:
        """Counts what happens inside the block."""
        with (
            mock.patch.object(BaseClient, "_make_api_call", self._metered()),
            mock.patch.object(functions, "handler_of", self._invoking()),
            mock.patch.object(passwords, "_normalised", self._hashing()),
        ):
            yield

    def _metered(self) -> Callable[..., Any]:
        plain = cast(Any, BaseClient)._make_api_call

        def call(client: Any, operation: str, parameters: Any) -> Any:
            service = client.meta.service_model.service_name
            if self.running() is None:  # the local run's own calls in AWS's place
                return plain(client, operation, parameters)
            if service != "dynamodb":
                self.note(_elsewhere(service, operation, parameters))
                return plain(client, operation, parameters)
            with_capacity = {**parameters, "ReturnConsumedCapacity": "TOTAL"}
            try:
                answer = plain(client, operation, with_capacity)
            except ClientError as error:
                self.note(_failed(operation, parameters, error))
                raise
            self.note(of_call(operation, units_of(answer)))
            return answer

        return call

    def _invoking(self) -> Callable[[str], Callable[[Any, Any], Any]]:
        plain = functions.handler_of

        def handler_of(function: str) -> Callable[[Any, Any], Any]:
            self.note(Usage(invocations=1))
            return plain(function)

        return handler_of

    def _hashing(self) -> Callable[[str], str]:
        plain = passwords._normalised

        def normalised(password: str) -> str:
            self.note(Usage(passwords=1))
            return plain(password)

        return normalised


def units_of(answer: dict[str, Any]) -> float:
    """The units that DynamoDB says it took, of all tables."""
    consumed = answer["ConsumedCapacity"]
    parts = consumed if isinstance(consumed, list) else [consumed]
    return float(sum(part["CapacityUnits"] for part in parts))


def of_call(operation: str, units: float) -> Usage:
    """A call of DynamoDB that took so many units."""
    if operation == _TRANSACTION:
        return Usage(writes=units, transactions=1)
    if operation in _WRITES:
        return Usage(writes=units, write_calls=1)
    return Usage(reads=units, read_calls=1)


def _failed(operation: str, parameters: Any, error: ClientError) -> Usage:
    code = error.response["Error"]["Code"]
    if code == _CANCELLED:
        return of_call(operation, 2 * len(parameters["TransactItems"]))
    if code == _GONE:
        return of_call(operation, 1)
    return of_call(operation, 0)


def _elsewhere(service: str, operation: str, parameters: Any) -> Usage:
    """Refuses a call that has no price."""
    if service == "sqs":
        return Usage(sends=1, fifo_sends=parameters["QueueUrl"].endswith(".fifo"))
    priced = _PRICED.get((service, operation))
    if priced is None:
        raise LookupError(f"{service} {operation} has no price in the page of costs")
    return priced
