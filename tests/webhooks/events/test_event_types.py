"""GET /webhook-event-types."""

import json
import re
from typing import Any

import pytest

from storepost.api.reference.documents import interface
from storepost.webhooks.events.registry import EVENT_TYPES
from tests.webhooks.events.shop import Shop

PATH = "/webhook-event-types"


def pages(shop: Shop, size: int) -> list[dict[str, Any]]:
    """All items, page by page."""
    found: list[dict[str, Any]] = []
    for number in range(1, len(EVENT_TYPES) // size + 3):
        body = shop.call("GET", PATH, query={"page": number, "pageSize": size}).json
        assert body["total"] == len(EVENT_TYPES)
        found += body["items"]
    return found


class TestList:
    def test_whole_response(self, shop: Shop) -> None:
        body = shop.get(PATH)
        assert {name: body[name] for name in ("page", "pageSize", "total")} == {
            "page": 1,
            "pageSize": 25,
            "total": len(EVENT_TYPES),
        }
        assert body["items"] == [
            {
                "type": each.type,
                "description": each.description,
                "schema": each.json_schema(),
                "sample": each.sample,
            }
            for each in EVENT_TYPES[:25]
        ]

    def test_schema_definitions_are_named_as_in_openapi(self, shop: Shop) -> None:
        names = {
            name: definition
            for each in pages(shop, 100)
            for name, definition in each["schema"].get("$defs", {}).items()
        }
        assert len(names) > 20
        assert names.keys() <= interface()["components"]["schemas"].keys()
        for each in pages(shop, 100):
            named = {f"#/$defs/{name}" for name in each["schema"].get("$defs", {})}
            assert set(re.findall(r"#/\$defs/\w+", json.dumps(each["schema"]))) <= named
        assert not [name for name, definition in names.items() if "title" in definition]

    @pytest.mark.parametrize("size", [10, 100])
    def test_pagination_lists_each_type_once(self, shop: Shop, size: int) -> None:
        assert [each["type"] for each in pages(shop, size)] == [each.type for each in EVENT_TYPES]
