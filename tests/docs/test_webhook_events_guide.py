"""The guide of webhook events names every type, and shows a message as it is sent."""

import json
import re

from local.template import ROOT
from storepost.webhooks.events.registry import EVENT_TYPES

GUIDE = (ROOT / "docs" / "guides" / "webhook-events.md").read_text("utf-8")


def test_every_type_stands_in_the_table_once() -> None:
    named = re.findall(r"^\| `([a-z_.]+)` \|", GUIDE, re.MULTILINE)
    assert named == [each.type for each in EVENT_TYPES]


def test_the_message_is_the_types_own_sample() -> None:
    [shown] = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    message = json.loads(shown)
    [sample] = [each.sample for each in EVENT_TYPES if each.type == message["type"]]
    assert message == sample
