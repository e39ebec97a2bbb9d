"""The one client of DynamoDB, without the work that botocore does for what isn't needed here.

What each of these saves is in docs/adr/0012.
"""

import json
from base64 import b64decode
from typing import Any

from botocore.config import Config
from botocore.loaders import Loader
from botocore.parsers import JSONParser, ResponseParserFactory
from pynamodb.connection import Connection


class _OneService(Loader):
    """Botocore's descriptions of services, of which this client needs one.

    To see that there is a DynamoDB, botocore looks into the folders of all 400.
    """

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - one of each
        """DynamoDB alone."""
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
        """The parser."""
        return self._parser


def make_client(connection: Connection) -> None:
    """Makes PynamoDB's client now.

    Lambda lends a function more CPU while it is imported than in its first request.
    """
    session = connection.session
    session.register_component("data_loader", _OneService())
    session.register_component("response_parser_factory", _PlainParsers())
    # Else it is put together anew for each request, from what never changes.
    session.set_default_client_config(Config(user_agent="Storepost"))
    _ = connection.client
