"""What the description says of a definition's content is what the kind's own schema demands."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from storepost.api.reference.documents import interface
from storepost.definitions.definitions.kinds import KINDS, schema_of
from storepost.definitions.definitions.model import DefinitionKind

CONTENT = {
    DefinitionKind.SEGMENT: "SegmentContent",
    DefinitionKind.EMAIL_TEMPLATE: "EmailTemplateContent",
    DefinitionKind.FLOW: "FlowContent",
}
AN_ID = "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"
SEGMENT = {
    "description": "Everybody",
    "condition": {
        "type": "any",
        "conditions": [
            {"type": "not",
             "condition": {"type": "consent", "channel": "sms", "states": ["pending"]}},
            {"type": "profile", "field": "email", "operator": "contains", "value": "@"},
            {"type": "profile", "field": "phone", "operator": "missing"},
            {"type": "profile", "field": "isCustomer", "operator": "is", "value": True},
            {"type": "profile", "field": "storeIds", "operator": "includes", "value": AN_ID},
            {"type": "profile", "field": "lastSeenAt", "operator": "within_days", "value": 30},
            {"type": "profile", "field": "firstSeenAt", "operator": "before",
             "value": "2026-01-01T00:00:00Z"},
            {"type": "profile", "field": "orders", "operator": "at_least", "value": 2},
            {"type": "profile", "field": "spent", "operator": "at_most",
             "value": {"amount": 1000, "currency": "EUR"}},
            {"type": "order", "count": {"operator": "equals", "value": 1},
             "within": {"lastDays": 90},
             "where": {"financialStatus": ["paid"], "cancelled": False}},
            {"type": "event", "name": "looked", "within": {"from": "2026-01-01T00:00:00Z"},
             "properties": [{"name": "size", "operator": "at_least", "value": 4}]},
        ],
    },
}  # fmt: skip
TEMPLATE = {
    "subject": "Hello {{firstName}}",
    "preheader": "News",
    "body": {"format": "html", "content": "<p>Hi</p>"},
    "locale": "en",
    "variants": {"de": {"subject": "Hallo"}},
    "mergeTags": [{"name": "firstName", "label": "First name", "fallback": "you"}],
}
FLOW = {
    "trigger": {"type": "event", "name": "signed_up", "storeId": AN_ID},
    "reentry": "never",
    "steps": [
        {"type": "wait", "for": {"amount": 2, "unit": "days"}},
        {"type": "wait_until", "time": "09:30", "weekdays": ["monday"]},
        {"type": "branch", "if": {"type": "segment", "segmentId": AN_ID},
         "then": [{"type": "send_email", "templateId": AN_ID}],
         "else": [{"type": "stop", "label": "Enough"}]},
    ],
}  # fmt: skip
SAMPLES: dict[DefinitionKind, Any] = {
    DefinitionKind.SEGMENT: SEGMENT,
    DefinitionKind.EMAIL_TEMPLATE: TEMPLATE,
    DefinitionKind.FLOW: FLOW,
}
OTHERS: list[Any] = [
    None,
    True,
    0,
    -1,
    5000,
    "",
    "all",
    "event",
    "is",
    "exists",
    "profile",
    [],
    {},
    [{}],
]
"""Values that take another one's place, each right somewhere and wrong elsewhere."""


def described(name: str) -> Draft202012Validator:
    """What a component of the description takes."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": interface()["components"]}
    return Draft202012Validator(schema)


DESCRIBED = {kind: described(name) for kind, name in CONTENT.items()}
DEMANDED = {info.kind: Draft202012Validator(schema_of(info.kind, 1) or {}) for info in KINDS}


def positions(content: Any) -> list[tuple[Any, Any]]:
    """Each container of the content with each of its keys."""
    keys = list(content) if isinstance(content, dict) else list(range(len(content)))
    inner = [content[key] for key in keys if isinstance(content[key], dict | list)]
    return [(content, key) for key in keys] + [place for each in inner for place in positions(each)]


@pytest.mark.parametrize("kind", DefinitionKind)
def test_content_accepted_by_the_service_matches_the_description(kind: DefinitionKind) -> None:
    assert DEMANDED[kind].is_valid(SAMPLES[kind])
    assert [each.message for each in DESCRIBED[kind].iter_errors(SAMPLES[kind])] == []


@given(st.sampled_from(list(DefinitionKind)), st.data())
def test_description_and_kind_schema_accept_the_same(
    kind: DefinitionKind, data: st.DataObject
) -> None:
    content = copy.deepcopy(SAMPLES[kind])
    container, key = data.draw(st.sampled_from(positions(content)))
    change = data.draw(st.sampled_from(["remove", "replace", "add"]))
    if change == "remove":
        del container[key]
    elif change == "replace":
        container[key] = data.draw(st.sampled_from(OTHERS))
    elif isinstance(container, dict):
        container["extra"] = 1
    assert DESCRIBED[kind].is_valid(content) == DEMANDED[kind].is_valid(content), content


@pytest.mark.parametrize(
    "name", ["Definition", "DefinitionVersion", "ChangeProposal", "NewDefinitionProposal"]
)
def test_kind_is_the_discriminator_of_definitions(name: str) -> None:
    shapes = interface()["components"]["schemas"]
    assert shapes[name]["discriminator"]["propertyName"] == "kind"
    mapping = shapes[name]["discriminator"]["mapping"]
    assert {
        kind: shapes[target.rsplit("/", 1)[1]]["properties"]["definition"]["$ref"].rsplit("/", 1)[1]
        for kind, target in mapping.items()
    } == CONTENT
