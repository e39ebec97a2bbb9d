"""Records a request's calls of DynamoDB: runs it once, and undoes its writes."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError
from botocore.model import OperationModel

type Request = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One call with its parameters for botocore."""

    operation: str
    request: Request


@dataclass(frozen=True)
class _Before:
    """A row as it was before the rehearsal; None where there was none."""

    table: str
    key: Request
    item: Request | None


def repeat(client: Any, calls: list[Call]) -> None:  # noqa: ANN401 - botocore's clients
    """Makes the same calls. A failing condition is ignored, as it failed in the rehearsal, too."""
    for call in calls:
        try:
            client._make_api_call(call.operation, call.request)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise


def rehearse(service: Any, other: Any, request: Callable[[], object]) -> list[Call]:  # noqa: ANN401
    """Returns a request's calls by the client `service`; `other` undoes their writes."""
    calls: list[Call] = []
    before: list[_Before] = []

    def note(params: Request, model: OperationModel, **_: object) -> None:
        calls.append(Call(model.name, deepcopy(params)))
        before.extend(_read(other, table, key) for table, key in _written(model.name, params))

    service.meta.events.register_first("provide-client-params.dynamodb.*", note)
    try:
        request()
    finally:
        service.meta.events.unregister("provide-client-params.dynamodb.*", note)
    for row in reversed(before):
        if row.item is None:
            other.delete_item(TableName=row.table, Key=row.key)
        else:
            other.put_item(TableName=row.table, Item=row.item)
    return calls


def _read(client: Any, table: str, key: Request) -> _Before:  # noqa: ANN401
    answer = client.get_item(TableName=table, Key=key, ConsistentRead=True)
    return _Before(table, key, answer.get("Item"))


def _written(operation: str, request: Request) -> Iterator[tuple[str, Request]]:
    """Yields the rows that a call may write."""
    if operation == "TransactWriteItems":
        for part in request["TransactItems"]:
            for name, write in part.items():
                yield from _written(f"{name}Item", write)
    elif operation in {"PutItem", "UpdateItem", "DeleteItem"}:
        named = request.get("Key") or request["Item"]
        names = ("pk", "sk") if "pk" in named else ("id",)
        yield request["TableName"], {name: named[name] for name in names}
