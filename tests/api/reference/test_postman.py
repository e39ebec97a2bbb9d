"""The collection for Postman: of format 2.1, with every operation once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from storepost.api.reference.documents import interface
from tests.api.reference.site_pages import BASE_URL, get
from tests.harness.answers import operations

TEXT = {"type": "string"}
PAIR = {
    "type": "object",
    "required": ["key", "value"],
    "properties": {"key": TEXT, "value": TEXT, "disabled": {"type": "boolean"}},
}
PAIRS = {"type": "array", "items": PAIR}
REQUEST = {
    "type": "object",
    "required": ["method", "url", "header"],
    "properties": {
        "method": {"enum": ["GET", "PUT", "POST", "PATCH", "DELETE"]},
        "header": PAIRS,
        "url": {
            "type": "object",
            "required": ["raw", "host", "path"],
            "properties": {
                "raw": TEXT,
                "host": {"type": "array", "items": TEXT},
                "path": {"type": "array", "items": TEXT},
                "query": PAIRS,
                "variable": PAIRS,
            },
        },
        "body": {"type": "object", "required": ["mode", "raw"], "properties": {"raw": TEXT}},
        "auth": {"type": "object", "required": ["type"]},
    },
}
ITEM = {
    "type": "object",
    "required": ["name"],
    "oneOf": [{"required": ["item"]}, {"required": ["request"]}],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "item": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "request": REQUEST,
        "response": {"type": "array"},
    },
}
FORMAT = {
    "$defs": {"item": ITEM},
    "type": "object",
    "required": ["info", "item"],
    "properties": {
        "info": {
            "type": "object",
            "required": ["name", "schema"],
            "properties": {
                "schema": {
                    "const": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
                }
            },
        },
        "item": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "variable": PAIRS,
    },
}
"""What format 2.1 asks of the parts that we use."""


@pytest.fixture(scope="module")
def collection() -> dict[str, Any]:
    """The collection as it is served."""
    answer = get("/v1/docs/postman.json")
    assert answer.status == 200
    made: dict[str, Any] = json.loads(answer.body)
    return made


def requests(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All requests below an item."""
    if "request" in item:
        yield item["request"]
    for inner in item.get("item", []):
        yield from requests(inner)


def test_collection_is_valid_format_2_1(collection: dict[str, Any]) -> None:
    assert [e.message for e in Draft202012Validator(FORMAT).iter_errors(collection)] == []


def test_has_every_operation_once(collection: dict[str, Any]) -> None:
    listed = [(r["method"], r["url"]["raw"]) for r in requests(collection)]
    expected = [
        (method, "{{baseUrl}}" + path.replace("{", ":").replace("}", ""))
        for path, method, _ in operations()
    ]
    assert sorted(listed) == sorted(expected)


def test_folders_match_the_tag_groups(collection: dict[str, Any]) -> None:
    parts = [part["name"] for part in interface()["x-tagGroups"]]
    assert [folder["name"] for folder in collection["item"]] == parts


def test_requests_have_examples_and_variables_for_url_and_key(collection: dict[str, Any]) -> None:
    variables = {each["key"]: each["value"] for each in collection["variable"]}
    assert variables == {"baseUrl": BASE_URL, "key": ""}
    assert collection["auth"]["bearer"][0]["value"] == "{{key}}"
    bodies = [json.loads(r["body"]["raw"]) for r in requests(collection) if "body" in r]
    examples = [
        content["application/json"]["example"]
        for _, _, operation in operations()
        if "application/json" in (content := operation.get("requestBody", {}).get("content", {}))
    ]
    assert len(bodies) == len(examples)
    assert all(example in bodies for example in examples)


def test_public_operations_have_no_auth(collection: dict[str, Any]) -> None:
    open_ones = [r for r in requests(collection) if r.get("auth") == {"type": "noauth"}]
    assert len(open_ones) == sum(not o["security"] for _, _, o in operations())
