"""GET /write-backs: a workspace's write-backs, compared with its profiles' histories."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent import resending
from storepost.people.consent.missed_write_backs import missed_partition
from storepost.people.consent.write_back_index import IndexedChangeItem, index_partition
from storepost.people.consent_changes import retrying, write_back_list
from storepost.people.profiles.model import Profile
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.harness.world import Answer, World
from tests.people.consent.listening_store import HOOK, Shop, open_shop

STATUSES = ("pending", "written", "skipped", "failed")
LAST_ATTEMPT: dict[str, list[int]] = {
    "pending": [],
    "written": [204],
    "skipped": [],
    "failed": [400],
}
"""What a store answered last, where it takes a change or refuses it for good."""


def ask(shop: Shop, **query: object) -> Answer:
    """The list, as a member reads it."""
    return shop.owner.call("GET", "/write-backs", query=query)


def items(shop: Shop, **query: object) -> list[dict[str, Any]]:
    """All write-backs of a query, page by page; each total is their number."""
    found, page = list[dict[str, Any]](), 1
    while True:
        answer = ask(shop, page=page, pageSize=10, **query)
        assert answer.status == 200, answer.body
        found += answer.json["items"]
        if not answer.json["items"]:
            assert answer.json["total"] == len(found)
            return found
        page += 1


def expected(shop: Shop, people: list[Profile]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each write-back of the people's histories with its change, the newest change first."""
    changes = list[tuple[str, dict[str, Any]]]()
    for person in people:
        listed = shop.owner.call("GET", f"/profiles/{person.id}/consent", query={"pageSize": 100})
        changes += [(str(person.id), change) for change in listed.json["items"]]
    changes.sort(key=lambda pair: str(pair[1]["id"]), reverse=True)
    return [
        (
            change,
            {
                "profileId": profile_id,
                "changeId": change["id"],
                "channel": change["channel"],
                "state": change["state"],
                "writeBack": write_back,
            },
        )
        for profile_id, change in changes
        for write_back in sorted(change["writeBacks"], key=lambda each: str(each["store"]["id"]))
    ]


