"""The world that every test starts with: an empty AWS with the template's resources.

It runs in moto, except that `STORE=dynoxide` puts the tables into that engine.
"""

import gc
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import settings

from local import aws
from local.demo.seeded import demo_keys
from tests.harness.engines import engine, on_dynoxide

aws.prepare_environment()
engine()
aws.start()
aws.create_resources(demo_keys())

import pytest  # noqa: E402 - the service reads its environment when it is imported

from storepost.accounts.identity import passwords  # noqa: E402
from tests.harness.bytecode import compile_tests  # noqa: E402
from tests.harness.coverage import ResumePoint, unreached  # noqa: E402
from tests.harness.described import DescribedAnswers  # noqa: E402
from tests.harness.faults import FakeTime, fake_clock  # noqa: E402
from tests.harness.least_privilege import Recorder, unused  # noqa: E402
from tests.harness.log_watch import LogWatch  # noqa: E402
from tests.harness.transactions import Transactions  # noqa: E402
from tests.harness.world import Someone, World  # noqa: E402

# `make test` runs the same examples every time; `make test-long` searches further, and prints how
# to reproduce a failure.
settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile(
    "ci", max_examples=2000, deadline=None, derandomize=False, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_xdist_auto_num_workers() -> int:
    """Returns one worker more than there are cores, as tests sometimes wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Compiles the tests for all workers before any of them starts."""
    compile_tests(config, [Path(arg.partition("::")[0]) for arg in config.args])


# They need a container engine: `make test-sam-local`.
collect_ignore = ["end_to_end"]

recorder = Recorder()
recorder.install()
log_watch = LogWatch()
log_watch.install()
described_answers = DescribedAnswers()
described_answers.install()
reached = ResumePoint()
reached.install()
transactions = Transactions()
transactions.install()

_USED, _REACHED, _GREATEST = "used_grants", "reached", "greatest_transaction"
_LEFT_OUT = "left_out"
_lacking: dict[str, list[str]] = {}
_left_out: set[str] = set()


@pytest.fixture
def world() -> Iterator[World]:
    """An empty world."""
    engine().lose_streams()  # records of tests without a world would be in this world's batches
    fresh = World()
    yield fresh
    fresh.close()


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace; rooms that need the workspace itself have their own."""
    return world.owner()


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes password hashes cheap; `accounts/identity/test_passwords.py` tests the real ones."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", 8)
    monkeypatch.setattr(passwords, "PASSES", 1)
    _forget_hasher()
    yield
    _forget_hasher()


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes all jitter minimal, so that a retry after a lost race or throttling starts at once."""
    monkeypatch.setattr(random, "uniform", lambda least, _most: least)


@pytest.fixture
def fake_time(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    """A fake clock: waits take no real time, and advance it."""
    return fake_clock(monkeypatch)


def _forget_hasher() -> None:
    passwords._hasher.cache_clear()
    passwords._dummy.cache_clear()


@pytest.fixture(autouse=True)
def _quiet_logs() -> Iterator[None]:
    """Fails a test that logs personal data or a token."""
    log_watch.findings.clear()
    yield
    assert log_watch.findings == []


@pytest.fixture(autouse=True)
def _described_answers() -> Iterator[None]:
    """Fails a test that gets an answer that the interface's description lacks."""
    described_answers.undescribed.clear()
    yield
    assert described_answers.undescribed == []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects tests that need dynoxide in a run without it."""
    if on_dynoxide():
        return
    apart = [item for item in items if item.get_closest_marker("dynoxide")]
    items[:] = [item for item in items if item not in apart]
    config.hook.pytest_deselected(items=apart)
    _left_out.update(item.nodeid for item in apart)


def pytest_collection_finish() -> None:
    """Freezes all imported and collected objects, so that the garbage collector skips them."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Sends a worker's records to the controller, which checks for unused and unreached ones."""
    config: Any = session.config
    if hasattr(config, "workerinput"):
        config.workeroutput[_USED] = sorted(recorder.used)
        config.workeroutput[_REACHED] = sorted(reached.answers)
        config.workeroutput[_GREATEST] = transactions.greatest
        config.workeroutput[_LEFT_OUT] = sorted(_left_out)
    elif exitstatus == pytest.ExitCode.OK and _is_whole(session.config):
        _lacking["granted in template.yaml, but used by no test"] = unused(recorder.used)
        _lacking["answered by the interface, but reached by no test"] = unreached(reached.answers)
        if any(_lacking.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Collects a worker's records in the controller."""
    output = getattr(node, "workeroutput", {})
    recorder.used |= {tuple(use) for use in output.get(_USED, [])}
    reached.answers |= {tuple(reach) for reach in output.get(_REACHED, [])}
    _left_out.update(output.get(_LEFT_OUT, []))
    transactions.keep(tuple(output.get(_GREATEST, transactions.greatest)))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Prints the greatest transaction, the unused grants and the unreached answers."""
    if _left_out:
        terminalreporter.line(
            f"{len(_left_out)} tests of units, costs and races were left out: `make test-dynoxide`",
            yellow=True,
        )
    _say_what_was_judged(terminalreporter, config)
    for title, lacking in _lacking.items():
        if lacking:
            terminalreporter.section(title, red=True)
            for each in sorted(lacking):
                terminalreporter.line(each)


def _say_what_was_judged(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    items, test = transactions.greatest
    if _is_whole(config):
        terminalreporter.line(f"the greatest transaction had {items} items, in {test}")
    elif not config.getoption("collectonly"):
        terminalreporter.line(
            "some tests were chosen: unused rights and unreached problems are judged only where all"
            " run",
            yellow=True,
        )


def _is_whole(config: pytest.Config) -> bool:
    """Whether all tests ran: only then is an unused grant or an unreached answer a failure."""
    chosen = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    narrowed = ("keyword", "markexpr", "lf", "deselect", "collectonly", "ignore", "ignore_glob")
    return not chosen and not any(config.getoption(name, None) for name in narrowed)
