"""Every operation, with a part of the corpus."""

from collections.abc import Iterator

import pytest

from tests.harness.world import World
from tests.hostile import corpus
from tests.hostile.hostile_requests import Sent, Target, every_operation, part_of, requests_to
from tests.hostile.large import TAKE_LARGE

OPERATIONS = every_operation()
NUMBERS = {name: number for number, name in enumerate(OPERATIONS)}
TAKE_EVERYTHING = {
    "connections.shopifyCallback",
    "docs.get",
    "optIn.get",
    "optIn.confirm",
    "pages.get",
    "unsubscribe.get",
    "unsubscribe.confirm",
}
EVERY = 13
"""Each operation is asked every so many of its requests, from another one on."""


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """One for all tests, as no input has its effect."""
    world = World()
    yield Target(world)
    world.close()


def test_corpus_has_at_least_300_inputs() -> None:
    assert corpus.size() >= 300


@pytest.mark.parametrize("name", OPERATIONS)
def test_hostile_request_is_answered_without_a_server_error(target: Target, name: str) -> None:
    operation, token = OPERATIONS[name], target.token()
    first = NUMBERS[name] % EVERY
    answers = [
        target.ask(sent, token) for sent in part_of(requests_to(operation, target), first, EVERY)
    ]
    assert answers


@pytest.mark.parametrize("name", OPERATIONS)
def test_unknown_parameters_are_refused(target: Target, name: str) -> None:
    operation = OPERATIONS[name]
    [sent] = [s for s in requests_to(operation, target) if s.name == "query: an unknown name"]
    answer = target.ask(sent, target.token())
    paths = answer.error_paths() if answer.status == 422 else []
    assert ("query.nobody" in paths) == (name not in TAKE_EVERYTHING)


@pytest.mark.parametrize("name", [n for n, o in OPERATIONS.items() if o.has_body])
def test_body_over_a_megabyte_is_refused_except_by_bulk_operations(
    target: Target, name: str
) -> None:
    """The module `large` relies on this."""
    operation = OPERATIONS[name]
    headers = {"content-type": corpus.JSON}
    sent = Sent(
        "", operation.method, target.path(operation), headers=headers, body=b" " * 1_000_001
    )
    assert (target.ask(sent, target.token()).status == 413) == (name not in TAKE_LARGE)
