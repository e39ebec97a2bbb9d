"""Events, created one by one, an operation a class."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.events import listing
from storepost.people.events.model import EventSource
from storepost.stores.stores.model import Platform
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Answer
from tests.people.events.event_requests import (
    check_counts,
    event,
    events_of,
    names_of,
    post_event,
    shopify_store,
)
from tests.people.matching.scenario import ANN, BOB, PHONE, Scenario, day

KEY = "5f1d8c0a-9a0e-4c55-8e57-1c9f3a3c8f10"


@pytest.fixture
def ann(scenario: Scenario) -> dict[str, Any]:
    """A profile with an email."""
    return scenario.upsert(email=ANN)


def rows_of(scenario: Scenario) -> list[Any]:
    """All rows of the workspace's people."""
    rows = [row.serialize() for row in scenario.world.rows(f"{scenario.workspace.key}#")]
    return sorted(rows, key=lambda row: (row["pk"]["S"], row["sk"]["S"]))


class TestCreate:
    """POST /events."""

    @pytest.mark.parametrize(
        ("change", "paths"),
        [
            ({"profile": None}, ["/profile"]),
            ({"profile": {}}, ["/profile"]),
            ({"profile": {"email": ANN, "phone": PHONE}}, ["/profile"]),
            ({"profile": {"id": str(uuid4()), "email": ANN}}, ["/profile"]),
            ({"profile": {"id": "7"}}, ["/profile/id"]),
            ({"profile": {"email": "nobody"}}, ["/profile/email"]),
            ({"profile": {"phone": "0664 1"}}, ["/profile/phone"]),
            ({"profile": {"anonymousId": "undefined"}}, ["/profile/anonymousId"]),
            ({"profile": {"anonymousId": "00-00"}}, ["/profile/anonymousId"]),
            ({"profile": {"shopifyClientId": "null"}}, ["/profile/shopifyClientId"]),
            ({"profile": {"shopifyClientId": "c1"}}, ["/profile"]),
            ({"profile": {"email": ANN, "storeId": str(uuid4())}}, ["/profile"]),
            ({"profile": {"email": ANN, "name": "Ann"}}, ["/profile/name"]),
            ({"name": " "}, ["/name"]),
            ({"name": "a" * 256}, ["/name"]),
            ({"occurredAt": "2026-01-01T00:00:00"}, ["/occurredAt"]),
            ({"occurredAt": "yesterday"}, ["/occurredAt"]),
            ({"storeId": "7"}, ["/storeId"]),
            ({"properties": None}, ["/properties"]),
            ({"properties": []}, ["/properties"]),
            ({"uniqueId": ""}, ["/uniqueId"]),
            ({"uniqueId": "a" * 256}, ["/uniqueId"]),
            ({"source": "api"}, ["/source"]),
        ],
    )
    def test_bad_input(self, scenario: Scenario, change: dict[str, Any], paths: list[str]) -> None:
        stored = rows_of(scenario)
        assert post_event(scenario, {**event({"email": ANN}), **change}).error_paths() == paths
        assert rows_of(scenario) == stored

    @pytest.mark.parametrize("field", ["profile", "name", "properties"])
    def test_required_fields(self, scenario: Scenario, field: str) -> None:
        body = event({"email": ANN})
        del body[field]
        assert post_event(scenario, body).error_paths() == [f"/{field}"]

    def test_future_time_is_refused(self, scenario: Scenario) -> None:
        body = event({"email": ANN})
        later = clock.to_text(clock.now() + timedelta(minutes=1))
        assert post_event(scenario, {**body, "occurredAt": later}).error_paths() == ["/occurredAt"]
        scenario.world.advance(minutes=2)
        assert post_event(scenario, {**body, "occurredAt": later}).json["occurredAt"] == later

    @pytest.mark.parametrize(
        ("value", "status"),
        [
            ("x" * (32 * 1024 - len('{"k":""}')), 201),
            ("x" * (32 * 1024 - len('{"k":""}') + 1), 422),
            ("é" * (16 * 1024 - 4), 201),
            ("é" * (16 * 1024 - 3), 422),
            ([1] * 20_000, 422),
        ],
    )
    def test_properties_size_limit(self, scenario: Scenario, value: Any, status: int) -> None:
        answer = post_event(scenario, event({"email": ANN}, properties={"k": value}))
        assert answer.status == status
        if status == 422:
            assert answer.error_paths() == ["/properties"]
        else:
            profile = scenario.find_profile(email=ANN)["id"]
            assert events_of(scenario, profile)[0]["properties"] == {"k": value}

    @pytest.mark.parametrize(("levels", "status"), [(20, 201), (21, 422)])
    def test_properties_depth_limit(self, scenario: Scenario, levels: int, status: int) -> None:
        value: Any = {}
        for level in range(levels - 1, 0, -1):
            value = {"a": value} if level % 2 else [value]
        assert _depth(value) == levels
        assert post_event(scenario, event({"email": ANN}, properties=value)).status == status

    @pytest.mark.parametrize("text", ["1e400", '"\\ud800"', '{"\\udfff": 1}'])
    def test_values_invalid_in_utf8_json_are_refused(self, scenario: Scenario, text: str) -> None:
        body = '{"profile": {"email": "ann@example.com"}, "name": "n", "properties": {"k": %s}}'
        sent = (body % text).encode()
        assert scenario.owner.call("POST", "/events", body=sent).error_paths() == ["/properties"]

    def test_complete_response(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        store = scenario.store()
        properties = {
            "sku": "TEA-100",
            "price": {"amount": 1250, "currency": "EUR"},
            "ratio": 0.1,
            "tags": ["a", None, True, 10**30, {"ü": "\u0000 \u2028"}],
            "": {},
        }
        body = event({"id": ann["id"]}, " viewed ", 3, storeId=store, properties=properties)
        answer = post_event(scenario, {**body, "occurredAt": "2026-01-04T01:00:00.123456+01:00"})
        expected = {
            "id": answer.json["id"],
            "name": "viewed",
            "source": "manual",
            "occurredAt": "2026-01-04T00:00:00.123Z",
            "storeId": store,
            "properties": properties,
        }
        assert (answer.status, answer.json) == (201, expected)
        found = scenario.get(f"/profiles/{ann['id']}/events")
        assert found == {"items": [expected], "total": 1, "page": 1, "pageSize": 25}
        check_counts(scenario)

    def test_event_by_key_is_dated_now_with_source_api(
        self, scenario: Scenario, ann: dict[str, Any]
    ) -> None:
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE)
        body = {"profile": {"id": ann["id"]}, "name": "viewed", "properties": {}}
        begin = clock.now()
        answer = scenario.world.call("POST", "/events", token=key, json_body=body)
        assert answer.status == 201
        assert answer.json["source"] == "api"
        assert answer.json["storeId"] is None
        assert begin <= clock.from_text(answer.json["occurredAt"]) <= clock.now()
        profile = scenario.get(f"/profiles/{ann['id']}")
        assert profile["lastSeenAt"] == answer.json["occurredAt"]

    def test_unknown_or_other_workspaces_profile_is_refused(self, scenario: Scenario) -> None:
        theirs = Scenario(scenario.world).upsert(email=ANN)
        for unknown in (str(uuid4()), theirs["id"]):
            assert post_event(scenario, event({"id": unknown})).problem() == (422, "validation")

    def test_unknown_or_other_workspaces_store_is_refused(self, scenario: Scenario) -> None:
        theirs = Scenario(scenario.world).store()
        for unknown in (str(uuid4()), theirs):
            answer = post_event(scenario, event({"email": ANN}, storeId=unknown))
            assert answer.error_paths() == ["/storeId"]
            client = {"shopifyClientId": "c1", "storeId": unknown}
            assert post_event(scenario, event(client)).error_paths() == ["/profile/storeId"]
        custom = {"shopifyClientId": "c1", "storeId": scenario.store()}
        both = post_event(scenario, event(custom, storeId=theirs))
        assert both.error_paths() == ["/storeId", "/profile/storeId"]

    def test_national_phone_number_uses_country_of_store(self, scenario: Scenario) -> None:
        """The store's primary locale is de-AT; a country code is accepted for any store."""
        store = scenario.store()
        for number in ("0664 1234567", "+43 664 1234567", "0043 664 1234567"):
            assert post_event(scenario, event({"phone": number}, storeId=store)).status == 201
        assert (
            post_event(scenario, event({"phone": "+1 415 555 0123"}, storeId=store)).status == 201
        )
        found = scenario.get("/profiles")["items"]
        assert sorted(each["phone"] for each in found) == [PHONE, "+436641234567"]
        assert len(events_of(scenario, scenario.find_profile(phone="+436641234567")["id"])) == 3

    def test_national_phone_number_requires_store(self, scenario: Scenario) -> None:
        store, theirs = scenario.store(), Scenario(scenario.world).store()
        named = {"phone": "0664 1234567"}
        assert post_event(scenario, event(named)).error_paths() == ["/profile/phone"]
        assert post_event(scenario, event({"phone": "0664 1"}, storeId=store)).error_paths() == [
            "/profile/phone"
        ]
        assert post_event(scenario, event(named, storeId=theirs)).error_paths() == ["/storeId"]
        assert scenario.get("/profiles")["total"] == 0

    @pytest.mark.parametrize(
        ("named", "shows"),
        [
            ({"email": f" Ann.{CANARY}@Example.com"}, {"email": ANN}),
            ({"phone": "+1 415 555 0123"}, {"phone": PHONE}),
            ({"anonymousId": " b-1 "}, {}),
        ],
    )
    def test_new_profile_is_found_by_later_events(
        self, scenario: Scenario, named: dict[str, str], shows: dict[str, str]
    ) -> None:
        assert post_event(scenario, event(named, "first", 5)).status == 201
        assert post_event(scenario, event(named, "second", 2)).status == 201
        assert post_event(scenario, event(named, "third", 9)).status == 201
        found = scenario.get("/profiles")
        assert found["total"] == 1
        profile = scenario.get(f"/profiles/{found['items'][0]['id']}")
        expected = {"email": None, "phone": None, "name": None, "isCustomer": False, **shows}
        assert {name: profile[name] for name in expected} == expected
        assert (profile["firstSeenAt"], profile["lastSeenAt"]) == (day(2), day(9))
        [identity] = scenario.get(f"/profiles/{profile['id']}/identities")["items"]
        assert (identity["firstSeenAt"], identity["lastSeenAt"]) == (day(2), day(9))
        assert names_of(scenario, profile["id"]) == ["third", "first", "second"]
        check_counts(scenario)
        scenario.check_rows()

    def test_shopify_client_id_is_unique_per_store(self, scenario: Scenario) -> None:
        one, two = shopify_store(scenario), shopify_store(scenario)
        for store, name in ((one, "a"), (two, "b"), (one, "c")):
            client = {"shopifyClientId": "c1", "storeId": store}
            assert post_event(scenario, event(client, name)).status == 201
        profiles = scenario.ids("/profiles")
        assert sorted(sorted(names_of(scenario, each)) for each in profiles) == [["a", "c"], ["b"]]
        stores = {
            row["store"]["id"]
            for each in profiles
            for row in scenario.get(f"/profiles/{each}/identities")["items"]
        }
        assert stores == {one, two}

    def test_new_profile_shows_stored_consent_of_address(self, scenario: Scenario) -> None:
        made = scenario.upsert(email=ANN)
        assert scenario.consent(made["id"], "subscribed").status == 200
        scenario.call("PATCH", f"/profiles/{made['id']}", {"email": BOB})
        post_event(scenario, event({"email": BOB}))
        assert scenario.find_profile(email=BOB)["emailMarketingConsent"] == "not_subscribed"
        body = {"changes": [{"phone": PHONE, "state": "subscribed", "occurredAt": day(1)}]}
        assert scenario.call("POST", "/consent/import", body).status == 200
        post_event(scenario, event({"phone": PHONE}))
        assert scenario.find_profile(phone=PHONE)["smsMarketingConsent"] == "subscribed"

    def test_earlier_event_moves_profile_in_lists(self, scenario: Scenario) -> None:
        store = scenario.store()
        scenario.customer(store, "7", 5, email=ANN)
        scenario.customer(store, "8", 3, email=BOB)
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        assert scenario.ids("/profiles") == [ann, bob]
        assert post_event(scenario, event({"email": ANN}, at=1)).status == 201
        assert scenario.ids("/profiles") == [bob, ann]
        assert scenario.ids("/profiles", storeId=store) == [bob, ann]
        scenario.check_lists()

    def test_event_within_known_period_writes_only_event_and_profile(
        self, scenario: Scenario
    ) -> None:
        """Only the profile's own row changes, and the event's is new."""
        scenario.customer(scenario.store(), "7", 5, email=ANN)
        ann = scenario.find_profile(email=ANN)["id"]
        before = {(row["pk"]["S"], row["sk"]["S"]): row for row in rows_of(scenario)}
        assert post_event(scenario, event({"id": ann}, at=8)).status == 201
        after = {(row["pk"]["S"], row["sk"]["S"]): row for row in rows_of(scenario)}
        changed = [key for key, row in after.items() if before.get(key) != row]
        assert [sk.partition("#")[0] for _, sk in changed] == ["event", "profile"]

    def test_idempotency_key_is_reusable_after_validation_error(self, scenario: Scenario) -> None:
        wrong = post_event(scenario, event({"email": ANN}, storeId=str(uuid4())), key=KEY)
        assert wrong.error_paths() == ["/storeId"]
        assert post_event(scenario, event({"email": ANN}), key=KEY).status == 201
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["viewed"]

    def test_merged_id_is_accepted(self, scenario: Scenario, ann: dict[str, Any]) -> None:
        bob = scenario.upsert(email=BOB)
        assert scenario.merge(ann["id"], bob["id"]).status == 200
        assert post_event(scenario, event({"id": bob["id"]})).status == 201
        scenario.world.deliver()
        assert post_event(scenario, event({"email": BOB}, "later", 2)).status == 201
        assert names_of(scenario, ann["id"]) == names_of(scenario, bob["id"]) == ["later", "viewed"]
        check_counts(scenario)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0) if isinstance(value, dict | list) else 0


