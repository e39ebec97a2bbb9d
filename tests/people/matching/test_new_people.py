"""A newcomer's claims replace conditions on the consent rows of addresses without statements.

Any writer of a statement about such an address makes the newcomer read again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest import mock

import pytest
from botocore.client import BaseClient

from storepost.people.profiles import resolution
from tests.harness.call_interruption import before_the_commit
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario, day

CONSENT = {"emailMarketingConsent": "subscribed", "emailMarketingConsentUpdatedAt": day(1)}


@contextmanager
def writes_counted() -> Iterator[list[str]]:
    """The operations of each transaction inside the block, one for each of its rows."""
    made, plain = list[str](), cast(Any, BaseClient)._make_api_call

    def call(client: Any, operation: str, parameters: Any) -> Any:
        if operation == "TransactWriteItems":
            made.extend(next(iter(each)) for each in parameters["TransactItems"])
        return plain(client, operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", call):
        yield made


class TestTransaction:
    """A newcomer's transaction has no condition on an absent row."""

    def test_new_profile_needs_no_condition_check(self, scenario: Scenario) -> None:
        with writes_counted() as made:
            scenario.upsert(email=ANN, phone=PHONE)
        assert "ConditionCheck" not in made
        assert len(made) == 9  # a profile, two claims, three lists with an entry and a node each

    def test_new_customer_and_order_need_no_condition_check(self, scenario: Scenario) -> None:
        store = scenario.store()
        with writes_counted() as made:
            assert scenario.customer(store, "7", email=ANN, phone=PHONE).status == 201
            assert scenario.order(store, "1", buyer={"email": BOB}).status == 201
        assert "ConditionCheck" not in made

    def test_existing_consent_row_is_condition_checked(self, scenario: Scenario) -> None:
        """The consent row may change without its claim: by the erasure of its former holder."""
        first = scenario.upsert(email=ANN, phone=PHONE)
        assert scenario.consent(first["id"], "subscribed").status == 200
        _take_off(scenario, first["id"], ANN)
        with writes_counted() as made:
            scenario.upsert(email=ANN)
        assert made.count("ConditionCheck") == 1


def _take_off(scenario: Scenario, profile: str, value: str) -> None:
    """Removes an address from its profile."""
    rows = scenario.get(f"/profiles/{profile}/identities")["items"]
    [identity] = [each["id"] for each in rows if each["value"] == value]
    assert scenario.call("DELETE", f"/profiles/{profile}/identities/{identity}").status == 204


def _by_a_request(scenario: Scenario) -> None:
    """Another profile has claimed the address by then, and a request states its consent."""
    assert scenario.consent(scenario.upsert(email=ANN)["id"], "subscribed").status == 200


def _by_somebody_who_left_it(scenario: Scenario) -> None:
    """A profile with a statement about the address lost it: nobody has the address again."""
    person = scenario.upsert(email=ANN, phone=PHONE)["id"]
    assert scenario.consent(person, "subscribed").status == 200
    _take_off(scenario, person, ANN)


def _by_an_import(scenario: Scenario) -> None:
    changes = [{"email": ANN, "state": "subscribed", "occurredAt": day(1)}]
    assert scenario.call("POST", "/consent/import", {"changes": changes}).status == 200


def _by_a_store(scenario: Scenario) -> None:
    store = scenario.get("/stores")["items"][0]["id"]
    assert scenario.customer(store, "7", 1, email=ANN, **CONSENT).status in {200, 201}


def _by_a_store_whose_person_takes_no_more(scenario: Scenario) -> None:
    """The customer's profile has its maximum of identities, so nobody has the address."""
    store = scenario.get("/stores")["items"][0]["id"]
    with mock.patch.object(resolution, "MAX_IDENTITIES", 2):
        assert scenario.customer(store, "8", 2, email=ANN, **CONSENT).status == 200
    assert scenario.get("/profiles", email=ANN)["total"] == 0


SAYING = [
    _by_a_request,
    _by_somebody_who_left_it,
    _by_an_import,
    _by_a_store,
    _by_a_store_whose_person_takes_no_more,
]


class TestConcurrentStatement:
    """A statement about the address is made after the newcomer read that there is none."""

    @pytest.fixture
    def scenario(self, scenario: Scenario) -> Scenario:
        """A workspace with a store, whose one customer's profile has two identities."""
        assert scenario.customer(scenario.store(), "8", 1, email=BOB).status == 201
        return scenario

    def check(
        self, scenario: Scenario, newcomer: Callable[[], object], say: Callable[[Scenario], None]
    ) -> None:
        """The profile that shows the address in the end shows its consent, and is listed so."""
        with before_the_commit(lambda: say(scenario)):
            newcomer()
        assert scenario.find_profile(email=ANN)["emailMarketingConsent"] == "subscribed"
        assert scenario.get("/profiles", emailMarketingConsent="subscribed")["total"] == 1
        scenario.check_lists()

    @pytest.mark.parametrize("say", SAYING)
    def test_profile_is_created(self, scenario: Scenario, say: Callable[[Scenario], None]) -> None:
        self.check(scenario, lambda: scenario.upsert(email=ANN), say)

    @pytest.mark.parametrize("say", SAYING)
    def test_order_of_new_buyer(self, scenario: Scenario, say: Callable[[Scenario], None]) -> None:
        store = scenario.get("/stores")["items"][0]["id"]
        self.check(scenario, lambda: scenario.order(store, "o-1", buyer={"email": ANN}), say)

    @pytest.mark.parametrize("say", SAYING)
    def test_profile_is_changed_to_show_address(
        self, scenario: Scenario, say: Callable[[Scenario], None]
    ) -> None:
        cat = scenario.upsert(email=CAT)["id"]

        def show() -> None:
            assert scenario.call("PATCH", f"/profiles/{cat}", {"email": ANN}).status in {200, 409}

        self.check(scenario, show, say)
