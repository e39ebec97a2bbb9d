"""Concurrent changes of one person, in many rounds: the result is the same in any order."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from storepost.values import clock
from tests.concurrency.containers import containers
from tests.concurrency.people import EMAIL, STATES, customer, new_person, profiles
from tests.concurrency.requests import request
from tests.harness.world import Someone, World

pytestmark = pytest.mark.dynoxide

ROUNDS = 100
APART = (0, 0.02, 0.1)
"""Seconds between two requests, which take about the second one: at once, overlapping, or after."""


def moments() -> Iterator[tuple[str, str]]:
    """Yields two past times per round, a millisecond apart, and later than the previous round's."""
    begin = clock.now() - timedelta(hours=1)
    for number in range(ROUNDS):
        at = begin + timedelta(seconds=number)
        yield clock.to_text(at), clock.to_text(at + timedelta(milliseconds=1))


class TestConsent:
    """The newest statement holds, in whichever order they are written."""

    def test_two_api_calls(self, world: World, owner: Someone) -> None:
        path = f"/profiles/{new_person(owner, world.store(owner))}/consent/email"
        with containers(2) as two:
            for number, (before, after) in enumerate(moments()):
                older, newer = STATES if number % 2 else STATES[::-1]
                statements = [
                    {"state": older, "occurredAt": before},
                    {"state": newer, "occurredAt": after},
                ]
                answers = two.at_once(
                    [
                        request("PUT", path, owner, body)
                        for body in statements[:: 1 - 2 * (number % 3 % 2)]
                    ],
                    again=["conflict"],
                    within_seconds=APART[number // 4 % 3],
                )
                assert {answer.status for answer in answers} == {200}
                (shown,) = profiles(owner)
                assert shown["emailMarketingConsent"] == newer
                # The answer is the change that holds: the last writer gets the newer one.
                assert newer in {json.loads(answer.body)["state"] for answer in answers}
        assert two.refused["TransactWriteItems"] > 0
        print(f"\n{ROUNDS} pairs of changes: {dict(two.refused)}, {dict(two.again)}")

    def test_store_and_api(self, world: World, owner: Someone) -> None:
        """A store's consent is another assertion of the same address."""
        store = world.store(owner)
        path = f"/profiles/{new_person(owner, store)}/consent/email"
        with containers(2) as two:
            for number, times in enumerate(moments()):
                # A store's state counts only if it differs from its previous one.
                by_store, by_api = STATES if number % 2 else STATES[::-1]
                late = number // 2 % 2
                at, requested_at = times[late], times[1 - late]
                body = customer(
                    EMAIL,
                    emailMarketingConsent=by_store,
                    emailMarketingConsentUpdatedAt=at,
                    externalUpdatedAt=at,
                )
                answers = two.at_once(
                    [
                        request("PUT", f"/stores/{store}/customers/c-1", owner, body),
                        request("PUT", path, owner, {"state": by_api, "occurredAt": requested_at}),
                    ],
                    again=["conflict"],
                    within_seconds=APART[number // 4 % 3],
                )
                assert {answer.status for answer in answers} == {200}, answers
                (shown,) = profiles(owner)
                assert shown["emailMarketingConsent"] == (by_store if late else by_api)
        assert two.refused["TransactWriteItems"] > 0
        print(f"\n{ROUNDS} pairs of a store and the API: {dict(two.refused)}, {dict(two.again)}")


class TestCustomers:
    """Customers who are one person become one profile."""

    def test_two_stores_with_the_same_email_address(self, world: World, owner: Someone) -> None:
        stores = [world.store(owner) for _ in range(2)]
        with containers(2) as two:
            for number in range(ROUNDS):
                body = customer(f"p{number}.canary@example.com", f"+4366012{number:05}")
                answers = two.at_once(
                    [
                        request("PUT", f"/stores/{store}/customers/c-{number}", owner, body)
                        for store in stores
                    ],
                    again=["conflict"],
                    within_seconds=APART[number // 4 % 3],
                )
                assert {answer.status for answer in answers} == {201}
                (one,) = profiles(owner, email=body["email"])
                assert sorted(one["storeIds"]) == sorted(stores)
        assert len(profiles(owner)) == ROUNDS
        assert two.refused["TransactWriteItems"] > 0
        print(f"\n{ROUNDS} people in two stores: {dict(two.refused)}, {dict(two.again)}")
