"""Answers operations by moto's own methods, in the form that botocore would have returned.

Most of moto's methods return the members of the operation's answer; those of KMS return JSON as it
would be sent.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from importlib import import_module
from typing import Any

from botocore import xform_name
from botocore.client import BaseClient
from botocore.model import ServiceModel
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.responses import ActionResult, BaseResponse
from moto.dynamodb.responses import DynamoResult

from local.aws.moto_items import as_sent

type Parameters = dict[str, Any]

type Call = Callable[[BaseClient, str, Parameters], Parameters]
"""Answers an operation, by its name, without `ResponseMetadata`."""

_FIXED = frozenset({str, bool, int, float, bytes, type(None)})
"""Immutable types."""


def by_methods(handler: type[BaseResponse], *operations: str) -> dict[str, Call]:
    """Returns each operation with the method of moto's class that has its name and answers it."""
    return {name: partial(_ask, handler, xform_name(name)) for name in operations}


def by_written_methods(handler: type[BaseResponse], *operations: str) -> dict[str, Call]:
    """The same where moto's methods read and write JSON, with bytes in base64."""
    return {name: partial(_ask_in_writing, handler, xform_name(name)) for name in operations}


def by_shapes(handler: str, *operations: str) -> dict[str, Call]:
    """The same where moto's results have more members than AWS's.

    `handler` is `module:class`, imported at the first call, as `moto_imports` has to run before.
    """
    return {name: partial(_ask_for_shape, handler, xform_name(name)) for name in operations}


def _ask(
    handler: type[BaseResponse],
    method: str,
    client: BaseClient,
    operation: str,
    parameters: Parameters,
) -> Parameters:
    request = _prepared(handler, client)
    request.params = request.body = {
        name: copied(value) for name, value in parameters.items() if value is not None
    }
    of_moto: ActionResult = getattr(request, method)()
    # Items are already plain values that nothing else refers to.
    result: Any = of_moto.result if isinstance(of_moto, DynamoResult) else copied(of_moto.result)
    names = _members(client.meta.service_model, operation)
    return {name: result[name] for name in names if result.get(name) is not None}


def _ask_in_writing(
    handler: type[BaseResponse],
    method: str,
    client: BaseClient,
    operation: str,
    parameters: Parameters,
) -> Parameters:
    request = _prepared(handler, client)
    request.body = json.dumps(parameters, default=lambda content: b64encode(content).decode())
    result: Parameters = json.loads(getattr(request, method)())
    members = _members(client.meta.service_model, operation)
    return {
        name: b64decode(result[name]) if kind == "blob" else result[name]
        for name, kind in members.items()
        if name in result
    }


def _ask_for_shape(
    handler: str, method: str, client: BaseClient, operation: str, parameters: Parameters
) -> Parameters:
    request = _prepared(_imported(handler), client)
    request.params = request.body = parameters
    result = getattr(request, method)().result
    shape = client.meta.service_model.operation_model(operation).output_shape
    answer: Parameters = _shaped(shape, result)
    return answer


@cache
def _imported(handler: str) -> type[BaseResponse]:
    module, _, name = handler.partition(":")
    found: type[BaseResponse] = getattr(import_module(module), name)
    return found


def _shaped(shape: Any, value: Any) -> Any:  # noqa: ANN401 - botocore's own shapes
    if shape.type_name != "structure":
        return copied(value)
    members = shape.members.items()
    return {n: _shaped(m, value[n]) for n, m in members if value.get(n) is not None}


def _prepared(handler: type[BaseResponse], client: BaseClient) -> Any:  # noqa: ANN401 - moto's own
    request: Any = handler()
    request.uri_match, request.automated_parameter_parsing = {}, True
    request.uri, request.path = client.meta.endpoint_url, ""
    request.current_account, request.region = DEFAULT_ACCOUNT_ID, client.meta.region_name
    return request


@cache
def _members(model: ServiceModel, operation: str) -> dict[str, str]:
    """Returns the members that botocore knows of the answer, by name with type; moto may have
    more.
    """
    shape = model.operation_model(operation).output_shape
    return {name: each.type_name for name, each in shape.members.items()} if shape else {}


def copied(value: Any) -> Any:  # noqa: ANN401 - what JSON can say, bytes and moments
    """Returns a copy of the value, as if it had been sent: it shares no object with the sender."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is dict:
        return {name: copied(each) for name, each in value.items()}
    return _copied_slowly(value)


def _copied_slowly(value: Any) -> Any:  # noqa: ANN401 - as above
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
