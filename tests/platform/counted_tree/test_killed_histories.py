"""Histories of a packed list whose writers, folders and loaders are killed at every call.

They are the histories of any packed list. In addition some work is repeated from the same state,
and killed before its first call, after it, before its second, and so on to its end. Each time the
list must equal its state before the work or after it, its nodes must be right, and the next work
must find it so: the history continues from one of those deaths.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import count

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import apply
from tests.platform.counted_tree.test_histories import CHOICES, ENTRIES, run_on
from tests.platform.counted_tree.test_packed_histories import LOADED, PackedHistories

type Model = dict[str, TreeEntry]

DRAWN = st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=6)
DEATHS = st.integers(0, 40)
"""At which of them the history goes on; behind the last one the work is done."""


@contextmanager
def killed_at(engine: Engine, place: int) -> Iterator[list[str]]:
    """Kills the block's work: at 2 n before its call n, from 0, and at 2 n + 1 after it.

    Yields the calls that were made. A dead process makes no calls any more.
    """
    passed = count()
    done: list[str] = []

    def die_in_time(_operation: str) -> None:
        if next(passed) >= place:
            raise Killed

    def note(operation: str) -> None:
        done.append(operation)
        die_in_time(operation)

    engine.before_call, engine.after_call = die_in_time, note
    try:
        yield done
    finally:
        engine.before_call = engine.after_call = None


class KilledHistories(PackedHistories):
    """Writers, folders and loaders that die."""

    def killed_everywhere(
        self, work: Callable[[], object], after: Callable[[list[str]], Model], stays: int
    ) -> None:
        """Repeats the work from one state with every death; `after` says what the list then has.

        It gets the calls that were made, and may read the list.
        """
        assert self.engine is not None
        restore, before = self.engine.snapshot(), dict(self.lists.model)
        for place in count():
            restore()
            self.lists.model = dict(before)
            if not self.died(work, after, place):
                break
            self.lists.check_whole()
            self.lists.check_page(PageRequest(2, 3), descending=bool(place % 2))
        if stays < place:
            restore()
            self.lists.model = dict(before)
            self.died(work, after, stays)

    def died(
        self, work: Callable[[], object], after: Callable[[list[str]], Model], place: int
    ) -> bool:
        """Whether the work came to that death; the model follows the calls that were made."""
        assert self.engine is not None
        died = False
        with killed_at(self.engine, place) as done:
            try:
                work()
            except Killed:
                died = True
        self.lists.model = after(done)
        return died

    @rule(drawn=DRAWN, later=st.booleans(), stays=DEATHS)
    def write_and_die(self, drawn: list[tuple[TreeEntry, int]], later: bool, stays: int) -> None:
        """After its first transaction all of it is stored; before, nothing."""
        operations = self.operations(drawn)
        before = dict(self.lists.model)
        self.lists.note(*operations)
        written, self.lists.model = self.lists.model, before

        def work() -> None:
            with self.others_at_the_nodes() if later else nullcontext():
                commit_anew(apply(self.lists.tree, operations))

        def after(done: Sequence[str]) -> Model:
            return dict(written if "TransactWriteItems" in done else before)

        self.killed_everywhere(work, after, stays)

    @rule(drawn=DRAWN, stays=DEATHS)
    def fold_and_die(self, drawn: list[tuple[TreeEntry, int]], stays: int) -> None:
        """A fold doesn't change what the list shows."""
        for operation in self.operations(drawn):
            with self.others_at_the_nodes():
                self.lists.do(operation)
        same = dict(self.lists.model)
        self.killed_everywhere(self.lists.tree.fold, lambda _: dict(same), stays)

    @rule(drawn=LOADED, stays=DEATHS)
    def load_and_die(self, drawn: list[TreeEntry], stays: int) -> None:
        """The listed part of a load is its beginning; its repetition lists the rest."""
        new = self.to_load(drawn)
        before = dict(self.lists.model)

        def after(_done: Sequence[str]) -> Model:
            _, there = self.lists.tree.rows.everything()
            came = {e.key for e in there} - before.keys()
            assert came == {e.key for e in new[: len(came)]}
            return before | {e.key: e for e in new[: len(came)]}

        self.killed_everywhere(partial(Load(self.lists.tree).run, new), after, stays)
        Load(self.lists.tree).run(new)
        self.note_loaded(new)


SHARDS = 2
"""So that several processes share them."""


@pytest.mark.usefixtures("folds_on_demand", "all_is_cold")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_list_equals_model_though_processes_are_killed_at_any_call(
    engine: Engine, shard: int
) -> None:
    """4 histories in all, 2,000 in CI: each has hundreds of deaths."""
    run_on(engine, KilledHistories, 4, shard, SHARDS)
