"""The description's examples: of their schemas, and such that their operation takes them."""

import json
import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from storepost.api.reference.documents import interface
from tests.harness.answers import operations
from tests.harness.world import World

ABSENT = "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"
"""Every id of the examples."""
JSON = "application/json"


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each body and each success that is JSON, with the operation's id."""
    for _, _, operation in operations():
        holders = [operation.get("requestBody", {}), *operation["responses"].values()]
        for holder in holders:
            if JSON in holder.get("content", {}):
                yield operation["operationId"], holder["content"][JSON]


def test_each_is_of_its_schema() -> None:
    components = interface()["components"]
    for operation, content in contents():
        schema = {**content["schema"], "components": components}
        found = [e.message for e in Draft202012Validator(schema).iter_errors(content["example"])]
        assert found == [], operation


def test_each_body_is_taken(world: World) -> None:
    """Nothing is wrong with it, though there is nothing of what it names."""
    owner = world.person()
    world.workspace(owner)
    store = world.store(owner)
    for path, method, operation in sorted(operations(), key=lambda o: o[2]["operationId"]):
        content = operation.get("requestBody", {}).get("content", {}).get(JSON)
        if content is None:
            continue
        token = owner.token if operation["security"] else None
        there = re.sub(r"{\w+}", ABSENT, path)
        body = json.dumps(content["example"]).replace(ABSENT, store).encode()
        answer = world.call(method, there, token=token, body=body)
        # An example's host has no address: that is no fault of the body.
        if answer.status in {400, 422} and answer.json["code"] != "url_not_allowed":
            # Nor are ids that name nothing here: nobody has what the story's examples are about.
            wrong = [
                e for e in answer.json.get("errors", []) if " with this id" not in e["message"]
            ]
            assert wrong == [], (operation["operationId"], answer.body)