class TestList:
    """The list and its filters."""

    def test_complete_response(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        person = shop.person(store)
        first = shop.change(person, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        second = shop.change(person, "unsubscribed", channel="sms")
        [pending, failed] = ask(shop).json["items"]
        done_at = failed["writeBack"].pop("doneAt")
        assert clock.from_text(done_at) <= clock.now()
        [attempt] = failed["attempts"]
        assert attempt.pop("durationMs") >= 0
        assert attempt.pop("at") <= done_at
        named = {"id": str(store), "name": failed["writeBack"]["store"]["name"]}
        assert ask(shop).json | {"items": [pending, failed]} == {
            "items": [
                {
                    "profileId": str(person.id),
                    "changeId": second["id"],
                    "channel": "sms",
                    "state": "unsubscribed",
                    "writeBack": {
                        "store": named,
                        "status": "pending",
                        "skipReason": None,
                        "error": None,
                        "doneAt": None,
                    },
                    "attempts": [],
                    "nextAttemptAt": None,
                },
                {
                    "profileId": str(person.id),
                    "changeId": first["id"],
                    "channel": "email",
                    "state": "subscribed",
                    "writeBack": {
                        "store": named,
                        "status": "failed",
                        "skipReason": None,
                        "error": "The store answered with status 400.",
                    },
                    "attempts": [{"status": 400, "error": "The store answered with status 400."}],
                    "nextAttemptAt": None,
                },
            ],
            "total": 2,
            "page": 1,
            "pageSize": 25,
        }

    def test_change_without_stores_leaves_no_row(self, shop: Shop) -> None:
        shop.change(shop.person(), "subscribed")
        assert ask(shop).json["items"] == []
        assert shop.world.rows(index_partition(shop.workspace)) == []

    def test_change_has_one_unchanged_index_row(self, shop: Shop, listener: Receiver) -> None:
        person = shop.person(shop.store(), shop.store())
        change = shop.change(person, "subscribed")
        [row] = shop.world.rows(index_partition(shop.workspace))
        shop.world.deliver()
        [after] = shop.world.rows(index_partition(shop.workspace))
        assert isinstance(row, IndexedChangeItem)
        assert after.attribute_values == row.attribute_values
        assert [each["changeId"] for each in items(shop)] == [change["id"]] * 2

    def test_another_workspace_sees_nothing(self, shop: Shop) -> None:
        shop.change(shop.person(shop.store()), "subscribed")
        assert items(open_shop(shop.world)) == []

    def test_write_back_of_merged_profile_names_survivor(self, shop: Shop) -> None:
        store = shop.store()
        merged = shop.person(store)
        change = shop.change(merged, "subscribed")
        survivor = shop.person(email="somebody.else@example.com", phone=None)
        path, body = f"/profiles/{survivor.id}/merge", {"profileId": str(merged.id)}
        answer = shop.owner.call("POST", path, body)
        assert answer.status == 200, answer.body
        shop.world.deliver()
        [listed] = items(shop)
        assert (listed["profileId"], listed["changeId"]) == (str(survivor.id), change["id"])

    def test_from_after_to_is_refused(self, shop: Shop) -> None:
        later, earlier = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"
        answer = ask(shop, recordedFrom=later, recordedTo=earlier)
        assert answer.error_paths() == ["query.recordedTo"]

    @pytest.mark.parametrize("status", [{}, {"status": "failed"}])
    @pytest.mark.parametrize(
        ("since", "until", "count"),
        [
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", 0),
            ("0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", 0),
            ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 1),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", 0),
        ],
    )
    def test_extreme_times_are_accepted(
        self,
        shop: Shop,
        listener: Receiver,
        status: dict[str, str],
        since: str,
        until: str,
        count: int,
    ) -> None:
        listener.answers = [400]
        store = shop.store()
        shop.change(shop.person(store), "unsubscribed")
        shop.world.deliver()
        answer = ask(shop, recordedFrom=since, recordedTo=until, **status)
        assert (answer.status, answer.json["total"]) == (200, count)
        body = {"storeId": str(store), "recordedFrom": since, "recordedTo": until}
        sent = shop.owner.call("POST", "/write-backs/retry", body)
        assert (sent.status, sent.json) == (202, {"queued": count})

    @pytest.mark.parametrize(
        ("query", "advised"),
        [
            ({}, "recordedFrom"),
            ({"status": "failed"}, "recordedFrom"),
            ({"recordedFrom": "2020-01-01T00:00:00Z"}, "recordedTo"),
        ],
    )
    def test_too_broad_filter_is_refused(
        self,
        shop: Shop,
        listener: Receiver,
        monkeypatch: pytest.MonkeyPatch,
        query: dict[str, str],
        advised: str,
    ) -> None:
        person = shop.person(shop.store())
        for state in ("subscribed", "unsubscribed"):
            shop.change(person, state)
            listener.answers = [400]
            shop.world.deliver()
        monkeypatch.setattr(write_back_list, "MAX_ROWS", 2)
        assert ask(shop, **query).json["total"] == 2
        monkeypatch.setattr(write_back_list, "MAX_ROWS", 1)
        answer = ask(shop, **query)
        assert answer.problem() == (422, "filter_too_broad")
        assert [each["path"] for each in answer.json["errors"]] == [f"query.{advised}"]

    def test_erased_persons_write_backs_are_removed(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        person = shop.person(store)
        shop.change(person, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        assert len(items(shop, status="failed")) == 1
        assert shop.owner.call("DELETE", f"/profiles/{person.id}").status == 204
        shop.world.deliver()
        assert (items(shop), items(shop, status="failed")) == ([], [])
        assert shop.world.rows(index_partition(shop.workspace)) == []


class TestAgainstHistories:
    """Each filter gives the write-backs of the profiles' histories, in order, with exact totals."""

    @settings(
        max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(data=st.data())
    def test_random_filters_match_histories(
        self,
        world: World,
        listener: Receiver,
        monkeypatch: pytest.MonkeyPatch,
        data: st.DataObject,
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        shop = open_shop(world)
        stores = [shop.store(), shop.store(listens=False)]
        people = [
            shop.person(*stores[:number], email=f"{uuid4().hex}@example.com", phone=phone)
            for number, phone in ((1, "+436601234567"), (2, None))
        ]
        for _ in range(data.draw(st.integers(1, 5))):
            self.something(shop, listener, people, data)
        histories = expected(shop, people)
        for _ in range(4):
            query, passes = self.filters(stores, histories, data)
            found = items(shop, **query)
            for each in found:
                attempts = each.pop("attempts")
                assert each.pop("nextAttemptAt") is None
                status = each["writeBack"]["status"]
                assert [attempt["status"] for attempt in attempts][-1:] == LAST_ATTEMPT[status]
            assert found == [row for change, row in histories if passes(change, row)]

    def something(
        self, shop: Shop, listener: Receiver, people: list[Profile], data: st.DataObject
    ) -> None:
        """A person's consent changes, and the stores answer so, or not yet."""
        person = data.draw(st.sampled_from(people))
        channel = data.draw(st.sampled_from(["email", "sms"])) if person.phone else "email"
        shop.change(
            person, data.draw(st.sampled_from(["subscribed", "unsubscribed"])), channel=channel
        )
        listener.answers = data.draw(st.lists(st.sampled_from([204, 400]), max_size=2))
        if data.draw(st.booleans()):
            shop.world.deliver()
        listener.answers = []

    def filters(
        self,
        stores: list[UUID],
        histories: list[tuple[dict[str, Any], dict[str, Any]]],
        data: st.DataObject,
    ) -> tuple[dict[str, str], Callable[[dict[str, Any], dict[str, Any]], bool]]:
        """Some filters, and whether they match a write-back."""
        some = st.lists(st.sampled_from(STATUSES), min_size=1, unique=True)
        statuses = data.draw(st.none() | st.just(["failed"]) | some)
        store = data.draw(st.none() | st.sampled_from(stores))
        channel = data.draw(st.none() | st.sampled_from(["email", "sms"]))
        moments = st.none() | st.sampled_from([change["recordedAt"] for change, _ in histories])
        since, until = sorted(data.draw(st.tuples(moments, moments)), key=lambda each: each or "")
        query = {
            "status": ",".join(statuses) if statuses else None,
            "storeId": str(store) if store else None,
            "channel": channel,
            "recordedFrom": since,
            "recordedTo": until,
        }

        def passes(change: dict[str, Any], row: dict[str, Any]) -> bool:
            write_back, at = row["writeBack"], change["recordedAt"]
            return (
                (statuses is None or write_back["status"] in statuses)
                and (store is None or write_back["store"]["id"] == str(store))
                and (channel is None or row["channel"] == channel)
                and (since is None or at >= since)
                and (until is None or at < until)
            )

        return {name: value for name, value in query.items() if value}, passes


class TestRetry:
    """POST /write-backs/retry: refused write-backs that still hold are sent again."""

    def retry(self, shop: Shop, store: UUID, **body: object) -> Answer:
        return shop.owner.call("POST", "/write-backs/retry", {"storeId": str(store), **body})

    def failing(self, shop: Shop, listener: Receiver, store: UUID, count: int) -> list[str]:
        """Unsubscriptions of so many people that the store refused: the changes."""
        made = list[str]()
        for _ in range(count):
            email = f"{uuid4().hex}@example.com"
            body = {
                "email": email,
                "externalCreatedAt": "2025-01-01T00:00:00Z",
                "externalUpdatedAt": "2025-01-01T00:00:00Z",
            }
            put = shop.owner.call("PUT", f"/stores/{store}/customers/{email[:8]}", body)
            person = shop.profile(UUID(self.profile_id(shop, email)))
            assert put.status == 201
            listener.answers = [400]
            made.append(shop.change(person, "unsubscribed")["id"])
            shop.world.deliver()
        return made

    def profile_id(self, shop: Shop, email: str) -> str:
        found = shop.owner.call("GET", "/profiles", query={"email": email})
        return str(found.json["items"][0]["id"])

    def test_all_failed_write_backs_are_queued(self, shop: Shop, listener: Receiver) -> None:
        store, other = shop.store(), shop.store()
        made = self.failing(shop, listener, store, 3)
        self.failing(shop, listener, other, 1)
        listener.received.clear()
        answer = self.retry(shop, store)
        assert (answer.status, answer.json) == (202, {"queued": 3})
        shop.world.deliver()
        change_ids = [each.json["data"]["changeId"] for each in listener.received]
        assert sorted(change_ids) == sorted(made)
        assert items(shop, status="failed", storeId=store) == []
        assert len(items(shop, status="failed")) == 1
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []
        again = self.retry(shop, store)
        assert (again.status, again.json) == (202, {"queued": 0})
        assert shop.queued() == []

    def test_time_range_limits_retry(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        moments, made = list[str](), list[str]()
        for _ in range(3):
            moments.append(clock.to_text(clock.now()))
            made += self.failing(shop, listener, store, 1)
            shop.world.advance(seconds=1)
        listener.received.clear()
        # A success would send all of them again.
        listener.answers = [400]
        answer = self.retry(shop, store, recordedFrom=moments[1], recordedTo=moments[2])
        assert answer.json == {"queued": 1}
        shop.world.deliver()
        assert [each.json["data"]["changeId"] for each in listener.received] == [made[1]]
        assert len(items(shop, status="failed")) == 3

    def test_write_backs_exceeding_one_transaction(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resending, "MAX_CHANGES", 2)
        store = shop.store()
        self.failing(shop, listener, store, 4)
        listener.received.clear()
        assert self.retry(shop, store).json == {"queued": 4}
        shop.world.deliver()
        assert len({each.headers["webhook-id"] for each in listener.received}) == 4

    def test_superseded_change_is_not_retried(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        person = shop.person(store)
        shop.change(person, "unsubscribed")
        listener.answers = [400]
        shop.world.deliver()
        shop.change(person, "subscribed")
        shop.world.deliver()
        listener.received.clear()
        assert self.retry(shop, store).json == {"queued": 0}
        shop.world.deliver()
        assert listener.received == []
        assert [each["state"] for each in items(shop, status="failed")] == ["unsubscribed"]

    def test_write_backs_missed_by_disconnected_store_are_not_retried(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        person = shop.person(store)
        shop.change(person, "unsubscribed")
        assert shop.owner.call("POST", f"/stores/{store}/disconnect").status == 200
        shop.world.deliver()
        assert self.retry(shop, store).json == {"queued": 0}

    def test_from_after_to_is_refused(self, shop: Shop) -> None:
        earlier, later = (clock.to_text(clock.now() + timedelta(days=n)) for n in (0, 1))
        answer = self.retry(shop, shop.store(), recordedFrom=later, recordedTo=earlier)
        assert answer.error_paths() == ["/recordedTo"]

    def test_too_broad_filter_is_refused(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = shop.store()
        self.failing(shop, listener, store, 2)
        monkeypatch.setattr(retrying, "MAX_ROWS", 1)
        answer = self.retry(shop, store)
        assert answer.problem() == (422, "filter_too_broad")
        assert [each["path"] for each in answer.json["errors"]] == ["/recordedFrom"]
