"""Functions that die at any of their calls to AWS, and concurrent runs."""

from functools import partial
from typing import Any

import pytest

from storepost.people.events import bulk, moving
from storepost.platform.persistence import changes
from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.call_interruption import (
    Side,
    another_container,
    around_calls,
    before_the_commit,
    counted,
    killed_at,
)
from tests.harness.crash_points import KEY, LEASE_SECONDS, crashes, until_answered
from tests.harness.world import Answer, World
from tests.people.events.event_requests import (
    bulk_outcome,
    check_counts,
    event,
    events_of,
    names_of,
    post_event,
    post_events,
)
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario


class TestCreate:
    """POST /events."""

    @pytest.mark.parametrize("unique", [None, "u"])
    @pytest.mark.parametrize("known", [True, False])
    def test_killed_at_any_call(
        self, scenario: Scenario, *, known: bool, unique: str | None
    ) -> None:
        if known:
            scenario.upsert(email=ANN)
        more: dict[str, Any] = {"uniqueId": unique} if unique else {}
        body = event({"email": ANN}, **more)
        send = partial(post_event, scenario, body, key=KEY)
        found = crashes(scenario.world, send)
        assert len(found.positions) > 8
        for _ in found:
            assert until_answered(scenario.world, send).status == 201
            assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["viewed"]
            check_counts(scenario)

    def test_killed_at_any_call_with_unique_id_and_no_idempotency_key(
        self, scenario: Scenario
    ) -> None:
        send = partial(post_event, scenario, event({"email": ANN}, uniqueId="u"))
        for _ in crashes(scenario.world, send):
            assert send().status in {200, 201}
            assert names_of(scenario, scenario.find_profile(email=ANN)["id"]) == ["viewed"]
            check_counts(scenario)


@pytest.mark.parametrize("moment", Side)
def test_killed_at_second_transaction_of_one_profile(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch, moment: Side
) -> None:
    """Killed at the second part of an event list that was too large for a transaction."""
    scenario.customer(scenario.store(), "7", 100, email=ANN)
    monkeypatch.setattr(changes, "MAX_ITEMS", bulk.MAX_OF_ONE + 4)
    rows = [event({"email": ANN}, f"{n:03}", at=90 - n / 10) for n in range(80)]
    send = partial(post_events, scenario, *rows, key=KEY)
    begin_anew = scenario.world.checkpoint()
    calls = counted(send)
    number = [n for n, call in enumerate(calls, 1) if call == "TransactWriteItems"][1]
    begin_anew()
    assert killed_at(number, moment, send)
    answer = until_answered(scenario.world, send)
    assert (answer.status, answer.json["accepted"]) == (200, 80)
    profile = scenario.find_profile(email=ANN)
    assert names_of(scenario, profile["id"]) == [f"{n:03}" for n in range(80)]
    assert profile["firstSeenAt"] == rows[-1]["occurredAt"]
    check_counts(scenario)


ROWS: list[Any] = [
    event({"email": ANN}, "a", 1, uniqueId="u"),
    event({"email": BOB}, "b", 2),
    7,
    event({"email": ANN}, "a", 3, uniqueId="u"),
    event({"email": ANN}, "c", 4),
    event({"phone": PHONE}, "d", 5),
    event({"email": ANN}, "e", 6),
]
"""Ann is known."""

EVENTS = {"email": {ANN: ["e", "c", "a"], BOB: ["b"]}, "phone": {PHONE: ["d"]}}


class TestCreateMany:
    """POST /events/bulk."""

    @pytest.fixture(autouse=True)
    def _several_transactions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A person or two in one."""
        monkeypatch.setattr(bulk, "ROOM", 8)
        monkeypatch.setattr(bulk, "MAX_OF_ONE", 3)

    @pytest.fixture
    def scenario(self, world: World) -> Scenario:
        """A workspace where Ann is known."""
        scenario = Scenario(world)
        scenario.upsert(email=ANN)
        return scenario

    def check(self, scenario: Scenario, answer: Answer) -> None:
        """The result equals one run's."""
        [failed] = answer.json["failed"]
        assert failed["index"] == 2
        expected = {"accepted": 5, "duplicates": 1, "failed": [failed]}
        assert (answer.status, answer.json) == (200, expected)
        for kind, people in EVENTS.items():
            for value, names in people.items():
                assert names_of(scenario, scenario.find_profile(**{kind: value})["id"]) == names
        assert scenario.get("/profiles")["total"] == 3
        check_counts(scenario)
        scenario.check_lists()

    def test_killed_at_any_call(self, scenario: Scenario) -> None:
        send = partial(post_events, scenario, *ROWS, key=KEY)
        found = crashes(scenario.world, send)
        assert len(found.positions) > 30
        for _ in found:
            answer = until_answered(scenario.world, send)
            self.check(scenario, answer)
            assert send().body == answer.body

    def test_concurrent_run_before_any_transaction(self, scenario: Scenario) -> None:
        """The first run's lease ended while it was paused; both runs answer the same."""
        send = partial(post_events, scenario, *ROWS, key=KEY)
        begin_anew = scenario.world.checkpoint()
        calls = counted(send)
        call_numbers = [n for n, call in enumerate(calls, start=1) if call == "TransactWriteItems"]
        assert len(call_numbers) > 3
        for call_number in call_numbers:
            begin_anew()
            clear_key_cache()
            second: list[Answer] = []

            def overtake(
                at: int,
                _op: str,
                moment: Side,
                call_number: int = call_number,
                second: Any = second,
            ) -> None:
                if (at, moment) == (call_number, Side.BEFORE) and not second:
                    scenario.world.advance(seconds=LEASE_SECONDS)
                    with another_container():
                        second.append(send())

            with around_calls(overtake):
                first = send()
            self.check(scenario, second[0])
            assert (first.status, first.body) == (200, second[0].body)

    def test_undated_events_have_time_of_first_run(self, scenario: Scenario) -> None:
        rows = [{**row, "name": f"n{n}"} for n, row in enumerate(ROWS) if isinstance(row, dict)]
        for row in rows:
            del row["occurredAt"]
        send = partial(post_events, scenario, *rows, key=KEY)
        begin_anew = scenario.world.checkpoint()
        last = len(counted(send))
        begin_anew()
        clear_key_cache()
        assert killed_at(last, Side.BEFORE, send)
        scenario.world.advance(seconds=LEASE_SECONDS)
        assert send().json["accepted"] == 6
        people = [row["id"] for row in scenario.get("/profiles")["items"]]
        moments = {each["occurredAt"] for person in people for each in events_of(scenario, person)}
        assert len(moments) == 1


