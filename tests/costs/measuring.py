"""Measures the scenarios, each in a shop as it was founded."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from unittest import mock

from benchmarks.measure.reckoning import Usage, request_bill
from local.events import pumps
from local.gateway import function_for
from local.template import functions
from storepost.accounts.identity import passwords
from storepost.platform.messaging import queues
from storepost.platform.persistence import sealing
from storepost.platform.persistence.counted_tree.cold_leaves import ColdLeaves
from storepost.platform.persistence.counted_tree.items import Node
from storepost.platform.persistence.counted_tree.splitting import Splitter
from storepost.platform.persistence.loads import in_flight
from tests.costs.metering import Meter
from tests.costs.scenario import Outside, Request, Shop, create_shop, operations
from tests.costs.scenarios.registry import Scenario
from tests.harness.world import World
from tests.shopify.shops import Shopify, running_server


@dataclass(frozen=True)
class Measured:
    """What a request used of AWS, by function: its own first, then those that it triggered."""

    scenario: Scenario
    function: str
    """The one that answered."""
    used: dict[str, Usage]
    size_bytes: int = 0
    """Of the body or of the answer, whichever is larger."""

    @property
    def own(self) -> Usage:
        """The use of the function that answered."""
        return self.used[self.function]

    @property
    def others(self) -> dict[str, Usage]:
        """The use of the functions that it triggered."""
        return {name: used for name, used in self.used.items() if name != self.function}

    @property
    def bill(self) -> dict[str, float]:
        """The cost of a million of it, in dollars."""
        return request_bill(self.used, self.size_bytes)

    @property
    def dollars(self) -> float:
        """All of that."""
        return sum(self.bill.values())


@dataclass
class Chance:
    """Ids from a seed: the positions of rows in a list decide when its nodes split."""

    _random: Random = field(default_factory=lambda: Random("town"))

    def begin(self, scenario: Scenario) -> None:
        """Gives each scenario its own seed, whatever was measured before it."""
        self._random = Random(f"{scenario.operation} {scenario.case}")

    def urandom(self, size: int) -> bytes:
        """Replaces the operating system's."""
        return self._random.randbytes(size)


@contextmanager
def measured_shop(chance: Chance) -> Iterator[Shop]:
    """A shop whose meter counts, and in which one call is made after the other.

    Else chance would give its numbers to whichever thread asks first.
    """
    meter, world = Meter(), World()
    with (
        Outside(meter) as outside,
        mock.patch.object(os, "urandom", chance.urandom),
        mock.patch.object(in_flight, "CALLS_IN_FLIGHT", 1),
        running_server() as server,
        mock.patch.dict(os.environ, FEED_ALLOW_HOSTS=server.host, SHOPIFY_STAND_IN=server.url),
    ):
        try:
            yield create_shop(world, meter, outside, Shopify(world, server))
        finally:
            world.close()


@dataclass(frozen=True)
class Findings:
    """All figures of the page."""

    requests: tuple[Measured, ...]
    schedules: dict[str, Usage]

    def of(self, operation: str, case: str = "") -> Measured:
        """What one scenario used."""
        [found] = [
            each
            for each in self.requests
            if (each.scenario.operation, each.scenario.case) == (operation, case)
        ]
        return found


def measure_all(scenarios: Iterable[Scenario]) -> Findings:
    """What each scenario and each schedule uses, in a new shop."""
    chance = Chance()
    with _no_second_run(), measured_shop(chance) as shop:
        _warm_up()
        schedules = measure_schedules(shop)
        # The last use of each token is a while ago, so that every scenario records it before it is
        # measured: else one of them would that is measured a minute after the shop was founded.
        shop.world.advance(minutes=2)
        begin_anew, requests = shop.world.checkpoint(), []
        for scenario in scenarios:
            chance.begin(scenario)
            requests.append(measure(shop, scenario))
            begin_anew()
    return Findings(tuple(requests), schedules)


@contextmanager
def _no_second_run() -> Iterator[None]:
    """Has what fails come again when everything is measured, however fast this machine is.

    It is the removal of a workspace: its last look is due ten minutes later.
    """
    with mock.patch.object(queues, "longest_wait", return_value=queues.MAX_SECONDS):
        yield


@contextmanager
def _nothing_packed() -> Iterator[None]:
    """Leaves out that a growing list packs its cold leaves; the page says what that costs.

    One request in some fifty does it for all of them, and chance would say which scenario that is.
    So it would of the fold of a leaf that has pages: rows of single orders behind a load's.
    """
    plain = Splitter.fan_out_of

    def fan_out_of(splitter: Splitter, node: Node) -> int:
        return sys.maxsize if node.page else plain(splitter, node)

    with (
        mock.patch.object(ColdLeaves, "pack"),
        mock.patch.object(Splitter, "fan_out_of", fan_out_of),
        mock.patch.object(Splitter, "is_to_fold", return_value=False),
    ):
        yield


def measure(shop: Shop, scenario: Scenario) -> Measured:
    """What one scenario uses, with all that it triggers."""
    request = scenario.prepare(shop)
    _note_use(shop, request)
    shop.world.deliver()
    shop.meter.used.clear()
    with shop.meter.on(), _nothing_packed():
        answer = shop.send(scenario.operation, request)
        shop.world.deliver()
    _, path = operations()[scenario.operation]
    used = dict(shop.meter.used)
    answering = function_for(f"/v1{path}").name
    assert used[answering].invocations == 1
    size = max(len(answer.body), len(json.dumps(request.body)))
    return Measured(scenario, answering, used, size)


def measure_schedules(shop: Shop) -> dict[str, Usage]:
    """What a run of each schedule uses when it has nothing to do, by function."""
    shop.meter.used.clear()
    with shop.meter.on():
        for function in functions():
            if function.events_of("ScheduleV2"):
                pumps.run_schedule(function.job)
    return dict(shop.meter.used)


def _note_use(shop: Shop, request: Request) -> None:
    """Records the key's use now, which happens once a minute, so that counts are equal."""
    if request.token is not None:
        shop.world.call("GET", "/members", token=request.token)


def _warm_up() -> None:
    """What a container does once."""
    passwords._dummy()
    purpose = sealing.Purpose.OUTGOING_EMAIL
    sealing.unseal(sealing.seal(b"warm", purpose, "up"), purpose, "up")
