"""`events/`: a sample for each function, valid in each run with the demo's data."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local import demo, functions, gateway
from local.demo import Demo
from local.demo.sampling import FOLDER, path_of, request
from local.events.pumps import schedule_event
from local.functions import invoke
from local.running import LocalRun
from local.template import Function
from local.template import functions as declared
from tests.harness.world import World


class Few:
    """Equal to 0 and 1: the demo's one feed is due four times a day."""

    def __eq__(self, other: object) -> bool:
        return other in (0, 1)

    def __hash__(self) -> int:
        return 0


SCHEDULES = {
    "coupon_expiry": {"moved": 0},
    "feed_schedule": {"queued": Few()},
    "outbox_sweep": {"sent": 0},
    "shop_tokens": {"shops": 0},
    "webhook_retries": {"queued": 0},
    "suppression_ends": {"ended": 0},
}
"""What each schedule answers right after a start, where nothing is due."""
ACCEPTED = {"feeds": 202, "opt_in": 202, "profile_exports": 200, "unsubscribe": 201}
"""The statuses that aren't 200."""


def of(kind: str) -> list[Any]:
    """The template's functions of a kind."""
    return [pytest.param(f, id=f.job) for f in declared() if f.folder.split("/")[1] == kind]


def sample(function: Function) -> dict[str, Any]:
    """The function's sample event."""
    event: dict[str, Any] = json.loads(path_of(function).read_text())
    return event


def shape(value: Any) -> Any:
    """The names in a JSON object, down to its leaves."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else None


class Run:
    """The demo's data, as a run that has just started has it."""

    def __init__(self) -> None:
        self.demo: Demo | None = None
        self.put_back: Callable[[], None] = lambda: None


@pytest.fixture(scope="module")
def loaded() -> Iterator[Run]:
    """Made once, as it takes seconds. No server listens behind it any more."""
    patch, run = pytest.MonkeyPatch(), Run()
    patch.setenv("FEED_ALLOW_HOSTS", "")
    patch.setenv("SHOPIFY_STAND_IN", "")
    world = World()
    with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
        local_run = LocalRun(listening)
        local_run.serve()
        run.demo = demo.load(local_run)
        run.put_back = world.checkpoint()
        yield run
        local_run.stop()
    world.close()
    patch.undo()


@pytest.fixture
def run(loaded: Run, world: World) -> Run:
    """The same for each test, whatever the one before did."""
    loaded.put_back()
    return loaded


def test_every_function_has_exactly_one_sample() -> None:
    there = {path for path in FOLDER.rglob("*") if path.is_file()}
    assert there == {path_of(function) for function in declared()}


@pytest.mark.parametrize("function", of("api"))
def test_api_function_accepts_the_sample(function: Function, run: Run) -> None:
    event = sample(function)
    assert gateway.function_for(event["rawPath"]) == function
    made = request(
        event["requestContext"]["http"]["method"],
        event["rawPath"].removeprefix("/v1") + "?" + event["rawQueryString"],
        body=event.get("body"),
        headers=event["headers"],
    )
    assert shape(event) == shape(made)
    answer = gateway.handle(event)
    assert answer.status == ACCEPTED.get(function.job, 200), answer.body


@pytest.mark.parametrize("function", of("workers"))
def test_worker_accepts_the_sample(function: Function, run: Run) -> None:
    assert invoke(function, sample(function)) == {"batchItemFailures": []}


def test_relay_sample_sends_an_email(run: Run, world: World) -> None:
    (relay,) = [f for f in declared() if f.job == "outbox_relay"]
    before = len(world.emails())
    invoke(relay, sample(relay))
    assert world.queue_depth("EmailQueue") == 1
    assert len(world.emails()) == before + 1


def test_recorded_email_can_be_decrypted_in_any_run(run: Run, world: World) -> None:
    (sender,) = [f for f in declared() if f.job == "email_sender"]
    before = len(world.emails())
    invoke(sender, sample(sender))
    (email,) = world.emails()[before:]
    assert email.to == demo.OWNER


@pytest.mark.parametrize("function", of("schedules"))
def test_schedule_accepts_the_sample(function: Function, run: Run) -> None:
    event = sample(function)
    made = schedule_event(function)
    assert shape(event) == shape(made)
    assert event["resources"] == made["resources"]
    assert invoke(function, event) == SCHEDULES[function.job]


def test_demo_ids_and_tokens_are_deterministic(run: Run) -> None:
    """Otherwise the samples would name nothing that exists: `make events` records them anew."""
    assert run.demo is not None
    (me,) = [f for f in declared() if f.job == "me"]
    owner = run.demo.credentials.sessions["owner"]
    assert sample(me)["headers"]["authorization"] == f"Bearer {owner}"
