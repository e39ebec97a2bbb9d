"""Imports of consent that meet throttling, conflicts and lost answers: each row counts once."""

import pytest

from storepost.people.consent_changes import importing
from tests.harness.crash_points import KEY, LEASE_SECONDS
from tests.harness.faults import FakeTime
from tests.harness.receiver import Receiver
from tests.harness.throttling import MANY, Throttling, in_seconds, throttled
from tests.harness.world import Answer, World
from tests.people.consent import test_import_killed as killed
from tests.people.consent.imports import send
from tests.people.consent.listening_store import HOOK

LONG = 29
"""What the function has, by template.yaml."""
TRIES = 30
RETRIED = {(503, "busy"), (409, "idempotency_in_progress")}
"""The second where the row of the key itself meets a transaction."""


@pytest.fixture(autouse=True)
def _several_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    monkeypatch.setattr(importing, "ROOM", 8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seconds", [LONG, 3.4])
def test_each_row_is_recorded_once(
    world: World,
    listener: Receiver,
    fake_time: FakeTime,
    seed: int,
    seconds: float,
) -> None:
    """Three calls in ten are refused; one in ten is carried out and its answer lost.

    No request takes too long. If its time ends before, it answers 503, and a retry with the same
    key continues where it ended.
    """
    shop = killed.ready(world)
    faults = Throttling(fake_time, seed)
    answers = list[Answer]()
    while len(answers) < TRIES:
        began = fake_time.now
        with in_seconds(seconds), throttled(faults):
            answers.append(send(shop, killed.ROWS, key=KEY))
        assert fake_time.now - began < seconds
        if answers[-1].status == 200:
            break
        assert answers[-1].problem() in RETRIED
        world.advance(seconds=LEASE_SECONDS)
    if seconds == LONG:
        assert (503, "busy") not in [each.problem() for each in answers[:-1]]
    assert faults.share > MANY / 2
    killed.as_if_once(answers[-1])
    replay = send(shop, killed.ROWS, key=KEY)
    assert (replay.body, replay.header("idempotency-replayed")) == (answers[-1].body, "true")
    killed.check(shop, listener, older=[1])
