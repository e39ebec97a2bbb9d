"""Histories of a list against a plain one: after every write, each page and total is right."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    FilterField,
    KeyRange,
    TreeEntry,
    text_key,
)
from storepost.platform.persistence.counted_tree.folding import Folder
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    NAMES,
    STATUS,
    TEST,
    Importer,
    Operation,
    TwoLists,
    apply,
    counted_later,
    entry,
    expected,
    nodes_locked,
    tree,
)

ENTRIES = st.builds(
    entry,
    st.sampled_from(NAMES),
    st.integers(0, 40),
    st.sampled_from(STATUS.values),
    test=st.booleans(),
)


def subsets(of: FilterField) -> st.SearchStrategy[Filter]:
    """Some of the field's values."""
    values = st.sets(st.sampled_from(of.values), min_size=1)
    return values.map(lambda chosen: of.among(*chosen))


FILTERS = subsets(STATUS) | subsets(TEST)
BOUNDS = st.builds(text_key, st.sampled_from(NAMES), st.integers(0, 40).map(lambda n: UUID(int=n)))
RANGES = st.just(EVERYTHING) | st.builds(KeyRange, BOUNDS, BOUNDS)
REQUESTS = st.builds(PageRequest, st.integers(1, 12), st.integers(1, 30))
CHOICES = st.integers(0, 10**6)


