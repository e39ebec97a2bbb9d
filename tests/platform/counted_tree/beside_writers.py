"""Readers of a list that others write between any two of their calls, and their answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid4

from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    KeyRange,
    TreeEntry,
    moment_key,
)
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values.pagination import Listing, PageRequest
from tests.platform.counted_tree.engine import Engine
from tests.platform.counted_tree.lists import (
    START,
    Operation,
    TwoLists,
    expected,
    nodes_locked,
    numbered,
    tree,
)

PACKING = Packing(entries=4, fold_after=5, ends=6, node_fan_out=2, pages=3)
LOADED = range(0, 900, 3)
END = max(LOADED)
REQUESTS = [PageRequest(n, 7) for n in (1, 2, 3, 4, 9, 20, 38)]

type Model = dict[str, TreeEntry]


def loaded(*, keys_stay: bool = True) -> TwoLists:
    """300 entries in pages, except at the ends."""
    lists = TwoLists(tree(f"list#{uuid4()}", 2, 4, packing=PACKING, keys_stay=keys_stay))
    entries = [numbered(number) for number in LOADED]
    Load(lists.tree).run(entries)
    lists.model.update({each.key: each for each in entries})
    assert lists.tree.rows.top()[0].level >= 2
    return lists


@dataclass
class Answered:
    """A reader's answer, and each state of the list from the reader's beginning to its end."""

    listing: Listing[TreeEntry]
    states: list[Model]
    calls: int
    units: int
    """That the reader's own calls read."""


def answered(
    engine: Engine,
    lists: TwoLists,
    read: Callable[[], Listing[TreeEntry]],
    writes: Iterator[Sequence[Operation]],
    *,
    later: bool = False,
) -> Answered:
    """Reads while other writers commit before each call, a transaction for each operation."""
    states, calls = [dict(lists.model)], 0
    began, others = engine.units, 0

    def write(_operation: str) -> None:
        nonlocal calls, others
        calls, before = calls + 1, engine.units
        engine.before_call = None
        for operation in next(writes, ()):
            if later:
                with nodes_locked(engine):
                    lists.do(operation)
            else:
                lists.do(operation)
            states.append(dict(lists.model))
        others += engine.units - before
        engine.before_call = write

    engine.before_call = write
    listing = read()
    engine.before_call = None
    return Answered(listing, states, calls, engine.units - began - others)


def page_of(
    model: Model, request: PageRequest, *, by: Filter | None = None, within: KeyRange = EVERYTHING
) -> tuple[list[TreeEntry], int]:
    """A page, the newest first."""
    rows = expected(model, descending=True, by=by, within=within)
    return rows[request.skipped :][: request.size], len(rows)


def at_the_end(several: int) -> Iterator[list[Operation]]:
    """New entries after all others, so many before each call."""
    numbers = count(END + 1)
    while True:
        yield [(None, numbered(next(numbers))) for _ in range(several)]


def near(number: int, several: int) -> Iterator[list[Operation]]:
    """New entries at one moment, in the midst of the existing ones."""
    key = START + timedelta(minutes=number, seconds=30)
    values = numbered(0).values
    ids = count(1)
    while True:
        made = [UUID(int=next(ids) * 2**64) for _ in range(several)]
        yield [(None, TreeEntry(moment_key(key, each), values, 0)) for each in made]
