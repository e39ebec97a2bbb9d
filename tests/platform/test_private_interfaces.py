"""Private interfaces of libraries that the code uses: a version that changes one fails here."""

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIResponseValidationMiddleware,
)
from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer, IdempotencyConfig
from botocore.client import BaseClient
from botocore.parsers import JSONParser
from pynamodb.transactions import TransactWrite

from openapi.groups import ROOT
from storepost.api.http.powertools_private import routes_of, serialized
from storepost.platform.persistence.client import _PlainRequests
from storepost.platform.persistence.counted_tree.items import EntryItem
from storepost.platform.persistence.item import KIND, Item, connection, dynamodb_client
from storepost.platform.persistence.powertools_private import hash_of_payload, id_of_record
from storepost.platform.persistence.pynamodb_private import connection_of, models_by_kind, puts_of
from tests.harness.world import World

PRIVATE = {
    "platform/persistence/client.py",
    "platform/persistence/pynamodb_private.py",
    "platform/persistence/powertools_private.py",
    "api/http/powertools_private.py",
}
"""The modules that may: botocore's, PynamoDB's, and Powertools' two."""
OWN = {"_counted", "_name_", "_value_", "_value2member_map_", "_getframe", "_asdict", "_fields"}
"""Names of ours, and of Python's."""


def used() -> Iterator[tuple[str, str]]:
    """The private names of other modules that each module uses."""
    core = ROOT / "layers/core/storepost"
    for path in core.rglob("*.py"):
        text = path.read_text("utf-8")
        if "._" not in text:
            continue
        tree = ast.parse(text)
        defined = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        defined |= {node.attr for node in attributes if _is_own(node)} | OWN
        for node in attributes:
            if not _is_own(node) and _is_private(node.attr) and node.attr not in defined:
                yield str(path.relative_to(core)), node.attr


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _is_own(node: ast.Attribute) -> bool:
    """Whether it is of the class itself."""
    return isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}


def test_private_names_are_used_only_in_the_listed_modules() -> None:
    found = set(used())
    assert {path for path, _ in found} == PRIVATE, found


def test_pynamodb_has_one_connection_and_names_its_models() -> None:
    assert connection_of(Item) is connection
    assert models_by_kind(KIND)["entry"] is EntryItem
    assert models_by_kind(KIND).keys() == KIND.known.keys()


def test_transaction_puts_are_listed_before_sending(world: World) -> None:
    with TransactWrite(connection=connection, client_request_token="t") as transaction:
        transaction.save(EntryItem("a", "b", marks="A"))
        [put] = puts_of(transaction)
        assert put["Item"]["f"] == {"S": "A"}
    assert [row.key for row in world.rows("a")] == [("a", "b")]


def test_powertools_app_exposes_routes_and_serializer() -> None:
    app = APIGatewayHttpResolver(serializer=lambda body: f"<{json.dumps(body)}>")

    @app.get("/a")
    def static() -> None:
        """A route without parameters."""

    @app.put("/a/<name>")
    def dynamic(name: str) -> None:
        """A route with one."""

    assert [(route.method, route.path) for route in routes_of(app)] == [
        ("GET", "/a"),
        ("PUT", "/a/<name>"),
    ]
    assert routes_of(app)[1].rule.match("/a/b")
    assert serialized(app, {"a": 1}) == '<{"a": 1}>'


def test_powertools_record_id_hashes_the_named_part_of_the_event() -> None:
    layer = DynamoDBPersistenceLayer(table_name="t", boto3_client=dynamodb_client())
    config = IdempotencyConfig(
        event_key_jmespath="name", payload_validation_jmespath="request", hash_function="sha256"
    )
    layer.configure(config, "", key_prefix="http")
    event: dict[str, Any] = {"name": {"key": "k"}, "request": {"body": "b"}}
    named = hashlib.sha256(json.dumps({"key": "k"}, sort_keys=True).encode()).hexdigest()
    assert id_of_record(layer, event) == f"http#{named}"
    assert hash_of_payload(layer, event) != hash_of_payload(layer, {**event, "request": {}})


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (JSONParser, "_parse_body_as_json"),
        (JSONParser, "_parse_shape"),
        (BaseClient, "_make_api_call"),
        (OpenAPIResponseValidationMiddleware, "_handle_response"),
        (OpenAPIResponseValidationMiddleware, "_prepare_response_content"),
    ],
)
def test_overridden_method_exists(owner: type, name: str) -> None:
    assert callable(getattr(owner, name))


def test_dynamodb_client_has_replaced_botocore_parts() -> None:
    client: Any = dynamodb_client()
    assert isinstance(client._serializer, _PlainRequests)
    assert callable(client._ruleset_resolver.construct_endpoint)
    assert "_make_api_call" in vars(client)


def test_batches_load_without_powertools_event_models() -> None:
    """In a process of its own: another test may have loaded them here."""
    code = (
        "import sys, pydantic;"
        "from storepost.platform.jobs import powertools_batches as own;"
        "from aws_lambda_powertools.utilities import batch;"
        "assert own.BatchProcessor is batch.BatchProcessor;"
        "assert sys.modules['pydantic'] is pydantic;"
        "print(sorted(m for m in sys.modules if m.startswith('aws_lambda_powertools.utilities.p')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
