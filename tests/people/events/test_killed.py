"""Functions that die at any of their calls to AWS, and runs side by side."""

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
from tests.people.events.telling import (
    check_counts,
    event,
    events_of,
    names_of,
    tell,
    tell_many,
    told,
)
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Town


class TestOne:
    """POST /events."""

    @pytest.mark.parametrize("unique", [None, "u"])
    @pytest.mark.parametrize("known", [True, False])
    def test_killed_anywhere(self, town: Town, *, known: bool, unique: str | None) -> None:
        if known:
            town.upsert(email=ANN)
        more: dict[str, Any] = {"uniqueId": unique} if unique else {}
        body = event({"email": ANN}, **more)
        send = partial(tell, town, body, key=KEY)
        found = crashes(town.world, send)
        assert len(found.places) > 8
        for _ in found:
            answer = until_answered(town.world, send)
            assert answer.status == 201
            assert names_of(town, town.whose(email=ANN)["id"]) == ["viewed"]
            check_counts(town)

    def test_killed_anywhere_with_a_unique_id_alone(self, town: Town) -> None:
        send = partial(tell, town, event({"email": ANN}, uniqueId="u"))
        for _ in crashes(town.world, send):
            assert send().status in {200, 201}
            assert names_of(town, town.whose(email=ANN)["id"]) == ["viewed"]
            check_counts(town)


@pytest.mark.parametrize("moment", Side)
def test_a_persons_events_that_were_divided(
    town: Town, monkeypatch: pytest.MonkeyPatch, moment: Side
) -> None:
    """Killed at the second part of what was too much for a transaction."""
    town.customer(town.store(), "7", 100, email=ANN)
    monkeypatch.setattr(changes, "MAX_ITEMS", bulk.MAX_OF_ONE + 4)
    rows = [event({"email": ANN}, f"{n:03}", at=90 - n / 10) for n in range(80)]
    send = partial(tell_many, town, *rows, key=KEY)
    begin_anew = town.world.checkpoint()
    calls = counted(send)
    number = [n for n, call in enumerate(calls, 1) if call == "TransactWriteItems"][1]
    begin_anew()
    assert killed_at(number, moment, send)
    answer = until_answered(town.world, send)
    assert (answer.status, answer.json["accepted"]) == (200, 80)
    profile = town.whose(email=ANN)
    assert names_of(town, profile["id"]) == [f"{n:03}" for n in range(80)]
    assert profile["firstSeenAt"] == rows[-1]["occurredAt"]
    check_counts(town)


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


class TestMany:
    """POST /events/bulk."""

    @pytest.fixture(autouse=True)
    def _several_transactions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A person or two in one."""
        monkeypatch.setattr(bulk, "ROOM", 8)
        monkeypatch.setattr(bulk, "MAX_OF_ONE", 3)

    @pytest.fixture
    def town(self, world: World) -> Town:
        """A workspace where Ann is known."""
        town = Town(world)
        town.upsert(email=ANN)
        return town

    def check(self, town: Town, answer: Answer) -> None:
        """As if it had run once."""
        [failed] = answer.json["failed"]
        assert failed["index"] == 2
        expected = {"accepted": 5, "duplicates": 1, "failed": [failed]}
        assert (answer.status, answer.json) == (200, expected)
        for kind, people in EVENTS.items():
            for value, names in people.items():
                assert names_of(town, town.whose(**{kind: value})["id"]) == names
        assert town.get("/profiles")["total"] == 3
        check_counts(town)
        town.check_lists()

    def test_killed_anywhere(self, town: Town) -> None:
        send = partial(tell_many, town, *ROWS, key=KEY)
        found = crashes(town.world, send)
        assert len(found.places) > 30
        for _ in found:
            answer = until_answered(town.world, send)
            self.check(town, answer)
            assert send().body == answer.body

    def test_another_run_before_any_transaction(self, town: Town) -> None:
        """The first one's lease has ended while it stood still; both answer the same."""
        send = partial(tell_many, town, *ROWS, key=KEY)
        begin_anew = town.world.checkpoint()
        calls = counted(send)
        places = [n for n, call in enumerate(calls, start=1) if call == "TransactWriteItems"]
        assert len(places) > 3
        for place in places:
            begin_anew()
            clear_key_cache()
            second: list[Answer] = []

            def overtake(
                at: int,
                _op: str,
                moment: Side,
                place: int = place,
                second: Any = second,
            ) -> None:
                if (at, moment) == (place, Side.BEFORE) and not second:
                    town.world.advance(seconds=LEASE_SECONDS)
                    with another_container():
                        second.append(send())

            with around_calls(overtake):
                first = send()
            self.check(town, second[0])
            assert (first.status, first.body) == (200, second[0].body)

    def test_moments_that_are_left_out_are_the_first_runs(self, town: Town) -> None:
        rows = [{**row, "name": f"n{n}"} for n, row in enumerate(ROWS) if isinstance(row, dict)]
        for row in rows:
            del row["occurredAt"]
        send = partial(tell_many, town, *rows, key=KEY)
        begin_anew = town.world.checkpoint()
        last = len(counted(send))
        begin_anew()
        clear_key_cache()
        assert killed_at(last, Side.BEFORE, send)
        town.world.advance(seconds=LEASE_SECONDS)
        assert send().json["accepted"] == 6
        people = [row["id"] for row in town.get("/profiles")["items"]]
        moments = {each["occurredAt"] for person in people for each in events_of(town, person)}
        assert len(moments) == 1


