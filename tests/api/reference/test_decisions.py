"""Decisions that hold for all operations, read from the description.

Whether the service does as described is tested by the fuzzing and by the operations' own tests.
"""

import re
from typing import Any

import pytest

from storepost.api.reference.documents import catalogue, interface
from tests.harness.answers import codes_in, operations

type Document = dict[str, Any]

BULK = 500
"""Things to do in one request. A batch has several lists, one of which has some: its own tests."""
WITHOUT_ANSWER = {"members.updateRole", "workspaces.update"}
"""Changes of a single resource that answer 204: the specification has them so."""
UNTOLD_CODES = {"stale", "pool", "taken"}
"""Names of before, which said too little outside of their resource."""
RENAMED_CODES = {
    "two_factor_last_method": 409,
    "password_wrong": 422,
    "proposal_stale": 409,
    "change_stale": 409,
    "precondition_failed": 412,
}


def schema_of(operation: Document) -> Document:
    """The schema of the operation's JSON body; empty without one."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema: Document = content.get("schema", {})
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        schema = interface()["components"]["schemas"][name]
    return schema


def test_changes_return_the_resource() -> None:
    changes = [o for _, method, o in operations() if method in {"PATCH", "PUT"}]
    assert len(changes) > 15
    assert {o["operationId"] for o in changes if "204" in o["responses"]} == WITHOUT_ANSWER


def test_deletions_answer_200_202_or_204_and_404() -> None:
    for _, method, operation in operations():
        if method == "DELETE":
            successes = {s for s in operation["responses"] if s.startswith("2")}
            assert successes <= {"200", "202", "204"}, operation["operationId"]
            assert "404" in operation["responses"] or operation["operationId"].startswith("me.")


def test_bulk_lists_need_at_least_one_item() -> None:
    bulk = {
        f"{operation['operationId']} {name}": array
        for _, _, operation in operations()
        for name, array in schema_of(operation).get("properties", {}).items()
        if array.get("maxItems") == BULK and name in schema_of(operation).get("required", ())
    }
    assert len(bulk) >= 4
    assert {name for name, array in bulk.items() if array.get("minItems") != 1} == set()


def test_patch_requires_a_field_only_if_it_has_a_single_one() -> None:
    for _, method, operation in operations():
        if method == "PATCH":
            schema = schema_of(operation)
            assert not schema.get("required") or len(schema["properties"]) == 1


def test_problem_codes_name_their_subject() -> None:
    codes = {code["code"]: kind["status"] for kind in catalogue() for code in kind["codes"]}
    assert not UNTOLD_CODES & codes.keys()
    assert {code: codes[code] for code in RENAMED_CODES} == RENAMED_CODES


def test_problem_code_has_one_status() -> None:
    statuses = dict[str, set[str]]()
    for _, _, operation in operations():
        for status, answer in operation["responses"].items():
            for code in codes_in(answer):
                statuses.setdefault(code, set()).add(status)
    assert len(statuses) > 80
    assert {code: found for code, found in statuses.items() if len(found) > 1} == {}


def test_required_role_is_documented() -> None:
    """Thirteen operations once answered 403 `role` to keys, and said that a key may call them."""
    for _, _, operation in operations():
        codes = codes_in(operation["responses"].get("403", {}))
        caller = operation.get("x-caller", {})
        if "role" in codes and caller.get("scope"):
            text = f"{operation['description']} {caller['keys']}"
            assert re.search("owner|admin|names itself", text), operation["operationId"]


def test_sort_orders_are_enumerated_at_the_parameter() -> None:
    """None is a component of its own, since each list has others."""
    assert [name for name in interface()["components"]["schemas"] if name.endswith("Sort")] == []
    sorts = [
        p for _, _, o in operations() for p in o.get("parameters", []) if p.get("name") == "sort"
    ]
    assert len(sorts) > 5
    assert all("enum" in sort["schema"] for sort in sorts)


@pytest.mark.parametrize("tag", interface()["tags"], ids=lambda tag: tag["name"])
def test_tag_has_a_human_readable_title(tag: Document) -> None:
    assert re.fullmatch(r"[A-Z][a-zA-Z'-]+( [a-zA-Z'-]+)*", tag["x-displayName"])
    assert tag["description"].endswith(".")
