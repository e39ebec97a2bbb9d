"""Refusals as the description shows them: each code of each operation with an example."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from openapi.groups import groups
from storepost.api.reference.documents import interface
from storepost.values.problems import Problem, codes_of, kinds
from tests.harness.answers import operations
from tests.harness.world import BASE_URL

type Json = dict[str, Any]


def resolved(part: Json) -> Json:
    """What a reference leads to, or the part itself."""
    found: Json = part
    if "$ref" in part:
        found = interface()
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
    return found


def refusals() -> list[tuple[str, str, Json]]:
    """The content of each refusal in JSON, with its operation and status."""
    return [
        (operation["operationId"], status, resolved(answer)["content"]["application/problem+json"])
        for _, _, operation in operations()
        for status, answer in operation["responses"].items()
        if status >= "400"
    ]


def test_each_code_of_each_operation_has_an_example() -> None:
    assert len(refusals()) > 1000
    lacking = [
        (operation, status)
        for operation, status, content in refusals()
        if set(content["examples"])
        != set(content["schema"]["allOf"][1]["properties"]["code"]["enum"])
    ]
    assert lacking == []


def test_each_401_has_its_challenge() -> None:
    unauthenticated = [
        resolved(operation["responses"]["401"])
        for _, _, operation in operations()
        if "401" in operation["responses"]
    ]
    assert len(unauthenticated) > 100
    assert all("WWW-Authenticate" in answer["headers"] for answer in unauthenticated)


def test_each_example_is_what_the_service_answers() -> None:
    """An answer's detail may say more; each example is a problem without further details."""
    groups()  # which load every problem
    shown = interface()["components"]["examples"]
    problems = [problem for kind in kinds() for problem in codes_of(kind)]
    documents = [Problem.document(_plain(problem), BASE_URL) for problem in problems]
    for example in shown.values():
        value = {name: each for name, each in example["value"].items() if name != "errors"}
        assert value in documents
    assert {each["code"] for each in documents} >= {
        each["value"]["code"] for each in shown.values()
    }


def _plain(problem: type[Problem]) -> Problem:
    """A problem of the class with nothing more particular to say, however it is made."""
    made = problem.__new__(problem)
    Problem.__init__(made)
    return made


def test_each_example_fits_the_schema_of_problems() -> None:
    schema = interface()["components"]["schemas"]["Problem"]
    for _, status, content in refusals():
        for example in content["examples"].values():
            value = resolved(example)["value"]
            Draft202012Validator(schema).validate(value)
            assert str(value["status"]) == status


def parts(of: Any) -> Iterator[Json]:
    """Every object within a part of the description."""
    if isinstance(of, dict):
        yield of
    for each in of.values() if isinstance(of, dict) else of if isinstance(of, list) else ():
        yield from parts(each)


def constants(schema: Json) -> set[tuple[str, str]]:
    """The fields of a named shape that always have the same value, with that value."""
    shape = resolved(schema) if "$ref" in schema else {}
    if "oneOf" in shape:
        return set.intersection(*map(constants, shape["oneOf"]))
    fields = shape.get("properties", {}).items()
    return {(name, each["const"]) for name, each in fields if "const" in each}


def discriminators(options: list[Json]) -> set[str]:
    """The fields that always have the same value, another one in each option."""
    found = [dict(constants(each)) for each in options]
    names = set.intersection(*map(set, found))
    return {name for name in names if len({each[name] for each in found}) == len(found)}


def objects(union: Json) -> list[set[str]]:
    """The required fields of each option of a union, where all options are objects."""
    found = [resolved(each) for each in union.get("oneOf") or union.get("anyOf") or []]
    if len(found) < 2 or not all("properties" in each for each in found):
        return []
    return [set(each.get("required", [])) for each in found]


def test_unions_without_discriminator_differ_in_required_fields() -> None:
    """Such bodies and answers are the specification's, as those of sessions and proposals are."""
    unions = [
        (part, objects(part))
        for part in parts({name: interface()[name] for name in ("paths", "webhooks", "components")})
        if "discriminator" not in part and "if" not in part
    ]
    found = [(part, needed) for part, needed in unions if needed]
    assert found
    assert [part for part, needed in found if len(set(map(frozenset, needed))) < len(needed)] == []


def test_unions_of_kinds_have_a_discriminator() -> None:
    """A union of shapes that share a constant field always has a discriminator."""
    unions = [
        (part, discriminators(options))
        for part in parts({**interface()["paths"], **interface()["components"]["schemas"]})
        if len(options := part.get("oneOf") or part.get("anyOf") or []) > 1
    ]
    discriminated = [(part["discriminator"], fields) for part, fields in unions if fields]
    assert all(each["propertyName"] in fields for each, fields in discriminated)
    named = {each["propertyName"] for each, _ in discriminated}
    assert named == {"status", "type", "action", "kind"}


def test_comma_separated_lists_are_explained_once() -> None:
    twice = [
        (operation["operationId"], parameter["name"])
        for _, _, operation in operations()
        for parameter in operation.get("parameters", [])
        if parameter.get("description", "").lower().count("comma") > 1
    ]
    assert twice == []
