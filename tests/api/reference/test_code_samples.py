"""Code for each operation: made from the operation's own example, and parsed back to it."""

import ast
import json
import re
import shlex
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest

from openapi.code_samples.literals import PYTHON, TYPESCRIPT, literal
from tests.harness.answers import operations

JSON = "application/json"
ALL = {o["operationId"]: (path, method, o) for path, method, o in operations()}
LANGUAGES = {"shell": "curl", "python": "Python", "typescript": "TypeScript"}


def sample(operation: dict[str, Any], lang: str) -> str:
    """The code in that language."""
    [found] = [each["source"] for each in operation["x-codeSamples"] if each["lang"] == lang]
    return str(found)


def body_of(operation: dict[str, Any]) -> Any:
    """The example of the operation's body, where it is JSON."""
    content = operation.get("requestBody", {}).get("content", {})
    return content.get(JSON, {}).get("example")


@pytest.mark.parametrize("name", ALL)
def test_each_operation_has_code_in_each_language(name: str) -> None:
    _, _, operation = ALL[name]
    found = {each["lang"]: each["label"] for each in operation["x-codeSamples"]}
    assert found == LANGUAGES


@pytest.mark.parametrize("name", ALL)
def test_curl_sends_the_operations_example(name: str) -> None:
    path, method, operation = ALL[name]
    words = shlex.split(sample(operation, "shell"))
    options = {words[i]: words[i + 1] for i in range(len(words) - 1) if words[i] in {"-X", "-d"}}
    [address] = [word for word in words if word.startswith("$STOREPOST_URL/")]
    assert words[0] == "curl"
    assert options.get("-X", "GET") == method
    target, _, _ = address.removeprefix("$STOREPOST_URL").partition("?")
    assert re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), unquote(target))
    assert ("Authorization: Bearer $STOREPOST_KEY" in words) == bool(operation["security"])
    if body_of(operation) is not None:
        assert json.loads(options["-d"]) == body_of(operation)
        assert f"Content-Type: {JSON}" in words
    elif "requestBody" in operation:
        assert parse_qsl(options["-d"])


@pytest.mark.parametrize("name", ALL)
def test_python_calls_the_operation_with_its_example(name: str) -> None:
    _, _, operation = ALL[name]
    tree = ast.parse(sample(operation, "python"))
    body = body_of(operation)
    literals = [
        ast.literal_eval(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict | ast.List) and _is_literal(node)
    ]
    assert not isinstance(body, dict | list) or body in literals
    [call] = [
        node.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("storepost.")
    ]
    group, method = name.split(".")
    assert ast.unparse(call).replace("_", "").lower() == f"storepost.{group}.{method}".lower()


def _is_literal(node: ast.AST) -> bool:
    return all(
        isinstance(each, ast.Dict | ast.List | ast.Constant | ast.Load | ast.UnaryOp | ast.USub)
        for each in ast.walk(node)
    )


@pytest.mark.parametrize("name", ALL)
def test_typescript_calls_the_operation(name: str) -> None:
    _, _, operation = ALL[name]
    code = sample(operation, "typescript")
    assert f"await storepost.{name}(" in code
    assert ("token: process.env.STOREPOST_KEY" in code) == bool(operation["security"])


@pytest.mark.parametrize(
    ("value", "python", "typescript"),
    [
        (None, "None", "null"),
        (True, "True", "true"),
        ("a\n\"'é", '"a\\n\\"\'é"', '"a\\n\\"\'é"'),
        ({"a": 1, "b-c": []}, '{"a": 1, "b-c": []}', '{ a: 1, "b-c": [] }'),
        ({}, "{}", "{}"),
    ],
)
def test_literals(value: object, python: str, typescript: str) -> None:
    assert (literal(value, PYTHON), literal(value, TYPESCRIPT)) == (python, typescript)


def test_long_literals_have_a_line_for_each_member() -> None:
    value = {"items": ["x" * 40, "y" * 40]}
    text = literal(value, PYTHON)
    assert ast.literal_eval(text) == value
    assert text.splitlines()[1:3] == ['    "items": [', f'        "{"x" * 40}",']
