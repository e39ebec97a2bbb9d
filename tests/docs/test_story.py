"""The story whose exchanges are the description's examples: the service answers as they say."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from itertools import count
from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from local import functions, gateway
from openapi.entity_tags import IF_MATCH, IF_NONE_MATCH
from openapi.story.exchanges import recorded
from openapi.story.recording import exchanges, routes
from storepost.accounts.identity import passwords
from storepost.platform.persistence import idempotency
from storepost.shopify.admin import AdminClient
from storepost.values import clock
from tests.harness.answers import operation_of, operations
from tests.harness.engines import engine
from tests.harness.world import World

OPERATIONS = sorted(routes())
DELETED = 204
type Exchanges = dict[str, list[dict[str, Any]]]


def by_operation(story: list[dict[str, Any]]) -> Exchanges:
    """The exchanges of each operation, in the story's order."""
    found: Exchanges = defaultdict(list)
    for exchange in story:
        found[exchange["operation"]].append(exchange)
    return found


class Probes:
    """What the same requests were answered that came once more, or by a tag that isn't current.

    The story goes on as if each had been sent once.
    """

    def __init__(self) -> None:
        self.numbers = count()
        self.repeated: dict[str, int] = {}
        """A second `DELETE`, by path."""
        self.known: dict[str, int] = {}
        """A second `GET` with the tag of the first, by operation."""
        self.refused: dict[str, int] = {}
        """A change with another tag in `If-Match` than the resource has, by operation."""
        self.differing: dict[str, object] = {}
        """What a write answered or changed when it came again with its key, by operation: nothing
        that the first one had not."""

    def send(
        self, event: dict[str, Any], handle: Callable[[Any], gateway.Answer]
    ) -> gateway.Answer:
        """The answer to the request as the story sends it."""
        before, again = deepcopy(event), deepcopy(event)
        operation = operation_of(event) or {"operationId": "", "parameters": []}
        name, parameters = operation["operationId"], operation.get("parameters", [])
        method = event["requestContext"]["http"]["method"]
        refused = None
        if IF_MATCH in parameters:
            before["headers"]["if-match"] = '"another"'
            refused = handle(before).status
        event["headers"].setdefault("idempotency-key", f"story-{next(self.numbers)}")
        answer = handle(deepcopy(event))
        is_write = method != "GET" and operation.get("security")
        if is_write and answer.status < 300 and name not in self.differing:
            self.differing[name] = differences(event, answer, handle)
        if refused is not None and answer.status < 300:
            self.refused[name] = refused
        if method == "DELETE" and answer.status == DELETED:
            self.repeated[again["rawPath"]] = handle(again).status
        if IF_NONE_MATCH in parameters and answer.status == 200:
            again["headers"]["if-none-match"] = answer.headers["ETag"]
            self.known[name] = handle(again).status
        return answer


def differences(
    event: dict[str, Any], first: gateway.Answer, handle: Callable[[Any], gateway.Answer]
) -> object:
    """What the same request changes or is answered otherwise; None if it is a replay."""
    before = engine().stored().rows
    with mock.patch.object(gateway, "invoke", functions.invoke_here):  # not counted by `seeded`
        again = handle(deepcopy(event))
    if engine().stored().rows != before:
        return "it changed rows"
    expected = {**first.headers, "idempotency-replayed": "true"}
    expected["request-id"] = again.headers["request-id"]
    if (again.status, again.headers, again.body) != (first.status, expected, first.body):
        return again.status, again.headers, again.body
    return None


@pytest.fixture(scope="module")
def probes() -> Probes:
    """What was asked beside the story."""
    return Probes()


@pytest.fixture(scope="module")
def story_exchanges(probes: Probes) -> Iterator[Exchanges]:
    """A run of the whole story: about 240 requests and what streams and queues carry of them."""
    handle = gateway.handle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "handle", lambda event: probes.send(event, handle))
        # Idempotency takes the machine's time and this offset: the story has its own time.
        patch.setattr(clock, "offset", lambda: clock.now() - datetime.now(UTC))
        # Ids are drawn one after another, and `make examples` sends no idempotency keys.
        patch.setattr(idempotency, "uuid4", lambda: UUID(int=next(probes.numbers)))
        patch.setattr(passwords, "MEMORY_KIB", 8)
        patch.setattr(passwords, "PASSES", 1)
        # The pretend shop is done at once with what a real one takes seconds for.
        patch.setattr(AdminClient, "wait", lambda _admin, _seconds, _why: None)
        _forget_hasher()
        try:
            yield by_operation(exchanges())
        finally:
            World().close()
            _forget_hasher()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation_answers_as_its_examples(story_exchanges: Exchanges, operation: str) -> None:
    """Ids, secrets and times are the story's own in both: all else is what the service says."""
    shown = by_operation(recorded())[operation]
    assert shown, f"{operation} isn't in the story: tell it in openapi/story, then `make examples`"
    assert story_exchanges[operation] == shown, (
        f"{operation} answers otherwise: run `make examples`"
    )


def test_every_recorded_operation_exists() -> None:
    assert {each["operation"] for each in recorded()} <= set(OPERATIONS)


def test_every_repeated_delete_answers_204(story_exchanges: Exchanges, probes: Probes) -> None:
    deleting = [o for o, (method, _) in routes().items() if method == "DELETE"]
    sent = [each for o in deleting for each in story_exchanges[o] if each["status"] == DELETED]
    assert len(probes.repeated) == len(sent) >= len(deleting)
    assert {path: status for path, status in probes.repeated.items() if status != DELETED} == {}


def test_every_etag_of_a_get_answers_304(story_exchanges: Exchanges, probes: Probes) -> None:
    assert probes.known.keys() == taking(IF_NONE_MATCH) & story_exchanges.keys()
    assert {name: status for name, status in probes.known.items() if status != 304} == {}


def test_every_change_with_another_etag_is_refused(
    story_exchanges: Exchanges, probes: Probes
) -> None:
    """Before the same change without a tag is made."""
    assert probes.refused.keys() == taking(IF_MATCH) & story_exchanges.keys()
    assert {name: status for name, status in probes.refused.items() if status != 412} == {}


def test_every_write_with_a_key_is_replayed(story_exchanges: Exchanges, probes: Probes) -> None:
    """But those that end their own caller's session."""
    writes = {o["operationId"] for _, m, o in operations() if m != "GET" and o["security"]}
    assert writes == probes.differing.keys()
    assert {name for name, what in probes.differing.items() if what} == {
        "auth.signOut",
        "me.delete",
    }


def taking(parameter: dict[str, str]) -> set[str]:
    """The operations that have the parameter."""
    return {
        operation["operationId"]
        for _, _, operation in operations()
        if parameter in operation.get("parameters", [])
    }


def _forget_hasher() -> None:
    passwords._hasher.cache_clear()
    passwords._dummy.cache_clear()
