"""The interface's description: valid, complete, and the code's own."""

import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from openapi import interface
from openapi.__main__ import written
from openapi.groups import groups
from openapi.interface import NameClash
from openapi.operations import caller_of
from openapi.problems import all_problems, meaning
from storepost.api.reference import documents
from storepost.values.problems import Problem
from tests.harness.answers import operations

CAMEL_CASE = re.compile(r"[a-z][a-zA-Z0-9]*")
STANDARD = {"List-Unsubscribe"}
"""What a standard calls so: RFC 8058."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The description as it is shipped."""
    return documents.interface()


def resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What a reference stands for."""
    reference = part.get("$ref")
    if reference is None:
        return part
    _, components, kind, name = reference.split("/")
    found: dict[str, Any] = document[components][kind][name]
    return found


def codes(document: dict[str, Any], operation: dict[str, Any], status: str) -> list[str]:
    """The codes that the operation may answer with a status."""
    if status not in operation["responses"]:
        return []
    [content] = resolved(document, operation["responses"][status])["content"].values()
    found: list[str] = content["schema"]["allOf"][1]["properties"]["code"]["enum"]
    return found


def test_description_is_generated_from_the_code() -> None:
    """`make openapi` writes the same bytes."""
    for path, content in written().items():
        assert path.read_text("utf-8") == content, f"{path.name} is stale: run `make openapi`"


def test_description_is_valid_openapi(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(document).validate()


def test_has_exactly_the_routes() -> None:
    described = {
        (path, method, operation["operationId"], operation["tags"][0])
        for path, method, operation in operations()
    }
    routes = {
        (o.path.removeprefix("/v1"), o.method, o.id, g.name) for g in groups() for o in g.operations
    }
    assert described == routes


def test_each_operation_is_explained(document: dict[str, Any]) -> None:
    for _, _, operation in operations():
        assert operation["summary"]
        assert operation["description"]
        assert "`" not in operation["operationId"]
        for parameter in operation.get("parameters", []):
            assert len(resolved(document, parameter)["description"]) > 10, parameter


def test_names_are_in_camel_case(document: dict[str, Any]) -> None:
    for path, _, operation in operations():
        placed = [resolved(document, p) for p in operation.get("parameters", [])]
        for parameter in placed:
            if parameter["in"] != "header":
                assert CAMEL_CASE.fullmatch(parameter["name"]), (path, parameter["name"])
        assert [p["name"] for p in placed if p["in"] == "path"] == re.findall(r"{(\w+)}", path)
    for name, schema in document["components"]["schemas"].items():
        for field in schema.get("properties", {}):
            assert CAMEL_CASE.fullmatch(field) or field in STANDARD, (name, field)


def test_callers_are_documented(document: dict[str, Any]) -> None:
    callers = {o.id: caller_of(o) for g in groups() for o in g.operations}
    for _, method, operation in operations():
        caller = callers[operation["operationId"]]
        names = {resolved(document, p)["name"] for p in operation.get("parameters", [])}
        assert (operation["security"] == [{"bearer": []}]) == (caller is not None)
        assert ("unauthenticated" in codes(document, operation, "401")) == (caller is not None)
        retried = caller is not None and method != "GET"
        assert ("idempotency-key" in names) == retried
        if caller:
            assert operation["x-caller"] == {
                "scope": caller.scope,
                "keys": caller.which_keys,
                "people": caller.people,
            }
            assert caller.people in operation["description"]
            assert caller.which_keys in operation["description"]


def test_responses_are_documented(document: dict[str, Any]) -> None:
    known = {(p.status, p.code) for p in all_problems()}
    for path, method, operation in operations():
        successes = [status for status in operation["responses"] if status < "400"]
        assert successes, (method, path)
        assert "500" in operation["responses"]
        for status, response in operation["responses"].items():
            answer = resolved(document, response)
            if status >= "400":
                [(media, content)] = answer["content"].items()
                assert media == "application/problem+json"
                codes = content["schema"]["allOf"][1]["properties"]["code"]["enum"]
                assert {(int(status), code) for code in codes} <= known
            elif status in {"204", "304"}:
                assert "content" not in answer
            elif "content" in answer:
                assert all(content["schema"] for content in answer["content"].values())


def test_operations_with_body_document_its_errors() -> None:
    for _, _, operation in operations():
        if "requestBody" in operation:
            assert {"400", "413", "415", "422"} <= operation["responses"].keys()


def test_timestamps_have_format_date_time(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for field, inner in schema.get("properties", {}).items():
            if field.endswith("At"):
                options = inner.get("anyOf", [inner])
                assert {"type": "string", "format": "date-time"} in [
                    {k: o[k] for k in ("type", "format") if k in o} for o in options
                ], (name, field)


@pytest.mark.parametrize("part", ["paths", "schemas"])
def test_duplicate_names_are_refused(part: str) -> None:
    paths: dict[str, Any] = {"/a": {"get": {}}}
    schemas: dict[str, Any] = {"Status": {"enum": ["open"]}}
    more: dict[str, Any] = {"/a": {"get": {}}} if part == "paths" else {}
    named: dict[str, Any] = {"Status": {"enum": ["closed"]}} if part == "schemas" else {}
    with pytest.raises(NameClash):
        interface._add(paths, more, schemas, named)


class TestProblems:
    """The problems' classes themselves."""

    def test_each_problem_has_title_meaning_and_remedy(self) -> None:
        for problem in all_problems():
            assert problem.__dict__.get("__doc__"), problem
            assert len(meaning(problem)) > 10
            assert problem.title
            assert not problem.title.endswith(".")
            assert problem.remedy.endswith((".", "?")), problem
            assert re.fullmatch(r"[a-z0-9_]+", problem.code), problem

    def test_each_problem_can_be_rendered(self) -> None:
        for problem in all_problems():
            made = problem()
            body = made.document("https://api.example.com/v1")
            assert body["status"] == problem.status
            assert body["code"] == problem.code
            assert body["detail"]

    def test_each_code_has_one_status(self) -> None:
        statuses: dict[str, set[int]] = {}
        for problem in all_problems():
            statuses.setdefault(problem.code, set()).add(problem.status)
        assert {code: found for code, found in statuses.items() if len(found) > 1} == {}

    def test_codes_are_unique_within_a_kind(self) -> None:
        seen: dict[tuple[str, str], type[Problem]] = {}
        for problem in all_problems():
            if "code" not in problem.__dict__:
                continue  # a kind's or a rule's own code, told in other words
            other = seen.setdefault((problem.kind, problem.code), problem)
            assert other is problem, f"{problem.code} is {other} and {problem}"
