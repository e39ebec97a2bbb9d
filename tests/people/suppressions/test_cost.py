"""The cost of checks: a row an address, a hundred a call, however many others are suppressed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest import mock

import pytest
from botocore.client import BaseClient

from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.deliverability.reachability import check_reachability, check_suppressions
from storepost.people.suppressions.keys import digest_of, suppressed_key
from storepost.people.suppressions.model import (
    AddressSuppressions,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from storepost.people.suppressions.rows import address_row
from storepost.values import clock
from storepost.values.ids import new_id
from tests.harness.call_interruption import counted
from tests.people.consent.listening_store import Shop
from tests.platform.counted_tree.engine import size_of

ADDRESSES = [Address(Channel.EMAIL, f"somebody.{number:03}@example.com") for number in range(500)]
UNIT_BYTES = 4096
NOTE = "5" * 255
"""As long as a note may be."""


@contextmanager
def batch_gets() -> Iterator[list[float]]:
    """The read units of each call inside the block; other calls have none."""
    units, plain = list[float](), cast(Any, BaseClient)._make_api_call

    def call(client: Any, operation: str, parameters: Any) -> Any:
        answer = plain(client, operation, parameters)
        assert operation == "BatchGetItem"
        [request] = parameters["RequestItems"].values()
        found = [row for rows in answer["Responses"].values() for row in rows]
        whole = sum(-(-size_of(row) // UNIT_BYTES) for row in found)
        whole += len(request["Keys"]) - len(found)
        units.append(whole if request.get("ConsistentRead") else whole / 2)
        return answer

    with mock.patch.object(BaseClient, "_make_api_call", call):
        yield units


def suppress_all(shop: Shop) -> None:
    """Every second address is suppressed for every reason, with the rows of real suppressions."""
    now = clock.now()
    for address in ADDRESSES[::2]:
        stored = tuple(
            Suppression(
                new_id(), address.channel, address.value, reason, SuppressionSource.SES, now, NOTE
            )
            for reason in SuppressionReason
        )
        digest = digest_of(shop.workspace, address)
        state = AddressSuppressions(digest, address.channel, address.value, stored)
        address_row(suppressed_key(shop.workspace, digest), state).save()


class TestCheck:
    """500 addresses, half of which are suppressed."""

    def test_suppressions_take_five_calls_and_260_units(self, shop: Shop) -> None:
        suppress_all(shop)
        with batch_gets() as units:
            found = check_suppressions(shop.workspace, ADDRESSES)
        assert [each is not None for _, each in found] == [True, False] * 250
        assert len(units) == 5
        assert sum(units) <= 260

    @pytest.mark.parametrize(("path", "calls"), [("suppressions", 5), ("reachability", 10)])
    def test_request_reads_only_api_key_besides(self, shop: Shop, path: str, calls: int) -> None:
        key = shop.world.api_key(shop.workspace, KeyScope.READ, shop.owner)
        addresses = [{"channel": "email", "address": each.value} for each in ADDRESSES]

        def ask() -> None:
            body = {"addresses": addresses}
            answer = shop.world.call("POST", f"/{path}/check", token=key, json_body=body)
            assert answer.status == 200, answer.body

        ask()  # the first use of a key is recorded
        assert counted(ask) == ["GetItem", *["BatchGetItem"] * calls]

    def test_reachability_takes_ten_calls_and_is_strongly_consistent(self, shop: Shop) -> None:
        suppress_all(shop)
        with batch_gets() as units:
            found = check_reachability(shop.workspace, ADDRESSES)
        assert [bool(each.suppressions) for each in found] == [True, False] * 250
        assert len(units) == 10
        assert sum(units) == 1000
