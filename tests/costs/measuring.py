"""Measures the scenarios, each in a town as it was founded."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from local.gateway import function_for
from storepost.identity import passwords
from storepost.persistence import sealing
from tests.costs.scenarios.registry import Scenario
from tests.costs.town import Ask, Outside, Town, found, operations
from tests.costs.usage import ByFunction, Meter
from tests.world import World


@dataclass(frozen=True)
class Measured:
    """What a request asked of AWS, by function: its own first, then those that it set off."""

    scenario: Scenario
    function: str
    """The one that answered."""
    used: ByFunction


@contextmanager
def measured_town() -> Iterator[Town]:
    """A town whose meter counts."""
    meter, world = Meter(), World()
    with Outside(meter) as outside:
        try:
            yield found(world, meter, outside)
        finally:
            world.close()


def measure_all(town: Town, scenarios: Iterable[Scenario]) -> Iterator[Measured]:
    """What each scenario asks for."""
    _warm_up()
    begin_anew = town.world.kept()
    for scenario in scenarios:
        yield measure(town, scenario)
        begin_anew()


def measure(town: Town, scenario: Scenario) -> Measured:
    """What one scenario asks for, and all that follows from it."""
    asked = scenario.prepare(town)
    town.world.deliver()
    _note_use(town, asked)
    town.meter.used.clear()
    with town.meter.on():
        town.ask(scenario.operation, asked)
        town.world.deliver()
    _, path = operations()[scenario.operation]
    used = dict(town.meter.used)
    answering = function_for(f"/v1{path}").name
    assert used[answering].invocations == 1
    return Measured(scenario, answering, used)


def _note_use(town: Town, asked: Ask) -> None:
    """Has the use noted now, as it is once a minute, for the sake of an even count."""
    if asked.token is not None:
        town.world.call("GET", "/members", token=asked.token)


def _warm_up() -> None:
    """What a container does once."""
    passwords._dummy()
    sealing.unseal(sealing.seal(b"warm", "up"), "up")
