"""Many processes put single entries into one list of orders at once; earlier commits can run it.

`in_checkout.py` starts it; its JSON argument is a `Run`. It prints the results as JSON.
"""

import json
import random
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from uuid import UUID, uuid4

from pynamodb.exceptions import PynamoDBException

from benchmarks.processes.in_checkout import at_once, begin, connect, persistence, say, value_module

REQUEST_MILLISECONDS = 29_000
"""The timeout of a request's function."""
_PAST = timedelta(days=700)
_AT_ONCE = 20
"""Scattered entries per transaction, each below nodes of its own."""


@dataclass(frozen=True)
class Run:
    """One run's writes to a workspace's list of orders."""

    workspace: str
    fill: int = 0
    """If not 0, one process writes so many entries of two years, and no others write."""
    writers: int = 0
    seconds: float = 0.0
    scattered: bool = False
    """Whether entries have random times in two years; else the current time."""
    dilation: float = 1.0
    """The factor by which all waits are longer."""


@dataclass
class Did:
    """A process's results: the seconds of each entry, and the number of refused ones."""

    seconds: list[float] = field(default_factory=list)
    given_up: int = 0


def list_of(run: Run) -> Any:  # noqa: ANN401 - of whichever checkout
    """Returns the list's tree."""
    scope = value_module("scope").WorkspaceScope(UUID(run.workspace))
    return import_module("storepost.orders.trees").OrderList(scope).tree


def entry(*, scattered: bool) -> Any:  # noqa: ANN401 - of whichever checkout
    """Returns an order with the current time, or a random time in two years."""
    lists, trees = persistence("counted_tree"), import_module("storepost.orders.trees")
    placed = datetime.now(UTC) - (_PAST * random.random() if scattered else timedelta())
    values = {each.name: random.choice(each.values) for each in trees.FILTERS}
    make = getattr(lists, "TreeEntry", None) or lists.Entry
    return make(lists.moment_key(placed, uuid4()), values, ["#1001", 5499, "EUR", "de"])


def insert(tree: Any, entries: list[Any], changes: Any) -> None:  # noqa: ANN401 - of a checkout
    """Inserts all entries in one transaction."""
    for each in entries:
        tree.insert(changes, each)


def patience() -> AbstractContextManager[object]:
    """Returns a request's patience, in a checkout that has it."""
    name = "storepost.platform.persistence.patience"
    if not (find_spec("storepost.platform") and find_spec(name)):
        return nullcontext()
    has_patience: AbstractContextManager[object] = import_module(name).patience(
        REQUEST_MILLISECONDS
    )
    return has_patience


def write(run: Run, tree: Any, did: Did) -> None:  # noqa: ANN401 - of whichever checkout
    """Writes one entry after the other, until the time is over."""
    commit_anew, until = persistence("changes").commit_anew, time.monotonic() + run.seconds
    while (began := time.monotonic()) < until:
        new = entry(scattered=run.scattered)
        try:
            with patience():
                commit_anew(partial(insert, tree, [new]))
        except (value_module("problems").Problem, PynamoDBException):  # the latter is a 500
            did.given_up += 1
        else:
            did.seconds.append(time.monotonic() - began)


def main(run: Run) -> None:
    """Fills the list, or runs all writers."""
    begin(run.dilation)
    connect(run.dilation)
    tree, did = list_of(run), Did()
    for _ in range(run.fill // _AT_ONCE):
        some = [entry(scattered=True) for _ in range(_AT_ONCE)]
        persistence("changes").commit_anew(partial(insert, tree, some))
    for each in at_once([partial(write, run, tree)] * run.writers, Did):
        did.seconds += each.seconds
        did.given_up += each.given_up
    say(vars(did))


if __name__ == "__main__":
    main(Run(**json.loads(sys.argv[1])))
