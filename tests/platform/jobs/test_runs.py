"""A worker's run: how it stops in time, and what happens to work that fails."""

from uuid import UUID

import pytest

from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.platform.jobs.runs import OutOfTime, Run, run_once
from storepost.platform.messaging.outbox import PARTITION, OutboxItem
from storepost.platform.messaging.tries import RECEIVES, TRIES, NeverEnded
from storepost.platform.persistence.changes import LostRace, until_won
from storepost.values.problems import Conflict
from tests.harness.world import World

MESSAGE = ProfileMergeMessage(UUID(int=1), UUID(int=2))
MARGIN = MESSAGE.margin_milliseconds


def a_run(tries: int = 1, milliseconds: int = MARGIN) -> Run[ProfileMergeMessage]:
    return Run(MESSAGE, tries, lambda: milliseconds)


def sent(world: World) -> list[str]:
    """The bodies of the messages in the outbox."""
    rows = [row for row in world.rows(PARTITION) if isinstance(row, OutboxItem)]
    return [message.body for row in rows for message in row.messages]


@pytest.mark.parametrize(("milliseconds", "is_over"), [(MARGIN - 1, True), (MARGIN, False)])
def test_run_is_over_below_the_margin_of_the_message(milliseconds: int, is_over: bool) -> None:
    assert a_run(milliseconds=milliseconds).is_over() is is_over


@pytest.mark.parametrize("steps", [[], [0], [2, 0, 3]])
def test_each_step_repeats_until_done_in_order(world: World, steps: list[int]) -> None:
    remaining, order = list(steps), list[int]()

    def step(number: int) -> bool:
        order.append(number)
        remaining[number] -= 1
        return remaining[number] >= 0

    a_run().do(*(lambda number=number: step(number) for number in range(len(steps))))
    assert order == [number for number, times in enumerate(steps) for _ in range(times + 1)]
    assert sent(world) == []


def test_out_of_time_after_a_step_queues_the_next_message(world: World) -> None:
    done: list[str] = []

    def step() -> bool:
        done.append("once")
        return True

    run_once(lambda run: run.do(step, lambda: pytest.fail("no time")), a_run(milliseconds=0))
    assert done == ["once"]
    assert [ProfileMergeMessage.of(body) for body in sent(world)] == [MESSAGE]


def fails() -> None:
    raise RuntimeError("of no use")


@pytest.mark.parametrize("tries", range(1, RECEIVES + 1))
def test_failing_work_is_abandoned_at_the_last_try(tries: int) -> None:
    abandoned: list[type[Exception]] = []

    def give_up(error: Exception) -> bool:
        abandoned.append(type(error))
        return True

    run = a_run(tries)
    if tries < TRIES:
        with pytest.raises(RuntimeError):
            run.attempt(fails, give_up)
    else:
        run.attempt(fails, give_up)
    # Work that was killed at each try isn't tried once more.
    expected = NeverEnded if tries > TRIES else RuntimeError
    assert abandoned == ([] if tries < TRIES else [expected])


def test_error_is_raised_if_the_work_cannot_be_abandoned() -> None:
    with pytest.raises(RuntimeError):
        a_run(TRIES).attempt(fails, lambda _error: False)


def test_out_of_time_is_no_failure_and_queues_a_message(world: World) -> None:
    run = a_run(TRIES, 0)
    with pytest.raises(OutOfTime):
        run.attempt(run.check_time, lambda _error: pytest.fail("it hasn't failed"))
    assert len(sent(world)) == 1


@pytest.mark.parametrize("lost", [0, 1, 11])
def test_lost_race_reloads_and_retries(monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    monkeypatch.setattr("storepost.platform.persistence.changes.wait", lambda *_: None)
    calls: list[str] = []

    def work() -> int:
        calls.append("work")
        if calls.count("work") <= lost:
            raise LostRace
        return 7

    assert until_won(work, lambda: calls.append("reload")) == 7
    assert calls == ["work", "reload"] * lost + ["work"]


def test_race_lost_each_time_raises_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storepost.platform.persistence.changes.wait", lambda *_: None)

    def work() -> None:
        raise LostRace

    with pytest.raises(Conflict):
        until_won(work)
