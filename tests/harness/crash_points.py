"""Every place where a run may die, found in one run of it, and what AWS holds if it dies there.

A process that dies leaves nothing but what AWS and other services hold. So a run is made once, and
at each of its calls to AWS all of that is kept: from there, in a container that knows nothing, the
retry begins. Where nothing changed between two places they are one: what follows is the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.call_interruption import Side, around_calls
from tests.harness.snapshots import Outside, Snapshot
from tests.harness.world import Answer, World

KEY = "one-and-the-same"
LEASE_SECONDS = 60
"""Longer than any function of the API may run."""


_READS = ("BatchGet", "Get", "Query", "Scan")


class Place(NamedTuple):
    """On which side of which call a run dies: the call's number from 1, and its operation."""

    number: int
    operation: str
    moment: Side

    @property
    def may_have_written(self) -> bool:
        """Whether AWS may differ from the place before; reads change nothing there."""
        return self.moment is Side.AFTER and not self.operation.startswith(_READS)


class Shard(NamedTuple):
    """Which of so many parts of a run's crashes a test takes, from 0."""

    number: int
    of: int


def in_shards(of: int) -> pytest.MarkDecorator:
    """Divides a test that takes long: `shard` is each one's part."""
    return pytest.mark.parametrize("shard", [Shard(n, of) for n in range(of)], ids=str)


@dataclass
class Crash:
    """A state that a run leaves that dies, and the places where it leaves that one."""

    snapshot: Snapshot
    positions: list[Place] = field(default_factory=list)


@dataclass
class Crashes:
    """A run's crashes in their order. To go through them brings each one's state back."""

    world: World
    outside: Sequence[Outside]
    found: list[Crash] = field(default_factory=list)

    @property
    def positions(self) -> list[Place]:
        """Each place where the run may die."""
        return [place for crash in self.found for place in crash.positions]

    def note(self, place: Place) -> None:
        """Keeps what there is at this place of the run."""
        last = self.found[-1].snapshot if self.found else None
        if last and not place.may_have_written:
            snapshot = last.with_outside(self.outside)
        else:
            snapshot = Snapshot.of_now(self.outside)
        if snapshot != last:
            self.found.append(Crash(snapshot))
        self.found[-1].positions.append(place)

    def __iter__(self) -> Iterator[list[Place]]:
        """The places of each state, which is there when they come, for a container that is new."""
        return self.shard(Shard(0, 1))

    def shard(self, shard: "Shard") -> Iterator[list[Place]]:
        """The same for one part of the states."""
        for crash in self.found[shard.number :: shard.of]:
            crash.snapshot.bring_back(self.world, self.outside)
            clear_key_cache()
            yield crash.positions


def crashes(
    world: World,
    work: Callable[[], object],
    *,
    outside: Sequence[Outside] = (),
    deliver: bool = True,
) -> Crashes:
    """Runs the work to its end, in a container that is new, and finds where it may die.

    What streams and queues still have to carry before is delivered first, or lost. `outside` are
    what other services hold.
    """
    world.checkpoint(deliver=deliver)()
    clear_key_cache()
    found = Crashes(world, outside)
    with around_calls(lambda *place: found.note(Place(*place))):
        work()
    return found


def until_answered(world: World, send: Callable[[], Answer]) -> Answer:
    """What the caller gets in the end who goes on trying with the same key."""
    for _ in range(3):
        answer = send()
        if answer.status != 409:
            return answer
        assert answer.problem() == (409, "idempotency_in_progress")
        world.advance(seconds=LEASE_SECONDS)
    raise AssertionError("the claim was never given back")
