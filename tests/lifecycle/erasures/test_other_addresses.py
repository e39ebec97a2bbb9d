"""An erased person whose customer in a store has another person's address."""

from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from tests.lifecycle.erasures.scenario import ANN, BOB, Place


def customers_of(place: Place, email: str) -> set[CustomerRef]:
    """The other customers of an address, whose stores get its changes too."""
    address = Address(Channel.EMAIL, email)
    return set(ConsentRepository(place.workspace).consent_of(address).other_customers)


def test_erased_customer_is_removed_from_other_persons_address(place: Place) -> None:
    other = place.upsert(email=BOB)["id"]
    person = place.somebody()
    place.customer(place.shop, "cust-ann", 400, email=BOB)
    place.world.deliver()
    assert {each.external_id for each in customers_of(place, BOB)} == {"cust-ann"}
    assert (place.find_profile(email=ANN)["id"], place.find_profile(email=BOB)["id"]) == (
        person,
        other,
    )
    place.erase(person)
    place.world.deliver()
    assert customers_of(place, BOB) == set()
    assert place.traces() == []
    assert place.find_profile(email=BOB)["id"] == other