class TestMoving:
    """What a merge leaves to the worker."""

    @pytest.fixture(autouse=True)
    def _a_few_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(moving, "MAX_EVENTS", 2)

    def ready(self, town: Town) -> tuple[str, str]:
        """Ann, of whom Bob with his events is a part, and he of Cat; the worker hasn't run."""
        for email, names in ((ANN, "ab"), (BOB, "bcd"), (CAT, "be")):
            rows = [event({"email": email}, n, ord(n), uniqueId=n) for n in names]
            rows += [event({"email": email}, f"{n}{n}", ord(n)) for n in names]
            assert told(town, *rows) == (2 * len(names), 0, [])
        ann, bob, cat = (town.whose(email=each)["id"] for each in (ANN, BOB, CAT))
        assert town.merge(cat, bob).status == town.merge(ann, cat).status == 200
        return ann, bob

    def check(self, town: Town, profile: str) -> None:
        """Everything is there once."""
        expected = ["e", "ee", "d", "dd", "c", "cc", *["b", "bb"] * 3, "a", "aa"]
        assert sorted(names_of(town, profile)) == sorted(expected)
        held = [tell(town, event({"email": ANN}, name, 0, uniqueId=name)) for name in "abcde"]
        assert [answer.status for answer in held] == [200] * 5

    def test_killed_anywhere(self, town: Town) -> None:
        ann, _ = self.ready(town)
        run = partial(town.run_merge, ann)
        found = crashes(town.world, run, deliver=False)
        assert len(found.places) > 60
        for _ in found:
            self.check(town, ann)
            run()
            self.check(town, ann)
            check_counts(town)
            town.check_rows()

    def test_told_while_they_move(self, town: Town) -> None:
        """A unique id that is on its way is known all the same."""
        ann, bob = self.ready(town)
        town.world.lose_stream()
        begin_anew = town.world.checkpoint()
        body = event({"id": bob}, "c", 0, uniqueId="c")
        for which in range(1, 4):
            begin_anew()
            answers: list[Answer] = []
            tell_it = partial(lambda to: to.append(tell(town, body)), answers)
            with before_the_commit(tell_it, which):
                town.run_merge(ann)
            [answer] = answers
            assert (answer.status, answer.json["name"]) == (200, "c")
            town.run_merge(ann)
            self.check(town, ann)
            check_counts(town)

    def test_moved_while_one_is_told(self, town: Town) -> None:
        ann, bob = self.ready(town)
        body = event({"id": bob}, "new", 0, uniqueId="new")
        with before_the_commit(partial(town.run_merge, ann)):
            assert tell(town, body).status == 201
        assert tell(town, body).status == 200
        check_counts(town)

    def test_a_known_one_that_moves_meanwhile(self, town: Town) -> None:
        """Between any two of the request's calls."""
        ann, bob = self.ready(town)
        town.world.lose_stream()
        begin_anew = town.world.checkpoint()
        send = partial(tell, town, event({"id": bob}, "c", 0, uniqueId="c"))
        calls = counted(send)
        for place in range(1, len(calls) + 1):
            begin_anew()
            ran: list[int] = []

            def move(at: int, _op: str, moment: Side, place: int = place, ran: Any = ran) -> None:
                if (at, moment) == (place, Side.BEFORE) and not ran:
                    ran.append(at)
                    with another_container():
                        town.run_merge(ann)

            with around_calls(move):
                answer = send()
            assert (answer.status, answer.json["name"]) == (200, "c")
            check_counts(town)

    def test_listed_while_they_move(self, town: Town) -> None:
        """Between any two of the reader's calls: none is missed, none comes twice."""
        ann, bob = self.ready(town)
        town.world.lose_stream()
        begin_anew = town.world.checkpoint()
        every = names_of(town, bob)
        for query in ({}, {"source": "manual"}):
            read = partial(names_of, town, bob, **query)
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
                            town.run_merge(ann)

                with around_calls(move):
                    assert read() == every
