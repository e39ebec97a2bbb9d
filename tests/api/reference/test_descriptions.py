"""Every part of the interface's description is explained, in words of its own."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from storepost.api.http.query_forms import SUFFIX
from storepost.api.reference.documents import interface
from tests.harness.answers import operations

type Document = dict[str, Any]
type Described = tuple[str, Document]
"""Where something stands, and what is said of it."""

WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")

VERBS = frozenset(
    WORDS.findall(
        "Accept Add Apply Approve Archive Assign Cancel Change Check Choose Complete Confirm "
        "Connect Create Decide Decline Delete Discard Disconnect End Erase Export Find "
        "Forget Get Import Invite Leave Lift List Make Mark Merge Open Preview Propose Put "
        "Queue Receive Record Refresh Reject Remove Rename Replace Replay Request Resend "
        "Reset Retry Revoke Rotate Search Send Set Show Sign Start Stop Suppress Test "
        "Transfer Turn Unsubscribe Update Upsert Verify Withdraw"
    )
)
"""What a summary begins with: an imperative, as a menu of operations has it."""

FILLING = frozenset(
    WORDS.findall(
        "a an and are as at be by for from has have in is it its of on or own one that the this to "
        "was which with s"
    )
)
CALLERS = re.compile(r"(Callable by|Anybody may call this|The body may have)[^\n]*")
"""What `openapi.operations` says of every operation by itself."""


def shapes() -> dict[str, Document]:
    """The components that have a schema, by name."""
    schemas: dict[str, Document] = interface()["components"]["schemas"]
    return schemas


def all_operations() -> list[Document]:
    """What is said of each operation."""
    return [operation for _, _, operation in operations()]


def properties(where: str, schema: Any) -> Iterator[Described]:
    """Each property of a schema and of those inside it; beside a `$ref` they only narrow it."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return
    for name, each in schema.get("properties", {}).items():
        yield f"{where}.{name}", each
        yield from properties(f"{where}.{name}", each)
    for inside in ("items", "additionalProperties"):
        yield from properties(where, schema.get(inside))
    for options in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(options, []):
            yield from properties(where, each)


def parameters() -> Iterator[Described]:
    """Each parameter of an operation that is its own, as `profiles.get id`."""
    for operation in all_operations():
        for each in operation.get("parameters", []):
            if "$ref" not in each:
                yield f"{operation['operationId']} {each['name']}", each


def words(text: str) -> set[str]:
    """A text's words, each in its singular more or less."""
    return {word.lower().rstrip("s") for word in WORDS.findall(text)}


def says_something(where: str, text: str) -> bool:
    """Whether the text is sentences, and says more than the name of a property and its shape do."""
    named = words(where.rsplit(maxsplit=1)[-1]) | FILLING | {word.rstrip("s") for word in FILLING}
    return text.endswith((".", "?", "!")) and len(words(text) - named) >= 2


def unexplained(described: Iterator[Described]) -> list[str]:
    """Those that aren't explained, each with what is said of them."""
    return [
        f"{where}: {each.get('description')!r}"
        for where, each in described
        if not says_something(where, str(each.get("description") or ""))
    ]


def test_each_property_is_explained() -> None:
    found = [each for name, schema in shapes().items() for each in properties(name, schema)]
    assert found
    assert unexplained(iter(found)) == []


def test_each_shape_is_explained() -> None:
    assert unexplained(iter(shapes().items())) == []


def test_each_parameter_is_explained() -> None:
    assert unexplained(parameters()) == []


def test_parameters_of_different_meaning_share_no_description() -> None:
    """A path's are their operation's own; of a query those of one name may mean the same."""
    meanings: dict[str, set[str]] = {}
    for where, each in parameters():
        operation, name = where.split()
        meaning = operation.removesuffix(SUFFIX) if each["in"] == "path" else name
        meanings.setdefault(each["description"], set()).add(meaning)
    assert {text: used for text, used in meanings.items() if len(used) > 1} == {}


def test_each_operation_is_explained() -> None:
    bare = [
        operation["operationId"]
        for operation in all_operations()
        if len(words(CALLERS.sub("", operation["description"]))) < 6
        or not CALLERS.sub("", operation["description"]).strip().endswith(".")
    ]
    assert bare == []


def test_each_summary_is_an_imperative_title() -> None:
    wrong = [
        f"{operation['operationId']}: {operation['summary']}"
        for operation in all_operations()
        if operation["summary"].split()[0] not in VERBS
        or operation["summary"].endswith(".")
        or len(operation["summary"]) > 60
    ]
    assert wrong == []
    summaries = [operation["summary"] for operation in all_operations()]
    assert [each for each in summaries if summaries.count(each) > 1] == []


def test_each_response_is_explained() -> None:
    document = interface()
    bare: list[str] = []
    for operation in all_operations():
        for status, answer in operation["responses"].items():
            place, _, name = answer.get("$ref", "").rpartition("/")
            response = document["components"]["responses"][name] if place else answer
            if not says_something(status, response["description"]):
                bare.append(f"{operation['operationId']} {status}: {response['description']}")
    assert bare == []


@pytest.mark.parametrize("status", ["202", "204"])
def test_responses_without_result_have_distinct_descriptions(status: str) -> None:
    """No two operations share the description of a success that has no body."""
    by_description: dict[str, set[str]] = {}
    for operation in all_operations():
        if status in operation["responses"]:
            text = operation["responses"][status]["description"]
            by_description.setdefault(text, set()).add(
                operation["operationId"].removesuffix(SUFFIX)
            )
    assert {text: used for text, used in by_description.items() if len(used) > 1} == {}


def test_headers_and_shared_parameters_are_explained() -> None:
    components = interface()["components"]
    kinds = ("headers", "parameters", "securitySchemes")
    found = [each for kind in kinds for each in components[kind].items()]
    assert unexplained(iter(found)) == []


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("Order.total", ""),
        ("Order.total", "The order's total."),
        ("Order.total", "Includes taxes, excludes refunds"),
        ("Profile.firstName", "The first name of the profile."),
    ],
)
def test_repeated_name_is_not_an_explanation(where: str, text: str) -> None:
    assert not says_something(where, text)
