"""Finds every place where a run may die, and the state of AWS if it dies there, in one run.

A process that dies leaves only the state of AWS and of other services. So the work is run once, and
a snapshot of that state is kept at each of its calls to AWS. A retry starts from a snapshot, in a
new container. Places with equal snapshots are tested once, as the retry is the same.
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
"""Longer than the timeout of any of the API's functions."""


_READS = ("BatchGet", "Get", "Query", "Scan")


class Place(NamedTuple):
    """The call at which a run dies, by its number from 1 and its operation, and the side of it."""

    number: int
    operation: str
    moment: Side

    @property
    def may_have_written(self) -> bool:
        """Whether AWS may differ from its state at the previous place; reads change nothing."""
        return self.moment is Side.AFTER and not self.operation.startswith(_READS)


class Shard(NamedTuple):
    """One part of a run's crashes: its number from 0, and the number of parts."""

    number: int
    of: int


def in_shards(of: int) -> pytest.MarkDecorator:
    """Divides a slow test into parts, which get their part as `shard`."""
    return pytest.mark.parametrize("shard", [Shard(n, of) for n in range(of)], ids=str)


@dataclass
class Crash:
    """A state that a dying run leaves, and the places at which it leaves that state."""

    snapshot: Snapshot
    positions: list[Place] = field(default_factory=list)


@dataclass
class Crashes:
    """A run's crashes in their order. Iterating over them restores each one's state."""

    world: World
    outside: Sequence[Outside]
    found: list[Crash] = field(default_factory=list)

    @property
    def positions(self) -> list[Place]:
        """Each place where the run may die."""
        return [place for crash in self.found for place in crash.positions]

    def note(self, place: Place) -> None:
        """Keeps the state at this place of the run."""
        last = self.found[-1].snapshot if self.found else None
        if last and not place.may_have_written:
            snapshot = last.with_outside(self.outside)
        else:
            snapshot = Snapshot.of_now(self.outside)
        if snapshot != last:
            self.found.append(Crash(snapshot))
        self.found[-1].positions.append(place)

    def __iter__(self) -> Iterator[list[Place]]:
        """Restores each state for a new container, and yields its places."""
        return self.shard(Shard(0, 1))

    def shard(self, shard: "Shard") -> Iterator[list[Place]]:
        """Does the same for one part of the states."""
        for crash in self.found[shard.number :: shard.of]:
            crash.snapshot.restore(self.world, self.outside)
            clear_key_cache()
            yield crash.positions


def crashes(
    world: World,
    work: Callable[[], object],
    *,
    outside: Sequence[Outside] = (),
    deliver: bool = True,
) -> Crashes:
    """Runs the work to its end in a new container, and finds the places where it may die.

    Undelivered records and messages are delivered first, or lost. `outside` is the state of other
    services.
    """
    world.checkpoint(deliver=deliver)()
    clear_key_cache()
    found = Crashes(world, outside)
    with around_calls(lambda *place: found.note(Place(*place))):
        work()
    return found


def until_answered(world: World, send: Callable[[], Answer]) -> Answer:
    """Retries with the same key until the answer is final, and returns that answer."""
    for _ in range(3):
        answer = send()
        if answer.status != 409:
            return answer
        assert answer.problem() == (409, "idempotency_in_progress")
        world.advance(seconds=LEASE_SECONDS)
    raise AssertionError("the claim was never given back")
