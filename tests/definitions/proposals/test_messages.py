"""Errors of a definition or a patch are in our own words, at the field itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storepost.definitions.definitions import kinds
from storepost.definitions.definitions.checking import check
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.patching import Inapplicable, JsonPatchOp, Operation, patched
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.definitions.definitions.schema_validation import validator_of

LEADING = frozenset(
    [
        "$ref",
        "$schema",
        "$defs",
        "allOf",
        "if",
        "then",
        "else",
        "items",
        "properties",
        "propertyNames",
        "title",
        "description",
        "format",
    ]
)
"""Keywords that only lead to others, or say something to people."""

CONSENT = {"type": "consent", "channel": "email", "states": ["subscribed"]}
ORDER = {"type": "order"}
TEMPLATE = {"subject": "Hello", "body": {"format": "html", "content": "<p>Hi</p>"}}


def keywords(schema: Any) -> Iterator[str]:
    """The keywords that a schema uses."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        yield keyword
        named = keyword in {"properties", "$defs"}
        parts = value.values() if named else value if isinstance(value, list) else [value]
        if keyword not in {"enum", "const", "required"}:
            for part in parts:
                yield from keywords(part)


@pytest.mark.parametrize("path", sorted(Path(kinds.__file__).parent.glob("*.json")))
def test_each_schema_keyword_has_its_own_error_message(path: Path) -> None:
    kind, version = path.stem.rsplit("-")
    used = set(keywords(json.loads(path.read_text("utf-8")))) - LEADING
    validators = validator_of(DefinitionKind(kind), int(version)).VALIDATORS
    assert used
    assert {each for each in used if validators[each].__module__.startswith("jsonschema")} == set()


@pytest.mark.parametrize(
    ("condition", "path", "message"),
    [
        ({**CONSENT, "channel": None}, "/channel", "Must be `email` or `sms`"),
        ({"type": "consent", "channel": "email"}, "/states", "Required"),
        ({**CONSENT, "a/b": 1}, "/a~1b", "There is no such field"),
        ({**CONSENT, "states": []}, "/states", "Must not be empty"),
        ({**CONSENT, "states": "subscribed"}, "/states", "Must be a list"),
        (
            {**CONSENT, "states": ["subscribed"] * 2},
            "/states",
            "Must name each item only once",
        ),
        ({**ORDER, "within": {"lastDays": 0}}, "/within/lastDays", "Must be at least 1"),
        ({**ORDER, "within": {"lastDays": 5000}}, "/within/lastDays", "Must be at most 3,650"),
        ({**ORDER, "within": {"lastDays": True}}, "/within/lastDays", "Must be a whole number"),
        (
            {**ORDER, "within": {}},
            "/within",
            "Must have only fields of one of these groups: `lastDays`; `from`, `to`",
        ),
        ({**ORDER, "within": 7}, "/within", "Must be an object"),
    ],
)
def test_schema_violation_messages(condition: object, path: str, message: str) -> None:
    with pytest.raises(SchemaMismatch) as raised:
        check(DefinitionKind.SEGMENT, 1, {"condition": condition}, "/definition")
    assert [(each.path, each.message) for each in raised.value.errors] == [
        (f"/definition/condition{path}", message)
    ]


def test_name_that_violates_the_pattern_is_quoted() -> None:
    with pytest.raises(SchemaMismatch) as raised:
        check(
            DefinitionKind.EMAIL_TEMPLATE, 1, {**TEMPLATE, "variants": {"d": {"subject": "Hi"}}}, ""
        )
    [error] = raised.value.errors
    assert (error.path, error.message.startswith("`d` must match `^[A-Za-z]")) == (
        "/variants",
        True,
    )


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Operation(JsonPatchOp.REMOVE, "/x"), "There is nothing at `/x` to remove"),
        (Operation(JsonPatchOp.REPLACE, "/x", 1), "There is nothing at `/x` to replace"),
        (Operation(JsonPatchOp.REMOVE, "/list/7"), "There is nothing at `/list/7` to remove"),
        (
            Operation(JsonPatchOp.ADD, "/x/y", 1),
            "Nothing can be added at `/x/y`: what it is to stand in isn't there",
        ),
        (
            Operation(JsonPatchOp.ADD, "/list/7", 1),
            "Nothing can be added at `/list/7`: what it is to stand in isn't there",
        ),
    ],
)
def test_inapplicable_patch_operation_messages(operation: Operation, reason: str) -> None:
    with pytest.raises(Inapplicable) as raised:
        patched({"list": []}, [operation])
    assert raised.value.reason == reason
