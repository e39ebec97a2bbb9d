"""Operations on profiles by hand, and reads of them, an operation a class."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.profiles import resolution
from storepost.people.profiles.manual import IncomingPerson, upsert_profile
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.rows import IdentityItem, MergedProfileItem, ProfileItem
from storepost.values import clock
from tests.harness.world import CANARY
from tests.people.matching.scenario import ANN, BOB, CAT, OTHER_PHONE, PHONE, Scenario, day

WRITES = [("PATCH", "", {"firstName": "Ann"}), ("POST", "/merge", {"profileId": str(uuid4())})]


@pytest.fixture
def ann(scenario: Scenario) -> dict[str, Any]:
    """A profile with an email."""
    return scenario.upsert(email=ANN)


class TestUpdate:
    """PATCH /profiles/{id}."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"email": "nobody"}, ["/email"]),
            ({"phone": "0664 1"}, ["/phone"]),
            ({"firstName": ""}, ["/firstName"]),
            ({"lastName": "a" * 256}, ["/lastName"]),
            ({"locale": "not a tag"}, ["/locale"]),
            ({"anonymousId": "b1"}, ["/anonymousId"]),
            ([], [""]),
        ],
    )
    def test_bad_input(
        self, scenario: Scenario, ann: dict[str, Any], body: object, paths: list[str]
    ) -> None:
        assert scenario.call("PATCH", f"/profiles/{ann['id']}", body).error_paths() == paths

    def test_only_sent_fields_are_changed(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        payload = {"firstName": " Ann ", "phone": "+1 415 555 0123", "locale": "de-at"}
        scenario.world.advance(hours=1)
        answer = scenario.call("PATCH", f"/profiles/{ann['id']}", payload)
        expected = {
            **ann,
            "name": "Ann",
            "firstName": "Ann",
            "phone": PHONE,
            "locale": "de-AT",
        }
        assert (answer.status, answer.json) == (200, expected)
        assert scenario.get(f"/profiles/{ann['id']}") == expected
        assert scenario.find_profile(phone=PHONE) == expected

    def test_null_clears_fields_but_not_identities(self, scenario: Scenario) -> None:
        made = scenario.upsert(email=ANN, phone=PHONE, firstName="Ann", lastName="Lee", locale="de")
        assert scenario.consent(made["id"], "subscribed").status == 200
        nulls = dict.fromkeys(("email", "phone", "firstName", "lastName", "locale"))
        answer = scenario.call("PATCH", f"/profiles/{made['id']}", nulls)
        assert (answer.status, answer.json) == (200, {**made, **nulls, "name": None})
        assert scenario.identities(made["id"]) == {("email", ANN), ("phone", PHONE)}
        again = scenario.upsert(email=ANN)
        assert (again["id"], again["email"]) == (made["id"], ANN)
        assert again["emailMarketingConsent"] == "subscribed"

    def test_empty_body_changes_nothing(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        stored = [row.serialize() for row in scenario.world.rows(scenario.workspace.key)]
        answer = scenario.call("PATCH", f"/profiles/{ann['id']}", {})
        assert (answer.status, answer.json) == (200, ann)
        assert [row.serialize() for row in scenario.world.rows(scenario.workspace.key)] == stored

    def test_consent_is_that_of_shown_address(
        self, scenario: Scenario, ann: dict[str, Any]
    ) -> None:
        assert scenario.consent(ann["id"], "subscribed").status == 200
        path = f"/profiles/{ann['id']}"
        for email, consent in ((BOB, "not_subscribed"), (ANN, "subscribed")):
            shown = scenario.call("PATCH", path, {"email": email}).json
            assert (shown["email"], shown["emailMarketingConsent"]) == (email, consent)
            counted = scenario.get("/profiles", emailMarketingConsent=consent)
            assert [row["id"] for row in counted["items"]] == [ann["id"]]
        assert scenario.identities(ann["id"]) == {("email", ANN), ("email", BOB)}

    @pytest.mark.parametrize("identity", [{"email": BOB}, {"phone": PHONE}])
    def test_identity_of_other_profile_is_conflict(
        self, scenario: Scenario, ann: dict[str, Any], identity: dict[str, str]
    ) -> None:
        other = scenario.upsert(**identity)
        answer = scenario.call("PATCH", f"/profiles/{ann['id']}", {"firstName": "A", **identity})
        assert answer.problem() == (409, "identity_conflict")
        assert scenario.get(f"/profiles/{ann['id']}") == ann
        assert scenario.get(f"/profiles/{other['id']}") == other

    def test_identity_limit(
        self, scenario: Scenario, ann: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resolution, "MAX_IDENTITIES", 2)
        path = f"/profiles/{ann['id']}"
        assert scenario.call("PATCH", path, {"email": BOB}).status == 200
        assert scenario.call("PATCH", path, {"email": CAT}).problem() == (409, "identity_limit")
        assert scenario.call("PATCH", path, {"email": ANN}).json["email"] == ANN

    def test_cleared_locale_is_set_by_stores_again(self, scenario: Scenario) -> None:
        store = scenario.store()
        made = scenario.upsert(email=ANN, locale="fr")
        scenario.order(store, "o-1", 1, buyer={"email": ANN}, locale="it")
        path = f"/profiles/{made['id']}"
        assert scenario.get(path)["locale"] == "fr"
        assert scenario.call("PATCH", path, {"locale": None}).json["locale"] is None
        scenario.order(store, "o-1", 2, buyer={"email": ANN}, locale="it", updatedAt=day(2))
        assert scenario.get(path)["locale"] == "it"

    def test_address_claimed_concurrently_is_conflict(
        self, scenario: Scenario, ann: dict[str, Any]
    ) -> None:
        with scenario.world.meanwhile(lambda changes: _named(scenario, changes, BOB)):
            answer = scenario.call("PATCH", f"/profiles/{ann['id']}", {"email": BOB})
        assert answer.problem() == (409, "identity_conflict")


def _named(scenario: Scenario, changes: Any, email: str) -> None:
    """A request gives an address to another profile."""
    upsert_profile(scenario.workspace, IncomingPerson(email=email), MergeCause("api"), changes)


class TestIdentities:
    """GET /profiles/{id}/identities."""

    def test_complete_response(self, scenario: Scenario) -> None:
        store = scenario.store("Shop A")
        scenario.customer(store, "7", 1, email=ANN)
        profile = scenario.find_profile(email=ANN)
        found = scenario.get(f"/profiles/{profile['id']}/identities")
        claims = {
            row.pk.split("#")[3]: str(row.id)
            for row in scenario.world.rows(scenario.workspace.key)
            if isinstance(row, IdentityItem)
        }
        reference = {"id": store, "name": "Shop A", "platform": "custom"}
        moments = {"firstSeenAt": day(1), "lastSeenAt": day(1)}
        assert found == {
            "items": [
                {
                    "id": claims["platform_customer_id"],
                    "type": "platform_customer_id",
                    "value": "7",
                    "store": reference,
                    **moments,
                },
                {"id": claims["email"], "type": "email", "value": ANN, "store": None, **moments},
            ],
            "total": 2,
            "page": 1,
            "pageSize": 25,
        }

    def test_newest_first_with_pagination_and_type_filter(self, scenario: Scenario) -> None:
        made = scenario.upsert(anonymousId="b-00")
        for number in range(1, 12):
            scenario.world.advance(minutes=1)
            scenario.upsert(anonymousId="b-00", phone=f"+1415555{1000 + number}")
        path = f"/profiles/{made['id']}/identities"
        values = [f"+1415555{1000 + number}" for number in range(11, 0, -1)]
        first, second = (scenario.get(path, pageSize=10, page=page) for page in (1, 2))
        shown = [row["value"] for row in [*first["items"], *second["items"]]]
        assert (first["total"], shown) == (12, [*values, "b-00"])
        assert scenario.ids(path, "value", type="phone") == values
        assert scenario.ids(path, "value", type="anonymous_id,email") == ["b-00"]
        assert scenario.get(path, page=3)["items"] == []


class TestCustomers:
    """GET /profiles/{id}/customers."""

    def test_newest_first_with_deleted_customers_and_store_filter(self, scenario: Scenario) -> None:
        first, second = scenario.store("A"), scenario.store("B")
        one = scenario.customer(first, "7", 1, email=ANN).json
        two = scenario.customer(second, "8", 3, email=ANN).json
        profile = scenario.find_profile(email=ANN)["id"]
        scenario.call("DELETE", f"/stores/{first}/customers/7")
        path = f"/profiles/{profile}/customers"
        found = scenario.get(path)
        assert [row["id"] for row in found["items"]] == [two["id"], one["id"]]
        assert found["items"][0] == two
        deleted = found["items"][1]
        assert deleted == {**one, "deletedAt": deleted["deletedAt"]}
        assert clock.from_text(deleted["deletedAt"]) <= clock.now()
        assert (found["total"], found["page"], found["pageSize"]) == (2, 1, 25)
        assert scenario.ids(path, storeId=first) == [one["id"]]
        assert scenario.ids(path, storeId=str(uuid4())) == []
        assert scenario.get(path, page=2, pageSize=10)["items"] == []

    def test_customers_of_other_profiles_are_not_listed(self, scenario: Scenario) -> None:
        store = scenario.store()
        scenario.customer(store, "7", email=ANN)
        scenario.customer(store, "8", email=BOB)
        bob = scenario.find_profile(email=BOB)["id"]
        assert scenario.ids(f"/profiles/{bob}/customers", "externalId") == ["8"]


class TestMerges:
    """GET /profiles/{id}/merges."""

    def test_profile_without_merges(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        found = scenario.get(f"/profiles/{ann['id']}/merges")
        assert found == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    @pytest.mark.parametrize("delivered", [False, True])
    def test_earlier_merges_of_merged_profiles_are_included(
        self, scenario: Scenario, *, delivered: bool
    ) -> None:
        ids = [
            scenario.upsert(email=f"p{number}.{CANARY}@example.com")["id"] for number in range(13)
        ]
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE)
        before = clock.now()
        for number in range(12):  # each is merged into the next
            body, path = {"profileId": ids[number]}, f"/profiles/{ids[number + 1]}/merge"
            assert scenario.world.call("POST", path, token=key, json_body=body).status == 200
            scenario.world.advance(seconds=1)
            if delivered:
                scenario.world.deliver()
        path = f"/profiles/{ids[0]}/merges"
        pages = [scenario.get(path, pageSize=10, page=page) for page in (1, 2, 3)]
        rows = [row for page in pages for row in page["items"]]
        assert {page["total"] for page in pages} == {12}
        assert [row["mergedProfileId"] for row in rows] == ids[11::-1]
        moments = [clock.from_text(row["mergedAt"]) for row in rows]
        assert moments == sorted(moments, reverse=True)
        assert before <= moments[-1] <= moments[0] <= clock.now()
        assert {str(UUID(row["id"])) for row in rows} == {row["id"] for row in rows}
        assert {(row["cause"]["source"], row["cause"]["reference"]) for row in rows} == {
            ("api", None)
        }
        assert set(rows[0]) == {"id", "mergedProfileId", "mergedAt", "cause"}
        scenario.world.deliver()
        scenario.check_rows()
        assert [scenario.get(f"/profiles/{each}")["id"] for each in ids] == [ids[-1]] * 13


class TestMerge:
    """POST /profiles/{id}/merge."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/profileId"]),
            ({"profileId": "7"}, ["/profileId"]),
            ({"profileId": None}, ["/profileId"]),
            ({"profileId": str(uuid4()), "force": True}, ["/force"]),
        ],
    )
    def test_bad_input(
        self, scenario: Scenario, ann: dict[str, Any], body: object, paths: list[str]
    ) -> None:
        assert scenario.call("POST", f"/profiles/{ann['id']}/merge", body).error_paths() == paths

    def test_unknown_profile_id_is_refused(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        theirs = Scenario(scenario.world).upsert(email=ANN)
        for unknown in (str(uuid4()), theirs["id"]):
            assert scenario.merge(ann["id"], unknown).problem() == (422, "validation")

    def test_merge_with_itself_is_refused(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        bob = scenario.upsert(email=BOB)
        assert scenario.merge(ann["id"], ann["id"]).problem() == (409, "same_profile")
        assert scenario.merge(ann["id"], bob["id"]).status == 200
        for into, other in ((ann, bob), (bob, ann), (bob, bob)):
            assert scenario.merge(into["id"], other["id"]).problem() == (409, "same_profile")

    def test_too_many_identities(
        self, scenario: Scenario, ann: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bob = scenario.upsert(email=BOB, phone=PHONE)
        monkeypatch.setattr(resolution, "MAX_IDENTITIES", 2)
        assert scenario.merge(ann["id"], bob["id"]).problem() == (409, "identity_limit")
        monkeypatch.setattr(resolution, "MAX_IDENTITIES", 3)
        assert scenario.merge(ann["id"], bob["id"]).status == 200

    @pytest.mark.parametrize("delivered", [False, True])
    def test_everything_belongs_to_survivor(self, scenario: Scenario, *, delivered: bool) -> None:
        one, two = scenario.store("A"), scenario.store("B")
        scenario.customer(one, "7", 5, email=ANN, phone=PHONE, firstName="Ann")
        scenario.customer(two, "8", 3, email=BOB, firstName="Bob", lastName="Lee", locale="it")
        scenario.customer(one, "9", 4, email=BOB)  # two customers of one store: by hand it may be
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        scenario.order(one, "o-1", 6, buyer={"externalId": "7"})
        scenario.order(two, "o-2", 7, buyer={"externalId": "8"})
        scenario.order(two, "o-3", 2, buyer={"email": BOB})
        nine = scenario.find_profile(externalId="9", storeId=one)["id"]
        assert scenario.consent(ann, "subscribed").status == 200
        change = scenario.consent(bob, "unsubscribed").json
        survivor_before = scenario.get(f"/profiles/{ann}")
        answer = scenario.merge(ann, bob)
        assert answer.status == 200
        if delivered:
            scenario.world.deliver()
            scenario.check_rows()
        stores = [
            {"id": store, "name": name, "platform": "custom"}
            for store, name in ((one, "A"), (two, "B"))
        ]
        survivor = {
            **survivor_before,
            "name": "Ann Lee",
            "lastName": "Lee",
            "locale": "it",
            "localeSource": {
                "source": "customer",
                "storeId": two,
                "signal": "hard",
                "at": day(3),
            },
            "storeIds": sorted([one, two]),
            "stores": sorted(stores, key=lambda store: str(store["id"])),
            "firstSeenAt": day(2),
            "lastSeenAt": max(survivor_before["lastSeenAt"], day(7)),
            "orders": 3,
            "spent": [{"amount": 3000, "currency": "EUR"}],
        }
        assert answer.json == survivor
        for name in (ann, bob):
            assert scenario.get(f"/profiles/{name}") == survivor
            assert scenario.identities(name) == {
                ("email", ANN),
                ("email", BOB),
                ("phone", PHONE),
                ("platform_customer_id", "7"),
                ("platform_customer_id", "8"),
            } | ({("platform_customer_id", "9")} if nine == bob else set())
            orders = scenario.get("/orders", profileId=name)
            assert [row["placedAt"] for row in orders["items"]] == [day(7), day(6), day(2)]
            assert orders["total"] == 3
            assert scenario.get("/orders", profileId=name, storeId=two)["total"] == 2
            assert scenario.get("/orders", profileId=name, externalId="o-3")["total"] == 1
            pages = [
                scenario.get("/orders", profileId=name, sort="placedAt", page=n) for n in (1, 2)
            ]
            assert [row["placedAt"] for row in pages[0]["items"]] == [day(2), day(6), day(7)]
            assert pages[1]["items"] == []
            history = scenario.get(f"/profiles/{name}/consent")
            assert [row["address"] for row in history["items"]] == [BOB, ANN]
            assert history["total"] == 2
            assert scenario.get(f"/profiles/{name}/consent", state="unsubscribed")["total"] == 1
            read = scenario.get(f"/profiles/{name}/consent/{change['id']}")
            assert read["id"] == change["id"]
            merges = scenario.get(f"/profiles/{name}/merges")["items"]
            assert [row["mergedProfileId"] for row in merges] == [bob]
            assert merges[0]["cause"] == {"source": "manual", "reference": None}
        assert scenario.ids(f"/profiles/{bob}/customers", storeId=two, field="externalId") == ["8"]
        assert scenario.ids("/profiles", sort="firstSeenAt")[0] == ann
        for store in (one, two):
            assert scenario.ids("/profiles", storeId=store).count(ann) == 1
        for query in ({"email": ANN}, {"email": BOB}, {"externalId": "8", "storeId": two}):
            assert scenario.find_profile(**query)["id"] == ann
        orders = scenario.get("/orders", profileId=bob)["items"]
        bought = {scenario.get(f"/orders/{row['id']}")["buyer"]["profileId"] for row in orders}
        assert bought == {ann}

    def test_merged_ids_are_accepted_on_either_side(self, scenario: Scenario) -> None:
        ann, bob, cat = (scenario.upsert(email=each)["id"] for each in (ANN, BOB, CAT))
        for each in (ann, bob, cat):
            assert scenario.consent(each, "subscribed").status == 200
            scenario.world.advance(seconds=1)
        assert scenario.merge(bob, ann).json["id"] == bob
        assert scenario.merge(ann, cat).json["id"] == bob
        dan = scenario.upsert(phone=PHONE)["id"]
        assert scenario.merge(dan, cat).json["id"] == dan
        scenario.world.deliver()
        scenario.check_rows()
        for each in (ann, bob, cat, dan):
            assert scenario.get(f"/profiles/{each}")["id"] == dan
            history = scenario.ids(f"/profiles/{each}/consent", "address")
            assert history == [CAT, BOB, ANN]
        assert scenario.get("/profiles")["total"] == 1
        assert {r["mergedProfileId"] for r in scenario.get(f"/profiles/{ann}/merges")["items"]} == {
            ann,
            bob,
            cat,
        }

    def test_survivor_shows_consent_of_shown_addresses(self, scenario: Scenario) -> None:
        """The state belongs to the address: a merge changes none, and shows the survivor's."""
        ann, bob = scenario.upsert(email=ANN)["id"], scenario.upsert(phone=PHONE)["id"]
        scenario.consent(ann, "subscribed")
        path = f"/profiles/{bob}/consent/sms"
        assert scenario.call("PUT", path, {"state": "unsubscribed"}).status == 200
        merged = scenario.merge(bob, ann).json
        shown = merged["emailMarketingConsent"], merged["smsMarketingConsent"]
        assert shown == ("subscribed", "unsubscribed")
        assert scenario.get("/profiles", emailMarketingConsent="subscribed")["total"] == 1
        assert scenario.get("/profiles", emailMarketingConsent="not_subscribed")["total"] == 0
        assert scenario.get("/profiles", smsMarketingConsent="unsubscribed")["total"] == 1

    def test_later_write_backs_go_to_stores_of_both_profiles(self, scenario: Scenario) -> None:
        one, two = scenario.store("A"), scenario.store("B")
        scenario.customer(one, "7", email=ANN)
        scenario.customer(two, "8", email=BOB)
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        assert scenario.merge(ann, bob).status == 200
        change = scenario.consent(bob, "subscribed").json
        assert {each["store"]["id"] for each in change["writeBacks"]} == {one, two}
        assert change["address"] == ANN

    def test_write_back_pending_at_merge_is_processed(self, scenario: Scenario) -> None:
        """Its message names the merged profile; both profiles' customers decide about it."""
        store = scenario.store()
        scenario.customer(store, "7", email=ANN)
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.upsert(email=BOB)["id"]
        change = scenario.consent(ann, "subscribed").json
        assert scenario.merge(bob, ann).status == 200
        scenario.world.deliver()
        [write_back] = scenario.get(f"/profiles/{bob}/consent/{change['id']}")["writeBacks"]
        assert (write_back["status"], write_back["skipReason"]) == ("skipped", "permission_missing")
        path = f"/profiles/{ann}/consent/{change['id']}/write-backs/{store}/retry"
        assert scenario.call("POST", path).status == 200
        scenario.world.deliver()
        [write_back] = scenario.get(f"/profiles/{bob}/consent/{change['id']}")["writeBacks"]
        assert (write_back["status"], write_back["skipReason"]) == ("skipped", "permission_missing")

    def test_later_arrivals_for_merged_profile_reach_survivor(self, scenario: Scenario) -> None:
        store = scenario.store()
        scenario.customer(store, "7", email=ANN)
        scenario.order(store, "o-1", 1, buyer={"externalId": "7"})
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.upsert(email=BOB)["id"]
        assert scenario.merge(bob, ann).status == 200
        scenario.order(store, "o-2", 2, buyer={"externalId": "7"})
        scenario.order(store, "o-1", 1, buyer={"externalId": "7"}, financialStatus="refunded")
        assert scenario.customer(store, "7", 9, email=ANN, firstName="Ann").status == 200
        assert scenario.call("DELETE", f"/stores/{store}/orders/o-2").status == 204
        assert scenario.call("DELETE", f"/stores/{store}/customers/7").status == 204
        scenario.upsert(email=ANN, lastName="Lee")
        scenario.world.deliver()
        scenario.check_rows()
        profile = scenario.get(f"/profiles/{ann}")
        assert (profile["id"], profile["name"], profile["orders"]) == (bob, "Ann Lee", 1)
        assert [
            row["financialStatus"] for row in scenario.get("/orders", profileId=bob)["items"]
        ] == ["refunded"]

    def test_stored_rows_and_queued_message(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        """The redirect keeps what the worker needs, and nothing else once that is done."""
        bob = scenario.upsert(email=BOB, phone=OTHER_PHONE)
        assert scenario.merge(ann["id"], bob["id"]).status == 200
        rows = scenario.world.rows(scenario.workspace.key)
        [merged] = [row for row in rows if isinstance(row, MergedProfileItem)]
        assert (str(merged.id), str(merged.into)) == (bob["id"], ann["id"])
        assert len(merged.identities) == 2
        [survivor] = [row for row in rows if isinstance(row, ProfileItem)]
        assert len(survivor.pending_sources) == 1
        assert scenario.world.queue_depth("ProfileMergeQueue") == 0
        scenario.world.deliver_outbox()
        assert scenario.world.queue_depth("ProfileMergeQueue") == 1
        scenario.world.deliver()
        scenario.check_rows()
