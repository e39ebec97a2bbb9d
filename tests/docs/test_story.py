"""The story whose exchanges are the description's examples: the service answers as they say."""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from local import gateway
from openapi.story.exchanges import recorded
from openapi.story.recording import exchanges, routes
from storepost.accounts.identity import passwords
from storepost.shopify.admin import AdminClient
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


@pytest.fixture(scope="module")
def repeated() -> dict[str, int]:
    """What a second `DELETE` of the same was answered, by path."""
    return {}


@pytest.fixture(scope="module")
def told(repeated: dict[str, int]) -> Iterator[Exchanges]:
    """A run of the whole story: about 240 requests and what streams and queues carry of them.

    Each `DELETE` is sent twice, and the story goes on as if it had been sent once.
    """
    handle = gateway.handle

    def repeating(event: dict[str, Any]) -> gateway.Answer:
        again = deepcopy(event)
        answer = handle(event)
        http = again["requestContext"]["http"]
        if http["method"] == "DELETE" and answer.status == DELETED:
            repeated[again["rawPath"]] = handle(again).status
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "handle", repeating)
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
def test_is_answered_as_its_examples_say(told: Exchanges, operation: str) -> None:
    """Ids, secrets and times are the story's own in both: all else is what the service says."""
    shown = by_operation(recorded())[operation]
    assert shown, f"{operation} isn't in the story: tell it in openapi/story, then `make examples`"
    assert told[operation] == shown, f"{operation} answers otherwise: run `make examples`"


def test_tells_of_no_operation_that_is_gone() -> None:
    assert {each["operation"] for each in recorded()} <= set(OPERATIONS)


def test_every_delete_may_be_repeated(told: Exchanges, repeated: dict[str, int]) -> None:
    deleting = [o for o, (method, _) in routes().items() if method == "DELETE"]
    sent = [each for o in deleting for each in told[o] if each["status"] == DELETED]
    assert len(repeated) == len(sent) >= len(deleting)
    assert {path: status for path, status in repeated.items() if status != DELETED} == {}


def _forget_hasher() -> None:
    passwords._hasher.cache_clear()
    passwords._dummy.cache_clear()