class TestMergeWorker:
    """The rows that a merge leaves to the worker."""

    @pytest.fixture(autouse=True)
    def _a_few_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(moving, "MAX_EVENTS", 2)

    def ready(self, scenario: Scenario) -> tuple[str, str]:
        """Ann, into whom Bob with his events was merged, and Cat into him; no worker has run."""
        for email, names in ((ANN, "ab"), (BOB, "bcd"), (CAT, "be")):
            rows = [event({"email": email}, n, ord(n), uniqueId=n) for n in names]
            rows += [event({"email": email}, f"{n}{n}", ord(n)) for n in names]
            assert bulk_outcome(scenario, *rows) == (2 * len(names), 0, [])
        ann, bob, cat = (scenario.find_profile(email=each)["id"] for each in (ANN, BOB, CAT))
        assert scenario.merge(cat, bob).status == scenario.merge(ann, cat).status == 200
        return ann, bob

    def check(self, scenario: Scenario, profile: str) -> None:
        """Every event exists once."""
        expected = ["e", "ee", "d", "dd", "c", "cc", *["b", "bb"] * 3, "a", "aa"]
        assert sorted(names_of(scenario, profile)) == sorted(expected)
        responses = [
            post_event(scenario, event({"email": ANN}, name, 0, uniqueId=name)) for name in "abcde"
        ]
        assert [answer.status for answer in responses] == [200] * 5

    def test_killed_at_any_call(self, scenario: Scenario) -> None:
        ann, _ = self.ready(scenario)
        run = partial(scenario.run_merge, ann)
        found = crashes(scenario.world, run, deliver=False)
        assert len(found.positions) > 60
        for _ in found:
            self.check(scenario, ann)
            run()
            self.check(scenario, ann)
            check_counts(scenario)
            scenario.check_rows()

    def test_duplicate_sent_while_events_move(self, scenario: Scenario) -> None:
        """A unique id that is being moved is still recognised."""
        ann, bob = self.ready(scenario)
        scenario.world.lose_stream()
        begin_anew = scenario.world.checkpoint()
        body = event({"id": bob}, "c", 0, uniqueId="c")
        for which in range(1, 4):
            begin_anew()
            answers: list[Answer] = []
            post = partial(lambda to: to.append(post_event(scenario, body)), answers)
            with before_the_commit(post, which):
                scenario.run_merge(ann)
            [answer] = answers
            assert (answer.status, answer.json["name"]) == (200, "c")
            scenario.run_merge(ann)
            self.check(scenario, ann)
            check_counts(scenario)

    def test_events_moved_while_new_event_is_created(self, scenario: Scenario) -> None:
        ann, bob = self.ready(scenario)
        body = event({"id": bob}, "new", 0, uniqueId="new")
        with before_the_commit(partial(scenario.run_merge, ann)):
            assert post_event(scenario, body).status == 201
        assert post_event(scenario, body).status == 200
        check_counts(scenario)

    def test_duplicate_moved_between_calls_of_request(self, scenario: Scenario) -> None:
        """The worker moves rows between any two of the request's calls."""
        ann, bob = self.ready(scenario)
        scenario.world.lose_stream()
        begin_anew = scenario.world.checkpoint()
        send = partial(post_event, scenario, event({"id": bob}, "c", 0, uniqueId="c"))
        calls = counted(send)
        for place in range(1, len(calls) + 1):
            begin_anew()
            ran: list[int] = []

            def move(at: int, _op: str, moment: Side, place: int = place, ran: Any = ran) -> None:
                if (at, moment) == (place, Side.BEFORE) and not ran:
                    ran.append(at)
                    with another_container():
                        scenario.run_merge(ann)

            with around_calls(move):
                answer = send()
            assert (answer.status, answer.json["name"]) == (200, "c")
            check_counts(scenario)

    def test_list_while_events_move_has_each_once(self, scenario: Scenario) -> None:
        """Between any two of the reader's calls: no event is missed or listed twice."""
        ann, bob = self.ready(scenario)
        scenario.world.lose_stream()
        begin_anew = scenario.world.checkpoint()
        every = names_of(scenario, bob)
        for query in ({}, {"source": "manual"}):
            read = partial(names_of, scenario, bob, **query)
            for place in range(1, len(counted(read)) + 1):
                begin_anew()
                ran: list[int] = []

                def move(
                    at: int,
                    _op: str,
                    moment: Side,
                    place: int = place,
                    ran: Any = ran,
                ) -> None:
                    if (at, moment) == (place, Side.BEFORE) and not ran:
                        ran.append(at)
                        with another_container():
                            scenario.run_merge(ann)

                with around_calls(move):
                    assert read() == every
