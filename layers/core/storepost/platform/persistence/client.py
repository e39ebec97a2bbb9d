"""The one client of DynamoDB, without the work that botocore does for what isn't needed here.

What each of these saves is in docs/adr/0012.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionError, HTTPClientError
from botocore.loaders import Loader
from botocore.parsers import JSONParser, ResponseParserFactory
from pynamodb.connection import Connection

from storepost.platform.persistence.patience import gives_way, interrupted, pause
from storepost.platform.persistence.recorded_reads import READING, record

CALLS_IN_FLIGHT = 16
"""How many calls a load makes at once. Each has a connection of its own, which is kept."""

CONFLICT = "TransactionConflict"
"""The reason for which a transaction is cancelled where another one has the row."""

REFUSED_FOR_NOW = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingError",
        "ThrottlingException",
        CONFLICT,
        "TransactionInProgressException",
    }
)
"""Errors, and reasons for which a transaction is cancelled, that a later try may not meet.

Those of a single statement in a batch have the same names.

A single write that meets a transaction, `TransactionConflictException`, isn't among them: some of
those who write one row leave it alone then.
"""
_REFUSED = frozenset(
    {"ConditionalCheckFailed", "ItemCollectionSizeLimitExceeded", "ValidationError"}
)
"""Reasons for which no later try of a transaction does better."""
_SERVERS_FAULT = 500


class _OneService(Loader):
    """Botocore's descriptions of services, of which this client needs one.

    To see that there is a DynamoDB, botocore looks into the folders of all 400.
    """

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - one of each
        """Returns DynamoDB alone."""
        return ["dynamodb"]


class _PlainAnswers(JSONParser):
    """DynamoDB's JSON as it is.

    Botocore builds it anew, value by value, to make bytes of binaries and moments of times. Few
    answers have a binary, and times stand in descriptions of tables alone.
    """

    def _parse_body_as_json(self, body_contents: bytes) -> Any:  # noqa: ANN401 - what JSON can say
        if b'"B":' in body_contents:
            return json.loads(body_contents, object_hook=_binary)
        return super()._parse_body_as_json(body_contents)  # type: ignore[misc]

    def _parse_shape(self, _shape: object, node: Any) -> Any:  # noqa: ANN401 - what JSON can say
        return node


def _binary(node: dict[str, Any]) -> dict[str, Any]:
    """A binary's base64 as bytes; any other node as it is."""
    if len(node) == 1 and isinstance(node.get("B"), str):
        return {"B": b64decode(node["B"])}
    return node


class _PlainParsers(ResponseParserFactory):
    """Gives every answer the same parser: it keeps nothing of any."""

    _parser = _PlainAnswers()

    def create_parser(self, protocol_name: str) -> JSONParser:  # noqa: ARG002 - DynamoDB's is JSON
        """Returns the parser."""
        return self._parser


class _PlainRequests:
    """Writes the parameters of a call as they are.

    Botocore looks up the shape of each value, of which only binaries need another form. PynamoDB
    and the counted tree give neither times nor floats.
    """

    def serialize_to_request(
        self,
        parameters: Any,  # noqa: ANN401 - botocore's own shapes
        operation_model: Any,  # noqa: ANN401 - botocore has no types
    ) -> dict[str, Any]:
        """Returns the request in botocore's form: its path, method, headers and body."""
        metadata = operation_model.metadata
        return {
            "url_path": "/",
            "query_string": "",
            "method": "POST",
            "headers": {
                "X-Amz-Target": f"{metadata['targetPrefix']}.{operation_model.name}",
                "Content-Type": f"application/x-amz-json-{metadata['jsonVersion']}",
            },
            "body": json.dumps(parameters, default=_base64).encode(),
        }


def _base64(value: object) -> str:
    """A binary as DynamoDB's JSON has it. Raises TypeError for what no attribute can be."""
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} is no value of an attribute")


def _resolve_once(client: Any) -> None:  # noqa: ANN401 - botocore has no types
    """Has the endpoint resolved in the first call alone: all calls of the service have the same.

    Botocore evaluates its rules in each call, over all parameters.
    """
    resolver = client._ruleset_resolver
    resolve, known = resolver.construct_endpoint, list[Any]()

    def construct_endpoint(**parameters: Any) -> Any:  # noqa: ANN401 - botocore's own
        if not known:
            known.append(resolve(**parameters))
        return known[0]

    resolver.construct_endpoint = construct_endpoint


def make_client(connection: Connection) -> None:
    """Makes PynamoDB's client now.

    Lambda lends a function more CPU while it is imported than in its first request.
    """
    session = connection.session
    session.register_component("data_loader", _OneService())
    session.register_component("response_parser_factory", _PlainParsers())
    # Else it is put together anew for each request, from what never changes.
    session.set_default_client_config(Config(user_agent="Storepost"))
    client: Any = connection.client
    client._serializer = _PlainRequests()
    _resolve_once(client)
    client._make_api_call = _patient(client)


def _patient(client: Any) -> Callable[[str, Any], Any]:  # noqa: ANN401 - botocore has no types
    """The client's calls, sent again while DynamoDB refuses for now, or doesn't answer.

    A transaction goes with its one token each time: what was written already isn't written twice.
    """

    def call(operation: str, parameters: Any) -> Any:  # noqa: ANN401 - botocore's own shapes
        tries = 0
        while True:
            try:
                return _ask(client, operation, parameters)
            except (ClientError, HTTPClientError, ConnectionError) as error:
                # After a try without an answer nobody knows whether all is written already.
                if not _may_pass(error) or (not tries and gives_way() and _is_conflict(error)):
                    raise
                tries += 1
                pause(tries)

    return call


def _ask(client: Any, operation: str, parameters: Any) -> Any:  # noqa: ANN401 - botocore's own
    """Makes one call; notes where the function's deadline, which is no `Exception`, ends it."""
    try:
        answer = type(client)._make_api_call(client, operation, parameters)
    except Exception:
        raise
    except BaseException:
        interrupted()
        raise
    if operation in READING:
        record(parameters, answer)
    return answer


def _is_conflict(error: Exception) -> bool:
    """Whether a transaction was cancelled for another one's sake alone."""
    if not isinstance(error, ClientError):
        return False
    response: Any = error.response
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons", [])}
    return CONFLICT in reasons and reasons <= {"None", CONFLICT}


def _may_pass(error: Exception) -> bool:
    """Whether a later try may do better: DynamoDB refused for now, or its answer never came."""
    if not isinstance(error, ClientError):
        return True
    response: Any = error.response
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons", [])}
    if reasons & _REFUSED:
        return False
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= _SERVERS_FAULT or bool(REFUSED_FOR_NOW & {response["Error"]["Code"], *reasons})
