"""Imports whose function dies at any of its calls to AWS, and concurrent runs of one key."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from storepost.people.consent_changes import importing
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.call_interruption import Killed, Side, another_container, around_calls, killed_at
from tests.harness.crash_points import KEY, LEASE_SECONDS, crashes, until_answered
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY, Answer, World
from tests.people.consent.imports import (
    ANN,
    BEN,
    CAT,
    counts,
    history_of,
    profile_of,
    put_customer,
    row,
    send,
    total,
)
from tests.people.consent.listening_store import HOOK, PHONE, Shop, open_shop

ROWS: list[Any] = [
    row(ANN, "unsubscribed", 5),
    row(BEN),
    row("nobody"),
    row(ANN, "subscribed", 3),
    row(PHONE, "unsubscribed"),
    row(CAT),
]
"""Ann and Cat are known, and Cat is subscribed; of Ann's two words the second is older."""

RECORDED = {
    ANN: ["unsubscribed"],
    BEN: ["subscribed"],
    PHONE: ["unsubscribed"],
    CAT: ["subscribed"],
}


@pytest.fixture(autouse=True)
def _several_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people at most in one; stores may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    monkeypatch.setattr(importing, "ROOM", 8)


def ready(world: World) -> Shop:
    """A workspace with Ann, whom a store knows, and Cat, who is subscribed."""
    shop = open_shop(world)
    put_customer(shop, shop.store(), email=ANN)
    assert counts(shop, row(CAT)) == (1, 0, 0)
    clear_key_cache()  # a function that has just started has none
    return shop


def check(shop: Shop, listener: Receiver, *, older: list[int]) -> None:
    """Checks one effect of each row; `older` has the allowed counts of the superseded change."""
    shop.world.deliver()
    assert total(shop) == 4
    for address, states in RECORDED.items():
        profile = profile_of(shop, address)
        channel = "sms" if address == PHONE else "email"
        assert profile[f"{channel}MarketingConsent"] == states[-1]
        history = history_of(shop, profile)
        superseded = [c for c in history if address == ANN and c["state"] == "subscribed"]
        assert [c["state"] for c in history if c not in superseded] == states
        assert len(superseded) in (older if address == ANN else [0])
    [message] = listener.received
    assert (message.state, message.json["data"]["address"]) == ("unsubscribed", ANN)
    listener.received.clear()
    assert shop.world.rows(PARTITION) == []
    lists = ProfileLists(shop.workspace)
    for tree in (lists.by_first_seen, lists.by_name, lists.by_email):
        assert faults(tree) == []


def as_if_once(answer: Answer) -> None:
    """The answer of a run that is not killed."""
    [failed] = answer.json["failed"]
    assert failed["index"] == 2
    expected = {"recorded": 3, "unchanged": 1, "older": 1, "failed": [failed]}
    assert (answer.status, answer.json) == (200, expected)