class Histories(RuleBasedStateMachine):
    """Writers and readers of one list; some of them are interrupted."""

    engine: Engine | None = None
    """What answers instead of moto, for speed; the moto run has none."""

    def __init__(self) -> None:
        super().__init__()
        self.lists = TwoLists(tree(f"history#{uuid4()}"))
        self.importer = Importer()

    @initialize(
        fan_out=st.integers(2, 5),
        top_nodes=st.integers(2, 6),
        levels=st.sampled_from([None, None, 2, 3]),
        keys_stay=st.booleans(),
    )
    def begin(self, fan_out: int, top_nodes: int, levels: int | None, keys_stay: bool) -> None:
        """Nodes of any size, on as many levels as needed or on a fixed number."""
        name = f"history#{uuid4()}"
        self.lists = TwoLists(tree(name, fan_out, top_nodes, levels, keys_stay=keys_stay))

    def operation(self, new: TreeEntry, choice: int, taken: set[str]) -> Operation:
        """Mostly inserts the entry; if its key is taken, deletes, moves or changes that entry."""
        free = [e for key, e in sorted(self.lists.model.items()) if key not in taken]
        there = self.lists.model.get(new.key)
        if there is None:
            old = free[choice % len(free)] if free and choice % 3 == 0 else None
            return old, new
        return there, (new if choice % 2 else None)

    def operations(self, drawn: list[tuple[TreeEntry, int]]) -> list[Operation]:
        """As many of them as don't touch another one's keys."""
        chosen: list[Operation] = []
        taken: set[str] = set()
        for new, choice in drawn:
            operation = self.operation(new, choice, taken)
            keys = {e.key for e in operation if e}
            if not keys & taken:
                taken |= keys
                chosen.append(operation)
        return chosen

    def operations_besides(
        self, entries: Iterable[TreeEntry | None], drawn: list[tuple[TreeEntry, int]]
    ) -> list[Operation]:
        """The operations without those that touch a key of these entries."""
        keys = {e.key for e in entries if e}
        done = self.operations(drawn)
        return [each for each in done if not keys & {e.key for e in each if e}]

    @contextmanager
    def before_call(self, number: int, act: Callable[[], None]) -> Iterator[None]:
        """Lets another writer act before one of the block's calls, or after all of them."""
        assert self.engine is not None
        calls = 0

        def count(_operation: str) -> None:
            nonlocal calls
            calls += 1
            if calls == number:
                act_once()

        def act_once() -> None:
            assert self.engine is not None
            self.engine.before_call = None
            act()

        self.engine.before_call = count
        yield
        if self.engine.before_call is not None:
            act_once()

    def others_at_the_nodes(self) -> AbstractContextManager[None]:
        """Another transaction holds the nodes; on moto it held them a moment ago."""
        return nodes_locked(self.engine) if self.engine else counted_later()

    @rule(new=ENTRIES, choice=CHOICES)
    def write(self, new: TreeEntry, choice: int) -> None:
        """One operation."""
        self.lists.do(self.operation(new, choice, set()))

    @rule(drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=2, max_size=12))
    def write_together(self, drawn: list[tuple[TreeEntry, int]]) -> None:
        """Several operations in one transaction."""
        self.lists.do(*self.operations(drawn))

    @rule(drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12))
    def write_remembering(self, drawn: list[tuple[TreeEntry, int]]) -> None:
        """A writer that remembers the nodes from its last write, whatever others wrote since."""
        done = self.operations(drawn)
        self.importer.do(self.lists.tree, done)
        self.lists.note(*done)

    @precondition(lambda self: self.engine is not None)
    @rule(
        first=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=6),
        second=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 8),
    )
    def write_remembering_between(
        self, first: list[tuple[TreeEntry, int]], second: list[tuple[TreeEntry, int]], call: int
    ) -> None:
        """Another writer commits, and splits, before some call of one that remembers nodes."""
        done = self.operations(first)
        others = self.operations_besides(chain(*done), second)
        with self.before_call(call, lambda: self.lists.do(*others)):
            self.importer.do(self.lists.tree, done, alone=False)
        self.lists.note(*done)

    @rule(drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12))
    def write_while_nodes_are_held(self, drawn: list[tuple[TreeEntry, int]]) -> None:
        """Another transaction holds the nodes, so they are left for later."""
        with self.others_at_the_nodes():
            self.lists.do(*self.operations(drawn))

    @rule(drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12))
    def write_remembering_while_nodes_are_held(self, drawn: list[tuple[TreeEntry, int]]) -> None:
        """The same by a writer that remembers the nodes from its last write."""
        done = self.operations(drawn)
        with self.others_at_the_nodes():
            self.importer.do(self.lists.tree, done, alone=False)
        self.lists.note(*done)

    @rule(new=ENTRIES, statuses=st.lists(st.sampled_from(STATUS.values), min_size=1, max_size=4))
    def change_over_and_over(self, new: TreeEntry, statuses: list[str | None]) -> None:
        """One entry's changes, alternately counted later and at once."""
        for number, status in enumerate(statuses):
            there = self.lists.model.get(new.key)
            after = TreeEntry(new.key, {**new.values, "status": status}, new.payload)
            with self.others_at_the_nodes() if number % 2 else nullcontext():
                self.lists.do((there, after))

    @rule()
    def fold(self) -> None:
        """Counts all that is pending."""
        self.lists.tree.fold()
        assert self.lists.tree.rows.pending() == []

    @rule(max_items=st.integers(2, 12))
    def fold_some(self, max_items: int) -> None:
        """Counts as much as a small transaction takes, without a split."""
        Folder(self.lists.tree.rows, max_items).fold()

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 8),
        later=st.booleans(),
    )
    def fold_between(self, drawn: list[tuple[TreeEntry, int]], call: int, later: bool) -> None:
        """A writer commits before some call of a fold and of the splits after it."""
        done = self.operations(drawn)

        def act() -> None:
            with self.others_at_the_nodes() if later else nullcontext():
                self.lists.do(*done)

        with self.before_call(call, act):
            self.lists.tree.fold()

    @precondition(lambda self: self.engine is not None)
    @rule(call=st.integers(1, 8))
    def die_folding(self, call: int) -> None:
        """A folder dies at some call: nothing is lost, and nothing is counted twice."""

        def die() -> None:
            raise Killed

        with suppress(Killed), self.before_call(call, die):
            self.lists.tree.fold()
        assert self.engine is not None
        self.engine.before_call = None

    @precondition(lambda self: self.engine is not None)
    @rule(
        request=REQUESTS,
        call=st.integers(1, 8),
        descending=st.booleans(),
        by=st.none() | FILTERS,
        within=RANGES,
    )
    def read_while_folding(
        self,
        request: PageRequest,
        call: int,
        descending: bool,
        by: Filter | None,
        within: KeyRange,
    ) -> None:
        """A fold between two calls of a reader doesn't change its answer."""
        with self.before_call(call, self.lists.tree.fold):
            self.lists.check_page(request, descending=descending, by=by, within=within)

    @rule(choice=CHOICES, several=st.integers(2, 12))
    def delete_neighbours(self, choice: int, several: int) -> None:
        """Empties nodes."""
        rows = self.lists.expected()
        start = choice % max(1, len(rows))
        for row in rows[start : start + several]:
            self.lists.do((row, None))

    @rule(new=ENTRIES)
    def take_back(self, new: TreeEntry) -> None:
        """One transaction deletes and inserts a key, or inserts and deletes it."""
        there = self.lists.model.get(new.key)
        self.lists.do(*([(there, None), (None, new)] if there else [(None, new), (new, None)]))

    @rule(request=REQUESTS, descending=st.booleans(), by=st.none() | FILTERS, within=RANGES)
    def read(
        self, request: PageRequest, descending: bool, by: Filter | None, within: KeyRange
    ) -> None:
        """Any page."""
        self.lists.check_page(request, descending=descending, by=by, within=within)

    @rule(
        by=st.lists(FILTERS, max_size=3),
        within=RANGES,
        descending=st.booleans(),
        request=REQUESTS,
    )
    def scan(
        self, by: list[Filter], within: KeyRange, descending: bool, request: PageRequest
    ) -> None:
        """Any combination of filters, with a condition that no counter can answer."""
        listing = self.lists.tree.scan(
            request,
            lambda rows: [row for row in rows if row.payload[1] % 2],  # type: ignore[index]
            advised="name",
            descending=descending,
            by=by,
            within=within,
        )
        rows = [
            row
            for row in self.lists.expected(descending=descending, within=within)
            if row.payload[1] % 2  # type: ignore[index]
            and all(row.values[f.field.name] in f.values for f in by)
        ]
        assert listing.total == len(rows)
        assert list(listing.items) == rows[request.skipped :][: request.size]

    @precondition(lambda self: self.engine is not None)
    @rule(
        first=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=6),
        second=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 12),
        later=st.booleans(),
    )
    def write_between(
        self,
        first: list[tuple[TreeEntry, int]],
        second: list[tuple[TreeEntry, int]],
        call: int,
        later: bool,
    ) -> None:
        """Another writer commits, and splits or leaves that for later, before some call."""
        done = self.operations(first)
        others = self.operations_besides(chain(*done), second)

        def act() -> None:
            with self.others_at_the_nodes() if later else nullcontext():
                self.lists.do(*others)

        with self.before_call(call, act):
            commit_anew(apply(self.lists.tree, done))
        self.lists.note(*done)

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 8),
        request=REQUESTS,
        descending=st.booleans(),
        by=st.none() | FILTERS,
        within=RANGES,
        later=st.booleans(),
    )
    def read_between(
        self,
        drawn: list[tuple[TreeEntry, int]],
        call: int,
        request: PageRequest,
        descending: bool,
        by: Filter | None,
        within: KeyRange,
        later: bool,
    ) -> None:
        """A writer commits between two calls of a reader, whose answer is from before or after."""
        done = self.operations(drawn)
        before = dict(self.lists.model)

        def act() -> None:
            with self.others_at_the_nodes() if later else nullcontext():
                self.lists.do(*done)

        with self.before_call(call, act):
            listing = self.lists.tree.page(request, descending=descending, by=by, within=within)
        lists = [
            expected(model, descending=descending, by=by, within=within)
            for model in (before, self.lists.model)
        ]
        pages = [rows[request.skipped :][: request.size] for rows in lists]
        is_one = len(done) == 1 and None in done[0]
        may_see_a_part = self.lists.tree.keys_stay and not is_one
        if not may_see_a_part and (within == EVERYTHING or len(done) == 1):
            assert listing.total in [len(rows) for rows in lists]
            assert len(listing.items) in [len(page) for page in pages]
        else:
            # A range's two ends are read one after the other, and of changes that leave the sums
            # as they are, the reader may have seen some already. Nor does it wait for the whole of
            # a transaction where keys stay.
            gone = sum(old in lists[0] for old, _ in done if old)
            came = sum(new in lists[1] for _, new in done if new)
            counted = len(lists[0])
            assert counted - gone <= listing.total <= counted + came
        if is_one:
            # If several places change, the reader may have seen one of the changes already.
            assert listing.items in pages

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        later=st.integers(1, 12),
    )
    def die(self, drawn: list[tuple[TreeEntry, int]], later: int) -> None:
        """The writer dies at some call after its commit: nothing is lost, no count is wrong."""
        done = self.operations(drawn)
        committed = 0

        def kill(operation: str) -> None:
            nonlocal committed
            if committed:
                committed += 1
            if committed > later:
                raise Killed
            committed += not committed and operation == "TransactWriteItems"

        assert self.engine is not None
        self.engine.before_call = kill
        try:
            commit_anew(apply(self.lists.tree, done))
        except Killed:
            pass
        finally:
            self.engine.before_call = None
        self.lists.note(*done)

    @invariant()
    def equals(self) -> None:
        """The nodes are right, and the tree equals the plain list."""
        self.lists.check()


SHARDS = 4
"""So that several processes share them."""


@pytest.mark.usefixtures("folds_on_demand")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_list_equals_model_after_any_history(engine: Engine, shard: int) -> None:
    """60 histories in all, 2,000 in CI."""

    run_on(engine, Histories, 60, shard, SHARDS)


def run_on(
    engine: Engine, machine: type[Histories], few: int, shard: int = 0, shards: int = 1
) -> None:
    """Runs a shard of so few histories, the same each time; with CI's profile, of all its ones."""
    on_engine: Any = type("OnEngine", (machine,), {"engine": engine})
    chosen = settings()
    examples = few if chosen.derandomize else chosen.max_examples
    run_state_machine_as_test(
        seed(shard)(on_engine) if chosen.derandomize else on_engine,
        settings=settings(
            max_examples=examples // shards,
            stateful_step_count=30,
            derandomize=False,
            database=None,
        ),
    )


@pytest.mark.usefixtures(
    "folds_on_demand", "world"
)  # the next test in this process begins without rows
def test_list_equals_model_after_any_history_on_moto() -> None:
    """A few of them with moto's evaluation of the expressions."""
    run_state_machine_as_test(Histories, settings=settings(max_examples=3, stateful_step_count=8))
