"""The one client of DynamoDB, without botocore's work that this service doesn't need.

docs/adr/0012 says what each of these saves.
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
"""How many calls a load makes at once. Each has its own connection, which is kept open."""

CONFLICT = "TransactionConflict"
"""The cancellation reason of a transaction where another one has the row."""

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
"""Errors, and cancellation reasons of a transaction, after which a retry may succeed.

Errors of a single statement in a batch have the same names.

`TransactionConflictException`, for a single write that meets a transaction, isn't among them: some
callers that write one row give up then.
"""
_REFUSED = frozenset(
    {"ConditionalCheckFailed", "ItemCollectionSizeLimitExceeded", "ValidationError"}
)
"""Cancellation reasons of a transaction after which no retry succeeds."""
_SERVERS_FAULT = 500


class _OneService(Loader):
    """Loads botocore's descriptions of services, of which this client needs one.

    To find out that DynamoDB exists, botocore looks into the folders of all 400.
    """

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - one of each
        """Returns DynamoDB alone."""
        return ["dynamodb"]


class _PlainAnswers(JSONParser):
    """Parses DynamoDB's JSON and returns it as it is.

    Botocore rebuilds it value by value, to turn binaries into bytes and times into moments. Few
    responses have a binary, and only descriptions of tables have times.
    """

    def _parse_body_as_json(self, body_contents: bytes) -> Any:  # noqa: ANN401 - what JSON can say
        if b'"B":' in body_contents:
            return json.loads(body_contents, object_hook=_binary)
        return super()._parse_body_as_json(body_contents)  # type: ignore[misc]

    def _parse_shape(self, _shape: object, node: Any) -> Any:  # noqa: ANN401 - what JSON can say
        return node


def _binary(node: dict[str, Any]) -> dict[str, Any]:
    """Returns a binary's base64 as bytes; any other node as it is."""
    if len(node) == 1 and isinstance(node.get("B"), str):
        return {"B": b64decode(node["B"])}
    return node


class _PlainParsers(ResponseParserFactory):
    """Returns the same parser for every response: it keeps no state."""

    _parser = _PlainAnswers()

    def create_parser(self, protocol_name: str) -> JSONParser:  # noqa: ARG002 - DynamoDB's is JSON
        """Returns the parser."""
        return self._parser


class _PlainRequests:
    """Serializes the parameters of a call as they are.

    Botocore looks up the shape of each value, but only binaries need another form. PynamoDB and the
    counted tree pass neither times nor floats.
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
    """Returns a binary as in DynamoDB's JSON. Raises TypeError for what no attribute can be."""
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} is no value of an attribute")


def _resolve_once(client: Any) -> None:  # noqa: ANN401 - botocore has no types
    """Resolves the endpoint in the first call only: all calls of the service have the same one.

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

    Lambda gives a function more CPU while it is imported than in its first request.
    """
    session = connection.session
    session.register_component("data_loader", _OneService())
    session.register_component("response_parser_factory", _PlainParsers())
    # Else botocore builds it for each request, from parts that never change.
    session.set_default_client_config(Config(user_agent="Storepost"))
    client: Any = connection.client
    client._serializer = _PlainRequests()
    _resolve_once(client)
    client._make_api_call = _patient(client)


def _patient(client: Any) -> Callable[[str, Any], Any]:  # noqa: ANN401 - botocore has no types
    """Returns the client's calls, retried while DynamoDB refuses for now, or doesn't answer.

    A transaction is sent with the same token each time, so that it isn't written twice.
    """

    def call(operation: str, parameters: Any) -> Any:  # noqa: ANN401 - botocore's own shapes
        tries = 0
        while True:
            try:
                return _ask(client, operation, parameters)
            except (ClientError, HTTPClientError, ConnectionError) as error:
                # After an attempt without a response, the transaction may be written already.
                if not _may_pass(error) or (not tries and gives_way() and _is_conflict(error)):
                    raise
                tries += 1
                pause(tries)

    return call


def _ask(client: Any, operation: str, parameters: Any) -> Any:  # noqa: ANN401 - botocore's own
    """Makes one call; notes it if the function's deadline, which is no `Exception`, ends it."""
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
    """Returns whether a transaction was cancelled only because of other transactions."""
    if not isinstance(error, ClientError):
        return False
    response: Any = error.response
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons", [])}
    return CONFLICT in reasons and reasons <= {"None", CONFLICT}


def _may_pass(error: Exception) -> bool:
    """Returns whether a retry may succeed: DynamoDB refused for now, or didn't respond."""
    if not isinstance(error, ClientError):
        return True
    response: Any = error.response
    reasons = {reason.get("Code") for reason in response.get("CancellationReasons", [])}
    if reasons & _REFUSED:
        return False
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= _SERVERS_FAULT or bool(REFUSED_FOR_NOW & {response["Error"]["Code"], *reasons})