class TestWithIdempotencyKey:
    """The retry continues where the run ended."""

    def test_killed_at_any_call(self, world: World, listener: Receiver) -> None:
        shop = ready(world)
        import_them = partial(send, shop, ROWS, key=KEY)
        found = crashes(world, import_them)
        assert len(found.positions) > 30
        for _ in found:
            answer = until_answered(world, import_them)
            as_if_once(answer)
            replay = import_them()
            assert (replay.body, replay.header("idempotency-replayed")) == (answer.body, "true")
            check(shop, listener, older=[1])

    def test_killed_after_each_transaction(self, world: World, listener: Receiver) -> None:
        """A run dies after each of its transactions; no run repeats what another has done."""
        shop = ready(world)
        import_them = partial(send, shop, ROWS, key=KEY)
        done = list[int]()
        for _ in range(4):
            assert killed_after_a_transaction(import_them)
            world.advance(seconds=LEASE_SECONDS)
            done.append(total(shop))
        assert done == [2, 3, 4, 4]
        assert not killed_after_a_transaction(import_them)  # it replays
        as_if_once(import_them())
        check(shop, listener, older=[1])

    @pytest.mark.parametrize("number", [0, 1, 2, 3])
    def test_concurrent_run_before_any_transaction(
        self, world: World, listener: Receiver, number: int
    ) -> None:
        """The first run's lease ended while it was paused; both runs answer the same."""
        shop = ready(world)
        import_them = partial(send, shop, ROWS, key=KEY)
        begin_anew = world.checkpoint()
        place = transactions_of(import_them)[number]
        begin_anew()
        clear_key_cache()
        second: list[Answer] = []

        def overtake(at: int, _operation: str, moment: Side) -> None:
            if (at, moment) == (place, Side.BEFORE) and not second:
                world.advance(seconds=LEASE_SECONDS)
                with another_container():
                    second.append(import_them())

        with around_calls(overtake):
            first = import_them()
        as_if_once(second[0])
        assert (first.status, first.body) == (200, second[0].body)
        check(shop, listener, older=[1])

    def test_write_between_runs_is_not_undone(self, world: World, listener: Receiver) -> None:
        """The retry neither undoes nor repeats the write in between."""
        shop = ready(world)
        import_them = partial(send, shop, ROWS, key=KEY)
        begin_anew = world.checkpoint()
        last = transactions_of(import_them)[-1]
        begin_anew()
        clear_key_cache()
        assert killed_at(last, Side.BEFORE, import_them)
        world.advance(seconds=LEASE_SECONDS)
        assert counts(shop, row(ANN, "subscribed", 9, proof={"reference": "form"})) == (1, 0, 0)
        as_if_once(import_them())
        profile = profile_of(shop, ANN)
        assert profile["emailMarketingConsent"] == "subscribed"
        assert len(history_of(shop, profile)) == 3

    def test_future_times_count_as_time_of_first_run(self, world: World) -> None:
        """So a retry decides as the first run would have."""
        shop = ready(world)
        rows = [
            {**row(BEN, "unsubscribed"), "occurredAt": "2999-01-01T00:00:00Z"},
            {**row(PHONE, "unsubscribed"), "occurredAt": "2999-01-01T00:00:00Z"},
        ]
        import_them = partial(send, shop, rows, key=KEY)
        begin_anew = world.checkpoint()
        first, *_ = transactions_of(import_them)
        begin_anew()
        assert killed_at(first, Side.AFTER, import_them)
        world.advance(seconds=LEASE_SECONDS)
        assert import_them().json["recorded"] == 2
        moments = {
            change["occurredAt"]
            for address in (BEN, PHONE)
            for change in history_of(shop, profile_of(shop, address))
        }
        assert len(moments) == 1

    def test_other_body_after_released_key_starts_over(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A 500 releases the key; what it recorded of one body says nothing of another body."""
        shop = ready(world)

        def fail(*_: object) -> None:
            raise ValueError

        with monkeypatch.context() as patched:
            patched.setattr(importing, "Counter", fail)  # once everything is recorded
            assert send(shop, [row(BEN), row(PHONE)], key=KEY).problem() == (500, "internal")
        assert total(shop) == 4
        answer = send(shop, [row(f"dan.{CANARY}@example.com"), row(BEN)], key=KEY)
        assert answer.json == {"recorded": 1, "unchanged": 1, "older": 0, "failed": []}
        assert total(shop) == 5


class TestWithoutIdempotencyKey:
    """A caller who sends it again finds the rows that were recorded already."""

    def test_killed_at_any_call(self, world: World, listener: Receiver) -> None:
        shop = ready(world)
        import_them = partial(send, shop, ROWS)
        for _ in crashes(world, import_them):
            answer = import_them()
            assert answer.status == 200
            counts_by_outcome = {
                name: answer.json[name] for name in ("recorded", "unchanged", "older")
            }
            assert sum(counts_by_outcome.values()) == 5
            check(shop, listener, older=[1, 2])


def transactions_of(work: Callable[[], object]) -> list[int]:
    """Which of the work's calls are its transactions: their numbers from 1."""
    with around_calls(lambda _number, _operation, _moment: None) as calls:
        work()
    return [n for n, call in enumerate(calls.made, start=1) if call == "TransactWriteItems"]


def killed_after_a_transaction(work: Callable[[], object]) -> bool:
    """Kills the work after its first transaction is written; whether it got that far."""

    def kill(_number: int, operation: str, moment: Side) -> None:
        if (operation, moment) == ("TransactWriteItems", Side.AFTER):
            raise Killed()

    try:
        with around_calls(kill):
            work()
    except Killed:
        return True
    return False
