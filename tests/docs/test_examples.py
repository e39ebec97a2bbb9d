"""The description's examples are of their schemas; the story's test sends them."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from storepost.api.reference.documents import interface
from tests.harness.answers import operations

JSON = "application/json"


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each body and each success that is JSON, with the operation's id."""
    for _, _, operation in operations():
        holders = [operation.get("requestBody", {}), *operation["responses"].values()]
        for holder in holders:
            if JSON in holder.get("content", {}):
                yield operation["operationId"], holder["content"][JSON]


def test_each_example_matches_its_schema() -> None:
    components = interface()["components"]
    for operation, content in contents():
        schema = {**content["schema"], "components": components}
        found = [e.message for e in Draft202012Validator(schema).iter_errors(content["example"])]
        assert found == [], operation


def test_each_parameter_has_an_example_that_matches_its_schema() -> None:
    components = interface()["components"]
    for _, _, operation in operations():
        for parameter in operation.get("parameters", []):
            named = components["parameters"].get(parameter.get("$ref", "").rsplit("/", 1)[-1])
            described = named or parameter
            schema = {**described["schema"], "components": components}
            found = Draft202012Validator(schema).iter_errors(described["example"])
            assert [e.message for e in found] == [], (operation["operationId"], described["name"])
