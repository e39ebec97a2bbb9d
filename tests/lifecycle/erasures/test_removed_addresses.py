"""Consent of an address that was taken off an erased person, with concurrent writers."""

import pytest

from tests.harness.call_interruption import before_the_commit
from tests.lifecycle.erasures.scenario import ANN, Place
from tests.people.matching.scenario import PHONE


@pytest.mark.parametrize("which", [1, 2, 3])
def test_address_claimed_concurrently_is_not_subscribed(place: Place, which: int) -> None:
    """The worker read that no profile has the address: removing its consent subscribes nobody."""
    person = str(place.upsert(email=ANN, phone=PHONE)["id"])
    assert place.consent(person, "subscribed").status == 200
    rows = place.get(f"/profiles/{person}/identities")["items"]
    [identity] = [each["id"] for each in rows if each["value"] == ANN]
    assert place.call("DELETE", f"/profiles/{person}/identities/{identity}").status == 204
    assert place.erase(person).status == 204
    with before_the_commit(lambda: place.upsert(email=ANN), which):
        place.run_erasure(person)
    place.upsert(email=ANN)
    assert place.find_profile(email=ANN)["emailMarketingConsent"] == "not_subscribed"
    assert place.get("/profiles", emailMarketingConsent="subscribed")["total"] == 0
    place.check_lists()
