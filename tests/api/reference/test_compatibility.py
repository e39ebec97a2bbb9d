"""The description against the last release's: what would break a client, and what wouldn't."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from openapi.compatibility import __main__ as command
from openapi.compatibility.breaks import breaks
from openapi.compatibility.releases import bare, latest
from storepost.api.reference.documents import interface

type Json = dict[str, Any]
type Change = Callable[[Json], None]

RELEASED = json.loads(json.dumps(interface()))


def schema(of: Json, name: str) -> Json:
    """A named shape."""
    found: Json = of["components"]["schemas"][name]
    return found


def operation(of: Json, method: str, path: str) -> Json:
    """An operation."""
    found: Json = of["paths"][path][method]
    return found


def parameter(of: Json, method: str, path: str, name: str) -> Json:
    """One of an operation's parameters."""
    found: list[Json] = operation(of, method, path)["parameters"]
    [each] = [each for each in found if each.get("name") == name]
    return each


def answer(of: Json, method: str, path: str, status: str) -> Json:
    """One of an operation's answers."""
    found: Json = operation(of, method, path)["responses"][status]
    return found


def require(of: Json, name: str, field: str) -> None:
    """Demands a field of a shape."""
    schema(of, name)["required"].append(field)


def drop(of: Json, name: str, field: str) -> None:
    """Takes a field out of a shape."""
    del schema(of, name)["properties"][field]
    if field in schema(of, name).get("required", []):
        schema(of, name)["required"].remove(field)


def make_required(of: Json) -> None:
    """A new parameter that must be there."""
    new = {"in": "query", "name": "since", "required": True, "schema": {"type": "string"}}
    operation(of, "get", "/orders")["parameters"].append(new)


BREAKS: dict[str, tuple[Change, str]] = {
    "an operation is gone": (
        lambda d: d["paths"]["/orders/{id}"].pop("get"),
        "orders.get (GET /orders/{id}): is gone",
    ),
    "a path is gone": (lambda d: d["paths"].pop("/search"), "search.get (GET /search): is gone"),
    "an operation has another name": (
        lambda d: operation(d, "get", "/orders/{id}").update(operationId="orders.read"),
        "orders.get (GET /orders/{id}): is called orders.read",
    ),
    "a parameter is gone": (
        lambda d: operation(d, "get", "/orders")["parameters"].remove(
            parameter(d, "get", "/orders", "isTest")
        ),
        "orders.list (GET /orders): the query parameter isTest is gone",
    ),
    "a parameter is required": (
        make_required,
        "orders.list (GET /orders): the query parameter since is required now",
    ),
    "a parameter has another type": (
        lambda d: parameter(d, "get", "/orders", "cancelled")["schema"].update(type="integer"),
        "orders.list (GET /orders): the query parameter cancelled: the type boolean is new",
    ),
    "a parameter has another default": (
        lambda d: parameter(d, "get", "/orders", "sort")["schema"].update(default="placedAt"),
        "orders.list (GET /orders): the query parameter sort: another default",
    ),
    "a parameter takes a value less": (
        lambda d: parameter(d, "get", "/orders", "sort")["schema"]["enum"].remove("placedAt"),
        "orders.list (GET /orders): the query parameter sort: 'placedAt' is none of its values",
    ),
    "a field of a body is required": (
        lambda d: require(d, "NewWorkspaceLocale", "label"),
        "locales.create (POST /locales): body/label: is required now",
    ),
    "a field of a body is gone": (
        lambda d: drop(d, "NewWorkspaceLocale", "label"),
        "locales.create (POST /locales): body/label: is gone",
    ),
    "a text of a body may be shorter alone": (
        lambda d: schema(d, "NewApiKey")["properties"]["name"].update(maxLength=50),
        "apiKeys.create (POST /api-keys): body/name: maxLength is 50 now",
    ),
    "a body takes a value less": (
        lambda d: schema(d, "ApiKeyScope")["enum"].remove("propose"),
        "apiKeys.create (POST /api-keys): body/scope: 'propose' is none of its values",
    ),
    "a body has another media type": (
        lambda d: operation(d, "post", "/locales")["requestBody"]["content"].update(
            {
                "text/json": operation(d, "post", "/locales")["requestBody"]["content"].pop(
                    "application/json"
                )
            }
        ),
        "locales.create (POST /locales): a body of application/json isn't taken any more",
    ),
    "an answer lacks a field": (
        lambda d: drop(d, "OrderSummary", "number"),
        "orders.list (GET /orders): 200: answer/items/*/number: may be missing",
    ),
    "a field of an answer may be missing": (
        lambda d: schema(d, "OrderSummary")["required"].remove("number"),
        "orders.list (GET /orders): 200: answer/items/*/number: may be missing",
    ),
    "a field of an answer may be null": (
        lambda d: schema(d, "OrderSummary")["properties"].update(
            number={"anyOf": [{"type": "string"}, {"type": "null"}]}
        ),
        "orders.list (GET /orders): 200: answer/items/*/number: the type null is new",
    ),
    "a field of an answer has another type": (
        lambda d: schema(d, "Money")["properties"].update(amount={"type": "string"}),
        "orders.list (GET /orders): 200: answer/items/*/total/amount: the type string is new",
    ),
    "a field of an answer has another format": (
        lambda d: schema(d, "OrderSummary")["properties"]["placedAt"].update(format="date"),
        "orders.list (GET /orders): 200: answer/items/*/placedAt: another format",
    ),
    "an answer has another status": (
        lambda d: operation(d, "post", "/locales")["responses"].update(
            {"200": operation(d, "post", "/locales")["responses"].pop("201")}
        ),
        "locales.create (POST /locales): 201 isn't answered any more",
    ),
    "an answer has another media type": (
        lambda d: answer(d, "get", "/orders/{id}", "200")["content"].update(
            {"text/csv": answer(d, "get", "/orders/{id}", "200")["content"].pop("application/json")}
        ),
        "orders.get (GET /orders/{id}): 200: isn't answered as application/json any more",
    ),
    "a header of an answer is gone": (
        lambda d: answer(d, "get", "/orders/{id}", "200")["headers"].pop("ETag"),
        "orders.get (GET /orders/{id}): 200: the header ETag is gone",
    ),
    "an operation needs a wider scope": (
        lambda d: operation(d, "get", "/orders")["x-caller"].update(scope="write"),
        "orders.list (GET /orders): needs write now",
    ),
    "an operation needs credentials": (
        lambda d: operation(d, "get", "/health").update({"x-caller": {"scope": "read"}}),
        "health.get (GET /health): needs credentials now",
    ),
    "a webhook says less": (
        lambda d: drop(d, "WriteBackData", "channel"),
        "webhook writeBack: answer/data/channel: may be missing",
    ),
}


