"""Which rows are compared; a group is loaded with its first record."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from itertools import chain

import pytest

from local.events.pumps import _stream_record
from local.template import ROOT
from storepost.webhooks.events.causes.comparisons import (
    GROUPS,
    comparison_of,
    comparisons_in,
    kinds_of,
)
from storepost.webhooks.events.stream import events_of
from tests.catalog.products.sample import product
from tests.webhooks.events.shop import EMAIL, Shop
from tests.webhooks.events.test_coupons import coupon

RELAY = """
import json, sys
from local import aws
aws.prepare_environment()
from functions.workers.outbox_relay.handler import events_of, outgoing
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
before = sorted(sys.modules)
told = []
for record in json.load(sys.stdin):
    assert outgoing(DynamoDBRecord(record)) is None
    told += [[event.type, str(event.event_id)] for _, event in events_of(record)]
print(json.dumps([before, told]))
"""
LATER = {
    "storepost.people.profiles.rows",
    "storepost.coupons.rows",
    "storepost.catalog.products.rows",
    "storepost.stores.imports.rows",
    "storepost.feeds.feeds.rows",
    "storepost.accounts.api_keys.repository",
    "storepost.definitions.proposals.repository",
}


def test_each_group_loads_comparisons_for_the_listed_kinds() -> None:
    for group, kinds in GROUPS.items():
        assert kinds_of(comparisons_in(group)).keys() == kinds
    named = [*chain.from_iterable(GROUPS.values())]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("kind", ["outbox", "session", "a kind of another release"])
def test_other_kinds_are_not_compared(kind: str) -> None:
    assert comparison_of(kind) is None


def test_cold_start_finds_the_same_events(shop: Shop) -> None:
    """In a process of its own, as this one has loaded everything: that takes a second."""
    shop.call("POST", "/api-keys", {"name": "Server", "scope": "read"})
    shop.call("PUT", f"/stores/{shop.store}/products/p-1", product())
    coupon(shop)
    shop.profile(email=EMAIL)
    records = [_stream_record(each, "arn") for each in shop.records()]
    expected = [
        [event.type, str(event.event_id)] for each in records for _, event in events_of(each)
    ]
    assert {kind.partition(".")[0] for kind, _ in expected} == {
        "api_key",
        "coupon",
        "product",
        "profile",
    }
    path = os.pathsep.join([str(ROOT / "layers" / "core"), str(ROOT)])
    begun = subprocess.run(
        [sys.executable, "-c", RELAY],
        input=json.dumps(records, default=lambda value: b64encode(value).decode()),
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    before, events = json.loads(begun.stdout.splitlines()[-1])
    assert events == expected
    assert LATER.isdisjoint(before)
