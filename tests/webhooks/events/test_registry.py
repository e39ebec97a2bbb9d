"""The types of events: the description of each, and the types that a pattern matches."""

import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from storepost.webhooks.events import causes
from storepost.webhooks.events.model import WebhookEvent
from storepost.webhooks.events.registry import EVENT_TYPES, TEST_TYPE, EventType, matches, type_for

IDS = [each.type for each in EVENT_TYPES]


def event(name: str, *also: str) -> WebhookEvent:
    """An event of these types."""
    return WebhookEvent(name, UUID(int=1), datetime(2026, 1, 1, tzinfo=UTC), None, also=also)


class TestTypes:
    def test_names_are_unique(self) -> None:
        assert len(set(IDS)) == len(IDS)

    @pytest.mark.parametrize("each", EVENT_TYPES, ids=IDS)
    def test_sample_is_valid_for_the_schema(self, each: EventType) -> None:
        Draft202012Validator.check_schema(each.json_schema())
        assert list(each.sample) == ["type", "timestamp", "data"]
        assert each.sample["type"] == each.type
        Draft202012Validator(each.json_schema()).validate(each.sample["data"])
        payload = each.schema.model_validate(each.sample["data"])
        assert payload.model_dump(mode="json", by_alias=True) == each.sample["data"]

    @pytest.mark.parametrize("each", EVENT_TYPES, ids=IDS)
    def test_every_payload_has_an_id(self, each: EventType) -> None:
        shapes = [shape for shape in (each.schema, each.gone) if shape]
        assert all("id" in shape.model_fields for shape in shapes)

    @pytest.mark.parametrize("each", EVENT_TYPES, ids=IDS)
    def test_schema_requires_an_id(self, each: EventType) -> None:
        lacking = {name: value for name, value in each.sample["data"].items() if name != "id"}
        assert not Draft202012Validator(each.json_schema()).is_valid(lacking)


def test_every_type_except_test_has_a_cause() -> None:
    sources = Path(causes.__path__[0]).glob("*.py")
    named = {
        text
        for source in sources
        for text in re.findall(r'"([a-z_]+\.[a-z_]+)"', source.read_text("utf-8"))
    }
    assert named == set(IDS) - {TEST_TYPE}


class TestMatches:
    @pytest.mark.parametrize(
        ("patterns", "name", "expected"),
        [
            (["*"], "order.created", True),
            (["order.*"], "order.created", True),
            (["order.created"], "order.created", True),
            (["order.updated"], "order.created", False),
            (["coupon.*"], "coupon_code.used", False),
            (["profile.*", "order.*"], "order.created", True),
            ([], "order.created", False),
        ],
    )
    def test_pattern_is_a_type_a_group_or_all(
        self, patterns: list[str], name: str, expected: bool
    ) -> None:
        assert matches(patterns, name) is expected


class TestTypeFor:
    """One commit is sent once, as the first of its types that the endpoint asks for."""

    @pytest.mark.parametrize(
        ("patterns", "expected"),
        [
            (["*"], "order.cancelled"),
            (["order.updated", "order.cancelled"], "order.cancelled"),
            (["order.refunded"], "order.refunded"),
            (["order.updated"], "order.updated"),
            (["order.created"], None),
        ],
    )
    def test_first_requested_type_is_sent(self, patterns: list[str], expected: str | None) -> None:
        cancelled = event("order.cancelled", "order.refunded", "order.updated")
        assert type_for(patterns, cancelled) == expected
