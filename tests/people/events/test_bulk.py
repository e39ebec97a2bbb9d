"""Many events at once: POST /events/bulk."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.accounts.identity.model import KeyScope
from storepost.people.events import bulk
from storepost.people.events.bulk_schemas import EventFault
from storepost.people.profiles.manual import IncomingPerson, upsert_profile
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence import changes
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.world import CANARY, World
from tests.people.events.event_requests import (
    bulk_outcome,
    check_counts,
    event,
    events_of,
    names_of,
    post_event,
    post_events,
    shopify_store,
)
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario, day

KEY = "77c3f2de-5a0e-4a51-a1f1-1a9b2c3d4e5f"


class TestCreateMany:
    """POST /events/bulk."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/events"]),
            ({"events": None}, ["/events"]),
            ({"events": {}}, ["/events"]),
            ({"events": []}, ["/events"]),
            ({"events": [event({"email": ANN})], "more": 1}, ["/more"]),
            ({"events": [event({"email": ANN})] * 501}, ["/events"]),
        ],
    )
    def test_bad_input(self, scenario: Scenario, body: object, paths: list[str]) -> None:
        assert scenario.call("POST", "/events/bulk", body).error_paths() == paths
        assert scenario.get("/profiles")["total"] == 0

    def test_too_large_body_is_refused(self, scenario: Scenario) -> None:
        large = event({"email": ANN}, properties={"k": "x" * 30_000})
        assert bulk_outcome(scenario, *[large] * 160) == (160, 0, [])
        assert post_events(scenario, *[large] * 170).problem() == (413, "payload_too_large")
        profile = scenario.find_profile(email=ANN)["id"]
        assert scenario.get(f"/profiles/{profile}/events")["total"] == 160

    def test_invalid_events_fail_without_affecting_others(self, scenario: Scenario) -> None:
        theirs = Scenario(scenario.world)
        later = clock.to_text(clock.now() + timedelta(hours=1))
        fine = event({"email": ANN})
        bad: list[tuple[Any, str]] = [
            (7, "not_an_object"),
            (None, "not_an_object"),
            ({**fine, "source": "api"}, "unknown_field"),
            ({**fine, "profile": {}}, "profile_invalid"),
            ({**fine, "profile": {"email": "x", "phone": PHONE}}, "profile_invalid"),
            ({**fine, "profile": {"anonymousId": "null"}}, "profile_invalid"),
            ({**fine, "name": ""}, "name_invalid"),
            ({**fine, "occurredAt": "now"}, "occurred_at_invalid"),
            ({**fine, "occurredAt": later}, "occurred_at_invalid"),
            ({**fine, "storeId": "7"}, "store_invalid"),
            ({**fine, "properties": {"k": "x" * 40_000}}, "properties_invalid"),
            ({**fine, "uniqueId": ""}, "unique_id_invalid"),
            ({**fine, "uniqueId": "", "name": 7, "more": 1}, "unknown_field"),
            (event({"id": str(uuid4())}), "profile_unknown"),
            (event({"id": theirs.upsert(email=ANN)["id"]}), "profile_unknown"),
            ({**fine, "storeId": theirs.store()}, "store_unknown"),
            (event({"shopifyClientId": "c", "storeId": scenario.store()}), "store_unknown"),
        ]
        assert {code for _, code in bad} == {fault.value for fault in EventFault}
        rows = [row for body, _ in bad for row in (body, fine)]
        codes = [(2 * n, code) for n, (_, code) in enumerate(bad)]
        assert bulk_outcome(scenario, *rows) == (len(bad), 0, codes)
        assert len(names_of(scenario, scenario.find_profile(email=ANN)["id"])) == len(bad)
        assert scenario.get("/profiles")["total"] == 1

    def test_national_phone_number_uses_country_of_store(self, scenario: Scenario) -> None:
        store = scenario.store()
        rows = [
            event({"phone": "0664 1234567"}, "a", storeId=store),
            event({"phone": "0664 1234567"}, "b"),
            event({"phone": "+436641234567"}, "c"),
            event({"phone": "0664 1"}, "d", storeId=store),
        ]
        assert bulk_outcome(scenario, *rows) == (
            2,
            0,
            [(1, "profile_invalid"), (3, "profile_invalid")],
        )
        assert sorted(names_of(scenario, scenario.find_profile(phone="+436641234567")["id"])) == [
            "a",
            "c",
        ]

    def test_error_detail_explains_every_fault(self, scenario: Scenario) -> None:
        secret = f"{CANARY} secret"
        answer = post_events(scenario, {"profile": secret, "name": 7, secret: 1})
        [failed] = answer.json["failed"]
        for word in ("alone", "`profile`", "`name`", "`properties`"):
            assert word in failed["detail"]
        assert secret not in failed["detail"]

    def test_mixed_identities_and_duplicates(self, scenario: Scenario) -> None:
        store, shop = scenario.store(), shopify_store(scenario)
        ann = scenario.upsert(email=ANN)["id"]
        rows = [
            event({"id": ann}, "a", 3, storeId=store, properties={"n": 1}),
            event({"email": ANN}, "b", 5, uniqueId="u"),
            event({"email": BOB}, "c", 2),
            event({"email": ANN}, "b", 6, uniqueId="u"),
            event({"phone": PHONE}, "d", 1),
            event({"email": BOB}, "e", 7),
            event({"shopifyClientId": "c1", "storeId": shop}, "f", 1),
            event({"anonymousId": "b1"}, "g", 1),
        ]
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE)
        answer = scenario.world.call("POST", "/events/bulk", token=key, json_body={"events": rows})
        expected = {"accepted": 7, "duplicates": 1, "failed": []}
        assert (answer.status, answer.json) == (200, expected)
        common: dict[str, Any] = {"source": "api", "storeId": None, "properties": {}}
        assert events_of(scenario, ann) == [
            {**common, "name": "b", "occurredAt": day(5)},
            {**common, "name": "a", "occurredAt": day(3), "storeId": store, "properties": {"n": 1}},
        ]
        bob = scenario.find_profile(email=BOB)
        assert (bob["firstSeenAt"], bob["lastSeenAt"]) == (day(2), day(7))
        assert names_of(scenario, bob["id"]) == ["e", "c"]
        assert scenario.get("/profiles")["total"] == 5
        check_counts(scenario)
        scenario.check_rows()

    def test_undated_events_are_listed_in_request_order(self, scenario: Scenario) -> None:
        rows = [event({"email": ANN}, f"{n:03}") for n in range(200)]
        for row in rows:
            del row["occurredAt"]
        assert bulk_outcome(scenario, *rows) == (200, 0, [])
        profile = scenario.find_profile(email=ANN)
        assert names_of(scenario, profile["id"]) == [f"{n:03}" for n in range(199, -1, -1)]
        assert profile["firstSeenAt"] == profile["lastSeenAt"]

    def test_500_events_write_profile_once_per_transaction(self, scenario: Scenario) -> None:
        scenario.upsert(email=ANN)
        rows = [event({"email": ANN}, at=n / 500) for n in range(500)]
        calls = counted(lambda: post_events(scenario, *rows))
        assert calls.count("TransactWriteItems") == 500 // (bulk.MAX_OF_ONE - 1) + 1
        assert len(names_of(scenario, scenario.find_profile(email=ANN)["id"])) == 500
        check_counts(scenario)

    def test_older_events_that_move_list_entries_are_split(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They also move the person in each store's list: a transaction takes fewer events."""
        scenario.customer(scenario.store(), "7", 100, email=ANN)
        monkeypatch.setattr(changes, "MAX_ITEMS", bulk.MAX_OF_ONE + 4)
        rows = [event({"email": ANN}, f"{n:03}", at=90 - n / 10) for n in range(80)]
        assert bulk_outcome(scenario, *rows) == (80, 0, [])
        profile = scenario.find_profile(email=ANN)
        assert names_of(scenario, profile["id"]) == [f"{n:03}" for n in range(80)]
        assert (profile["firstSeenAt"], profile["lastSeenAt"]) == (day(82.1), day(100))
        check_counts(scenario)
        scenario.check_rows()

    @pytest.mark.parametrize("known", [True, False])
    def test_100_events_with_unique_ids_of_one_person(
        self, scenario: Scenario, known: bool
    ) -> None:
        """Each is two rows, which must fit together, too."""
        if known:
            scenario.upsert(email=ANN)
        rows = [event({"email": ANN}, f"{n:03}", at=n / 100, uniqueId=f"u{n}") for n in range(100)]
        assert bulk_outcome(scenario, *rows) == (100, 0, [])
        assert bulk_outcome(scenario, *rows) == (0, 100, [])
        expected = [f"{n:03}" for n in range(99, -1, -1)]
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == expected
        check_counts(scenario)

    def test_500_new_profiles(self, scenario: Scenario) -> None:
        rows = [event({"email": f"p{n:03}.{CANARY}@example.com"}) for n in range(500)]
        assert bulk_outcome(scenario, *rows) == (500, 0, [])
        assert scenario.get("/profiles")["total"] == 500
        assert bulk_outcome(scenario, *rows) == (500, 0, [])
        assert scenario.get("/profiles")["total"] == 500
        check_counts(scenario)
        scenario.check_rows()

    def test_concurrent_event_of_same_profile(self, scenario: Scenario) -> None:
        scenario.upsert(email=ANN)
        rows = [event({"email": ANN}, f"n{n}", n, uniqueId="u") for n in range(3)]
        with before_the_commit(
            lambda: post_event(scenario, event({"email": ANN}, "n1", 9, uniqueId="u"))
        ):
            assert bulk_outcome(scenario, *rows, event({"email": BOB})) == (3, 1, [])
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["n1", "n2", "n0"]
        check_counts(scenario)

    def test_profile_created_concurrently(self, scenario: Scenario) -> None:
        with before_the_commit(lambda: post_event(scenario, event({"email": ANN}, "a", 1))):
            assert bulk_outcome(scenario, event({"email": ANN}, "b", 2)) == (1, 0, [])
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["b", "a"]

    def test_endless_concurrent_writes_end_in_conflict(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ann = ProfileRepository(scenario.workspace).get(_made(scenario).id)
        assert ann is not None
        plain = Changes.commit

        def commit(changes: Changes) -> None:
            monkeypatch.setattr(Changes, "commit", plain)
            commit_anew(lambda other: _touched(other, ann))
            monkeypatch.setattr(Changes, "commit", commit)
            plain(changes)

        monkeypatch.setattr(Changes, "commit", commit)
        assert post_events(scenario, event({"email": ANN})).problem() == (409, "conflict")
        monkeypatch.setattr(Changes, "commit", plain)
        assert names_of(scenario, ann.id) == []

    def test_replay(self, scenario: Scenario) -> None:
        rows = [event({"email": ANN}), event({"email": BOB}), 7]
        first = post_events(scenario, *rows, key=KEY)
        again = post_events(scenario, *rows, key=KEY)
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["viewed"]

    def test_merged_ids_are_accepted(self, scenario: Scenario) -> None:
        ann, bob = scenario.upsert(email=ANN)["id"], scenario.upsert(email=BOB)["id"]
        assert bulk_outcome(scenario, event({"id": bob}, "a", 1, uniqueId="u")) == (1, 0, [])
        assert scenario.merge(ann, bob).status == 200
        rows = [event({"id": bob}, "a", 2, uniqueId="u"), event({"id": bob}, "b", 3)]
        assert bulk_outcome(scenario, *rows, event({"id": ann}, "c", 4)) == (2, 1, [])
        scenario.world.deliver()
        assert names_of(scenario, bob) == ["c", "b", "a"]
        assert bulk_outcome(scenario, event({"email": ANN}, "a", uniqueId="u")) == (0, 1, [])
        check_counts(scenario)
        scenario.check_rows()


def _made(scenario: Scenario) -> Profile:
    person, cause = IncomingPerson(email=ANN), MergeCause("api")
    return commit_anew(lambda changes: upsert_profile(scenario.workspace, person, cause, changes))[
        0
    ]


def _touched(changes: Changes, ann: Profile) -> None:
    """Another request changes Ann's profile."""
    repository = ProfileRepository(ann.workspace)
    before = repository.get(ann.id)
    assert before is not None
    repository.save(changes, before, before.seen(clock.now()))


class Pair:
    """Two workspaces that get the same events, in two ways."""

    def __init__(self) -> None:
        self.world = World()

    def scenarios(self) -> tuple[Scenario, Scenario]:
        """New ones."""
        return Scenario(self.world), Scenario(self.world)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """For all examples."""
    made = Pair()
    yield made
    made.world.close()


PEOPLE = ({"email": ANN}, {"email": BOB}, {"phone": PHONE}, {"anonymousId": "b1"}, {"email": CAT})
EVENTS = st.lists(
    st.builds(
        lambda person, name, at, unique, n: event(
            PEOPLE[person],
            name,
            at,
            properties={"n": n},
            **({"uniqueId": unique} if unique else {}),
        ),
        st.integers(0, 4),
        st.sampled_from(["viewed", "bought"]),
        st.integers(0, 6),
        st.sampled_from([None, None, "u", "v"]),
        st.integers(0, 99),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None)
@given(EVENTS, st.data())
def test_bulk_equals_single_requests(
    pair: Pair, events: list[dict[str, Any]], data: st.DataObject
) -> None:
    """However the events are split into requests, and however few fit into a transaction."""
    singly, together = pair.scenarios()
    statuses = [post_event(singly, body).status for body in events]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=2)))
    accepted = duplicates = 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bulk, "ROOM", data.draw(st.sampled_from([8, 76])))
        patched.setattr(bulk, "MAX_OF_ONE", data.draw(st.sampled_from([2, 70])))
        for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
            if start == end:
                continue
            more = bulk_outcome(together, *events[start:end])
            accepted, duplicates = accepted + more[0], duplicates + more[1]
            assert more[2] == []
    assert (accepted, duplicates) == (statuses.count(201), statuses.count(200))
    assert state_of(singly) == state_of(together)
    for scenario in (singly, together):
        check_counts(scenario)


def state_of(scenario: Scenario) -> dict[Any, Any]:
    """All people by their identities, with their shown fields and their events."""
    found = {}
    for row in scenario.get("/profiles", pageSize=100)["items"]:
        shown = {k: v for k, v in scenario.get(f"/profiles/{row['id']}").items() if k != "id"}
        events = sorted(events_of(scenario, row["id"]), key=repr)
        found[frozenset(scenario.identities(row["id"]))] = (shown, events)
    return found
