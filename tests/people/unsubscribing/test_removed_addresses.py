"""A link of an address that was removed from its profile, also with concurrent claims of it."""

from collections.abc import Callable

import pytest

from tests.harness.call_interruption import before_the_commit
from tests.people.matching.scenario import ANN, BOB, PHONE, Scenario
from tests.people.unsubscribing.following import ONE_CLICK, Reader, posted


@pytest.fixture(params=["nothing was said", "they had subscribed it"])
def reader(scenario: Scenario, request: pytest.FixtureRequest) -> Reader:
    """A person who got a link in an email to an address that was removed from them."""
    person = Reader(scenario, str(scenario.upsert(email=ANN, phone=PHONE)["id"]))
    if request.param == "they had subscribed it":
        person.subscribe()
    person.link()
    rows = scenario.get(f"/profiles/{person.id}/identities")["items"]
    [identity] = [each["id"] for each in rows if each["value"] == ANN]
    assert scenario.call("DELETE", f"/profiles/{person.id}/identities/{identity}").status == 204
    return person


def take(scenario: Scenario) -> None:
    """A new profile claims the address."""
    scenario.upsert(email=ANN)


def show(scenario: Scenario) -> None:
    """A known profile shows the address from now on."""
    bob = scenario.upsert(email=BOB)["id"]
    assert scenario.call("PATCH", f"/profiles/{bob}", {"email": ANN}).status == 200


def follow(scenario: Scenario, reader: Reader) -> None:
    """A mailbox provider's button is pressed."""
    assert posted(scenario, reader.path, ONE_CLICK).status == 200


def check(scenario: Scenario) -> None:
    """The profile that has the address shows it as unsubscribed, and is listed so."""
    assert scenario.find_profile(email=ANN)["emailMarketingConsent"] == "unsubscribed"
    assert scenario.get("/profiles", emailMarketingConsent="unsubscribed")["total"] == 1
    assert scenario.get("/profiles", emailMarketingConsent="subscribed")["total"] == 0
    scenario.check_lists()


def test_link_is_followed_while_profile_claims_address(scenario: Scenario, reader: Reader) -> None:
    """The profile's writer read the consent from before."""
    with before_the_commit(lambda: follow(scenario, reader)):
        take(scenario)
    check(scenario)


@pytest.mark.parametrize("newcomer", [take, show])
def test_profile_claims_address_while_link_is_followed(
    scenario: Scenario, reader: Reader, newcomer: Callable[[Scenario], None]
) -> None:
    """The link's request read that no profile has the address."""
    with before_the_commit(lambda: newcomer(scenario)):
        follow(scenario, reader)
    check(scenario)
