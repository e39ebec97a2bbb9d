"""The guide of webhook events names every type, shows a message as it is sent, and verifies it."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from local.template import ROOT
from storepost.platform.attempts.signing import signed_headers
from storepost.stores.stores.signing_secrets import new_secret
from storepost.webhooks.events.registry import EVENT_TYPES

GUIDE = (ROOT / "docs" / "guides" / "webhook-events.md").read_text("utf-8")


def test_every_event_type_is_listed_once() -> None:
    named = re.findall(r"^\| `([a-z_.]+)` \|", GUIDE, re.MULTILINE)
    assert named == [each.type for each in EVENT_TYPES]


def test_shown_message_is_the_sample_of_its_type() -> None:
    [shown] = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    message = json.loads(shown)
    [sample] = [each.sample for each in EVENT_TYPES if each.type == message["type"]]
    assert message == sample


@pytest.mark.parametrize("each", EVENT_TYPES, ids=[each.type for each in EVENT_TYPES])
def test_python_example_accepts_only_valid_signatures(
    each: Any,
) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    receive = names["receive"]
    body = json.dumps(each.sample).encode()
    secrets = [new_secret(), new_secret()]
    headers = signed_headers("message", datetime.now(UTC), body, secrets)
    assert [receive(secret, headers, body) for secret in secrets] == [204, 204]
    assert receive(new_secret(), headers, body) == 401
    assert receive(secrets[0], headers, body + b" ") == 401
    assert receive(secrets[0], {**headers, "webhook-id": "other"}, body) == 401