BOTH_WAYS = {"a parameter has another default", "a field of an answer has another format"}


def new_field_of_an_answer(of: Json) -> None:
    """Programs pass over what they don't know."""
    schema(of, "OrderSummary")["properties"]["weight"] = {"type": "integer"}
    require(of, "OrderSummary", "weight")


ALLOWED: dict[str, Change] = {
    "nothing": lambda _: None,
    "another operation": lambda d: d["paths"].update(
        {"/new": {"get": deepcopy(operation(d, "get", "/orders"))}}
    ),
    "another optional parameter": lambda d: operation(d, "get", "/orders")["parameters"].append(
        {"in": "query", "name": "since", "schema": {"type": "string"}}
    ),
    "another optional field of a body": lambda d: schema(d, "NewWorkspaceLocale")[
        "properties"
    ].update(note={"type": "string"}),
    "a field of a body that isn't required any more": lambda d: schema(d, "NewWorkspaceLocale")[
        "required"
    ].remove("code"),
    "a longer text of a body": lambda d: schema(d, "NewApiKey")["properties"]["name"].update(
        maxLength=200
    ),
    "another field of an answer": new_field_of_an_answer,
    "another value of an answer": lambda d: schema(d, "OrderFinancialStatus")["enum"].append(
        "lent"
    ),
    "another code of a refusal": lambda d: answer(d, "put", "/stores/{id}/orders", "409")[
        "content"
    ]["application/problem+json"]["schema"]["allOf"][1]["properties"]["code"]["enum"].append("x"),
    "another header of an answer": lambda d: answer(d, "get", "/orders", "200")["headers"].update(
        {"X-New": {"schema": {"type": "string"}}}
    ),
    "a narrower scope": lambda d: operation(d, "post", "/locales")["x-caller"].update(scope="read"),
    "other words": lambda d: operation(d, "get", "/orders").update(description="Otherwise."),
    "a shape under another name": lambda d: d["components"]["schemas"].update(
        Shown=d["components"]["schemas"]["OrderSummary"]
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_breaking_change_is_reported_with_its_place(name: str) -> None:
    change, message = BREAKS[name]
    current = deepcopy(RELEASED)
    change(current)
    assert message in breaks(RELEASED, current)


@pytest.mark.parametrize("name", ALLOWED)
def test_compatible_change_is_accepted(name: str) -> None:
    current = deepcopy(RELEASED)
    ALLOWED[name](current)
    assert breaks(RELEASED, current) == []


@pytest.mark.parametrize("name", sorted(BREAKS.keys() - BOTH_WAYS))
def test_reverse_of_a_breaking_change_is_no_such_break(name: str) -> None:
    """A break is no break the other way round."""
    change, message = BREAKS[name]
    current = deepcopy(RELEASED)
    change(current)
    assert message not in breaks(current, RELEASED)


@pytest.mark.parametrize("name", BREAKS)
def test_stored_description_of_a_release_is_sufficient(name: str) -> None:
    change, message = BREAKS[name]
    current = deepcopy(RELEASED)
    change(current)
    assert breaks(bare(RELEASED), bare(current)) == breaks(RELEASED, current) != []
    assert message in breaks(bare(RELEASED), current)


def test_description_is_compatible_with_the_last_release(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert latest() is not None
    assert command.main() == 0, capsys.readouterr().out
