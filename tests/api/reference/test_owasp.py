"""What `openapi/spectral.yaml` asks no longer of the whole description, asked where it counts.

OWASP's rules want a bound on every value and a limit on every operation. An answer's bound would be
a promise to clients; what a body may have is what an attacker chooses.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from storepost.api.reference.documents import interface
from tests.harness.answers import operations

type Schema = dict[str, Any]

BOUNDED_OTHERWISE = {
    "CouponImportBody.content": "3,000,000 bytes",
    "CouponImportCheckBody.content": "3,000,000 bytes",
    "CouponTopUp.content": "3,000,000 bytes",
    "ProductTexts.description": "64 KB",
    "SegmentMoney.amount": "256 KB of a definition",
    "SegmentProperty.value": "256 KB of a definition",
}
"""By bytes, which JSON Schema can't count: of itself, or of the definition that it is part of."""
FIXED_LENGTH = {"uuid", "date-time", "date", "ipv4", "ipv6"}


def resolved(reference: str) -> Schema:
    """The target of a reference."""
    found: Schema = interface()
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def is_bounded(kind: str, schema: Schema) -> bool:
    """Whether a value of the kind has an end."""
    if "enum" in schema or "const" in schema:
        return True
    if kind == "string":
        has_form = "pattern" in schema or schema.get("format") in FIXED_LENGTH
        return has_form or "maxLength" in schema
    if kind == "array":
        differs = schema.get("uniqueItems") and "enum" in schema["items"]
        return bool(differs) or "maxItems" in schema
    return kind != "integer" or "maximum" in schema


def inside(where: str, schema: Schema) -> Iterator[tuple[str, Any]]:
    """The schemas in a schema, each with its place."""
    for name, inner in schema.get("properties", {}).items():
        yield f"{where}.{name}", inner
    for each in ("items", "additionalProperties", "propertyNames"):
        yield where, schema.get(each)
    for options in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(options, []):
            yield where, each


def unbounded(where: str, schema: Any, seen: set[str]) -> Iterator[str]:
    """The places of a schema and of those inside it whose values have no end."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        where = schema["$ref"].rsplit("/", 1)[1]
        if where in seen:
            return
        seen.add(where)
        schema = resolved(schema["$ref"])
    kinds = schema.get("type", [])
    named = [kinds] if isinstance(kinds, str) else kinds
    yield from (where for kind in named if not is_bounded(kind, schema))
    for place, inner in inside(where, schema):
        yield from unbounded(place, inner, seen)


def test_every_value_of_a_body_is_bounded() -> None:
    seen = set[str]()
    found = {
        place
        for _, _, operation in operations()
        for content in operation.get("requestBody", {}).get("content", {}).values()
        for place in unbounded(operation["operationId"], content["schema"], seen)
    }
    assert len(seen) > 50
    assert found == set(BOUNDED_OTHERWISE)


@pytest.mark.parametrize(
    ("schema", "ends"),
    [
        ({"type": "string"}, False),
        ({"type": "string", "maxLength": 5}, True),
        ({"type": "string", "format": "uri"}, False),
        ({"type": "string", "format": "uuid"}, True),
        ({"type": ["string", "null"]}, False),
        ({"type": "integer", "minimum": 0}, False),
        ({"type": "array", "items": {"enum": ["a"]}}, False),
        ({"type": "array", "items": {"enum": ["a"]}, "uniqueItems": True}, True),
        ({"type": "array", "maxItems": 2, "items": {"type": "string"}}, False),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, False),
    ],
)
def test_unbounded_value_is_detected(schema: Schema, ends: bool) -> None:
    assert (list(unbounded("here", schema, set())) == []) == ends


def test_operations_with_a_caller_document_rate_limits() -> None:
    """It also says that it needs a caller: 401, 429, and headers with the rest of the budget."""
    of_callers = [o for _, _, o in operations() if o["security"]]
    assert len(of_callers) > 100
    for operation in of_callers:
        answers = operation["responses"]
        assert {"401", "429"} <= answers.keys(), operation["operationId"]
        successes = [answers[status] for status in answers if status.startswith("2")]
        assert all({"RateLimit", "RateLimit-Policy"} <= s["headers"].keys() for s in successes)
