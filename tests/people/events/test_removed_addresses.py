"""An event of an address with consent that was removed from its former profile."""

from tests.people.matching.scenario import ANN, PHONE, Scenario


def test_new_profile_has_stored_consent_of_address(scenario: Scenario) -> None:
    former = scenario.upsert(email=ANN, phone=PHONE)
    assert scenario.consent(former["id"], "unsubscribed").status == 200
    identities = scenario.get(f"/profiles/{former['id']}/identities")["items"]
    [identity] = [each["id"] for each in identities if each["value"] == ANN]
    path = f"/profiles/{former['id']}/identities/{identity}"
    assert scenario.call("DELETE", path, None).status in {200, 204}
    event = {"profile": {"email": ANN}, "name": "looked", "properties": {}}
    assert scenario.call("POST", "/events", event).status == 201
    assert scenario.find_profile(email=ANN)["emailMarketingConsent"] == "unsubscribed"