class TestUniqueId:
    """A profile has one event of a name and a unique id."""

    def test_duplicate_returns_first_event_and_writes_nothing(self, scenario: Scenario) -> None:
        first = post_event(scenario, event({"email": ANN}, uniqueId="u", properties={"n": 1}))
        assert first.status == 201
        stored = rows_of(scenario)
        for body in (
            event({"email": ANN}, uniqueId="u", properties={"n": 1}),
            event({"email": ANN}, at=9, uniqueId=" u ", properties={"n": 2}),
            event({"id": scenario.find_profile(email=ANN)["id"]}, at=0, uniqueId="u"),
        ):
            again = post_event(scenario, body)
            assert (again.status, again.json) == (200, first.json)
            assert rows_of(scenario) == stored

    def test_other_name_or_profile_or_missing_id_is_another_event(self, scenario: Scenario) -> None:
        bodies = [
            event({"email": ANN}, uniqueId="u"),
            event({"email": ANN}, "bought", uniqueId="u"),
            event({"email": ANN}, uniqueId="U"),
            event({"email": ANN}),
            event({"email": ANN}),
            event({"email": BOB}, uniqueId="u"),
        ]
        assert [post_event(scenario, body).status for body in bodies] == [201] * 6
        assert len(names_of(scenario, scenario.find_profile(email=ANN)["id"])) == 5
        check_counts(scenario)

    def test_name_and_id_are_not_confused_by_separator(self, scenario: Scenario) -> None:
        for name, unique in (("a", "b\x1fc"), ("a\x1fb", "c")):
            assert post_event(scenario, event({"email": ANN}, name, uniqueId=unique)).status == 201

    def test_longest_name_and_id(self, scenario: Scenario) -> None:
        body = event({"email": ANN}, "ü" * 255, uniqueId="😀" * 255)
        assert [post_event(scenario, body).status for _ in range(2)] == [201, 200]

    def test_with_an_idempotency_key(self, scenario: Scenario) -> None:
        first = post_event(scenario, event({"email": ANN}, uniqueId="u"), key=KEY)
        second = post_event(scenario, event({"email": ANN}, uniqueId="u"), key="another")
        third = post_event(scenario, event({"email": ANN}, uniqueId="u"), key="another")
        assert [answer.status for answer in (first, second, third)] == [201, 200, 200]
        assert first.body == second.body == third.body
        assert third.header("idempotency-replayed") == "true"

    @pytest.mark.parametrize("known", [True, False])
    def test_concurrent_duplicates_create_one_event(
        self, scenario: Scenario, *, known: bool
    ) -> None:
        """One of a known person, and one of a person whom both requests create."""
        if known:
            scenario.upsert(email=ANN)
        body, second = event({"email": ANN}, uniqueId="u"), list[Answer]()
        with _overtaken(scenario, body, second):
            first = post_event(scenario, body)
        assert [first.status, second[0].status] == [200, 201]
        assert first.json == second[0].json
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["viewed"]
        check_counts(scenario)

    def test_concurrent_different_events_are_both_created(self, scenario: Scenario) -> None:
        second = list[Answer]()
        with _overtaken(scenario, event({"email": ANN}, "b", 2), second):
            assert post_event(scenario, event({"email": ANN}, "a", 3)).status == 201
        assert second[0].status == 201
        profile = scenario.find_profile(email=ANN)
        assert names_of(scenario, profile["id"]) == ["a", "b"]
        assert (profile["firstSeenAt"], profile["lastSeenAt"]) == (day(2), day(3))
        check_counts(scenario)

    @pytest.mark.parametrize("delivered", [False, True])
    def test_duplicates_of_merged_profile_are_recognized(
        self, scenario: Scenario, *, delivered: bool
    ) -> None:
        first = post_event(scenario, event({"email": ANN}, uniqueId="u"))
        second = post_event(scenario, event({"email": BOB}, uniqueId="u"))
        third = post_event(scenario, event({"email": BOB}, uniqueId="v"))
        ann, bob = scenario.find_profile(email=ANN)["id"], scenario.find_profile(email=BOB)["id"]
        assert scenario.merge(ann, bob).status == 200
        if delivered:
            scenario.world.deliver()
        again = post_event(scenario, event({"email": BOB}, uniqueId="u"))
        assert again.status == 200
        assert again.json in (first.json, second.json)
        assert post_event(scenario, event({"email": ANN}, uniqueId="v")).json == third.json
        assert len(names_of(scenario, ann)) == 3
        scenario.world.deliver()
        assert post_event(scenario, event({"email": ANN}, uniqueId="u")).json == first.json
        check_counts(scenario)
        scenario.check_rows()


