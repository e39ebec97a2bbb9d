"""What a check of 500 addresses costs, however many others are suppressed."""

import os

import pytest

from benchmarks.measure.reckoning import Usage
from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.suppressions.keys import digest_of, suppressed_key
from storepost.people.suppressions.model import (
    AddressSuppressions,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from storepost.people.suppressions.rows import SuppressedAddressItem, address_row
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.costs.metering import Meter
from tests.harness.budgeting import clock_at_rest
from tests.harness.world import World

pytestmark = pytest.mark.dynoxide

OTHERS = int(os.environ.get("SUPPRESSED", "2000"))
ADDRESSES = 500
MAX_UNITS, MAX_CALLS = 260, 5


def suppress(workspace: WorkspaceScope, count: int) -> None:
    """Suppresses so many addresses, with the rows that an import would write and a check reads."""
    now = clock.now()
    with SuppressedAddressItem.batch_write() as batch:
        for number in range(count):
            address = Address(Channel.EMAIL, f"other{number}@example.com")
            digest = digest_of(workspace, address)
            stored = Suppression(
                new_id(),
                address.channel,
                address.value,
                SuppressionReason.HARD_BOUNCE,
                SuppressionSource.SES,
                now,
            )
            state = AddressSuppressions(
                digest, address.channel, address.value, (stored,), version=1
            )
            batch.save(address_row(suppressed_key(workspace, digest), state))


def checked(world: World, key: str) -> tuple[int, Usage]:
    """How many of 500 addresses are suppressed, and what the whole request used."""
    emails = [f"other{number}@example.com" for number in range(ADDRESSES)]
    body = {"addresses": [{"channel": "email", "address": each} for each in emails]}
    meter = Meter()
    with meter.on():
        answer = world.call("POST", "/suppressions/check", token=key, json_body=body)
    assert answer.status == 200, answer.body
    [used] = meter.used.values()
    return sum(each["suppressed"] for each in answer.json["items"]), used


def test_check_costs_half_a_read_unit_per_address(world: World) -> None:
    """Five calls are the check's own. The sixth one finds the API key, as in every request."""
    # At rest: the use of a key is noted once a minute.
    with clock_at_rest():
        owner = world.person()
        workspace = world.workspace(owner)
        key = world.api_key(workspace, KeyScope.READ, owner)
        checked(world, key)
        none, before = checked(world, key)
        suppress(workspace, OTHERS)
        found, after = checked(world, key)
    assert (none, found) == (0, min(ADDRESSES, OTHERS))
    assert (after.reads, after.read_calls) == (before.reads, before.read_calls)
    assert after.reads - 1 <= MAX_UNITS
    assert after.read_calls - 1 <= MAX_CALLS
    assert (after.writes, after.write_calls, after.transactions) == (0, 0, 0)