def _overtaken(scenario: Scenario, body: Any, answers: list[Answer]) -> Any:
    """Another request creates an event after the next request's reads."""
    return before_the_commit(lambda: answers.append(post_event(scenario, body)))


class TestList:
    """GET /profiles/{id}/events."""

    def test_events_of_same_time_are_listed_last_received_first(
        self, scenario: Scenario, ann: dict[str, Any]
    ) -> None:
        for name in "abc":
            post_event(scenario, event({"id": ann["id"]}, name))
            scenario.world.advance(seconds=1)
        assert names_of(scenario, ann["id"]) == ["c", "b", "a"]

    def test_too_broad_filter_is_refused(
        self, scenario: Scenario, ann: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(listing, "MAX_ROWS", 3)
        for number in range(4):
            post_event(scenario, event({"id": ann["id"]}, at=number))
        path = f"/profiles/{ann['id']}/events"
        broad = scenario.call("GET", path, query={"name": "other"})
        assert broad.json["errors"][0]["path"] == "query.occurredFrom"
        assert broad.problem() == (422, "filter_too_broad")
        assert scenario.get(path)["total"] == 4
        assert scenario.get(path, name="viewed", occurredFrom=day(1))["total"] == 3

    def test_every_platform_is_a_source(self) -> None:
        assert {platform.value for platform in Platform} < {source.value for source in EventSource}
