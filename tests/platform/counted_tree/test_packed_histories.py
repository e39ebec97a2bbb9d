"""Histories of a packed list against a plain one: loads and folds beside single writers.

They are the histories of any list, with loads at any time; leaves without loaded entries are as
before. Some lists also pack as they grow, whatever the age of their entries.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    KeyRange,
    TreeEntry,
)
from storepost.platform.persistence.counted_tree.keys import behind
from storepost.platform.persistence.counted_tree.loading import Load
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine, Killed
from tests.platform.counted_tree.lists import (
    NAMES,
    STATUS,
    Operation,
    TwoLists,
    entry,
    expected,
    nodes_locked,
    tree,
)
from tests.platform.counted_tree.test_histories import (
    CHOICES,
    ENTRIES,
    FILTERS,
    RANGES,
    REQUESTS,
    Histories,
    run_on,
)

LOADED = st.lists(
    st.builds(
        entry,
        st.sampled_from(NAMES),
        st.integers(41, 400),
        st.sampled_from(STATUS.values),
        test=st.booleans(),
    ),
    min_size=1,
    max_size=60,
)
PACKINGS = st.builds(
    Packing,
    entries=st.integers(2, 8),
    fold_after=st.integers(1, 6),
    ends=st.integers(1, 6),
    node_fan_out=st.integers(2, 4),
    pages=st.integers(1, 4),
    cold_after=st.none() | st.just(timedelta()),
)


class PackedHistories(Histories):
    """Writers, readers, loaders."""

    @initialize(
        fan_out=st.integers(2, 5),
        top_nodes=st.integers(2, 6),
        packing=PACKINGS,
        keys_stay=st.booleans(),
    )
    def begin(self, fan_out: int, top_nodes: int, packing: Packing, keys_stay: bool) -> None:
        """Nodes and pages of any size."""
        name = f"history#{uuid4()}"
        self.lists = TwoLists(tree(name, fan_out, top_nodes, packing=packing, keys_stay=keys_stay))

    def to_load(self, drawn: Sequence[TreeEntry]) -> list[TreeEntry]:
        """The entries in order, without existing ones."""
        new = {each.key: each for each in drawn if each.key not in self.lists.model}
        return [each for _, each in sorted(new.items())]

    def note_loaded(self, entries: Sequence[TreeEntry]) -> None:
        """Loaded entries replace existing ones."""
        self.lists.model.update({each.key: each for each in entries})

    @rule(drawn=LOADED)
    def load(self, drawn: list[TreeEntry]) -> None:
        """Entries from all over."""
        new = self.to_load(drawn)
        Load(self.lists.tree).run(new)
        self.note_loaded(new)

    @rule(drawn=LOADED, choice=CHOICES)
    def load_again(self, drawn: list[TreeEntry], choice: int) -> None:
        """Some entries with other values than before; other existing ones stay as they are."""
        there = [e for key, e in sorted(self.lists.model.items()) if hash((key, choice)) % 2]
        changed = {e.key: TreeEntry(e.key, {**e.values, "isTest": True}, e.payload) for e in there}
        entries = sorted((changed | {e.key: e for e in self.to_load(drawn)}).items())
        Load(self.lists.tree).run([e for _, e in entries])
        self.note_loaded([e for _, e in entries])

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=LOADED,
        writes=st.lists(st.tuples(ENTRIES, CHOICES), min_size=1, max_size=12),
        call=st.integers(1, 20),
        later=st.booleans(),
    )
    def write_between_a_load(
        self,
        drawn: list[TreeEntry],
        writes: list[tuple[TreeEntry, int]],
        call: int,
        later: bool,
    ) -> None:
        """A writer commits, and splits or leaves that for later, before some call of a load."""
        new = self.to_load(drawn)
        done = self.operations_besides(new, writes)
        self.note_loaded(new)
        with self.before_call(call, partial(self.act, done, later=later)):
            Load(self.lists.tree).run(new)

    def act(self, done: Sequence[Operation], *, later: bool) -> None:
        """Another writer commits."""
        assert self.engine is not None
        if later:
            with nodes_locked(self.engine):
                self.lists.do(*done)
        else:
            self.lists.do(*done)

    @precondition(lambda self: self.engine is not None)
    @rule(drawn=LOADED, call=st.integers(1, 20))
    def die_loading(self, drawn: list[TreeEntry], call: int) -> None:
        """Then the beginning of it is listed; the repetition lists the rest."""

        def die() -> None:
            raise Killed

        new = self.to_load(drawn)
        with suppress(Killed), self.before_call(call, die):
            Load(self.lists.tree).run(new)
        assert self.engine is not None
        self.engine.before_call = None
        _, there = self.lists.tree.rows.everything()
        came = {e.key for e in there} - self.lists.model.keys()
        assert came == {e.key for e in new[: len(came)]}
        self.note_loaded(new[: len(came)])
        self.lists.check()
        Load(self.lists.tree).run(new)
        self.note_loaded(new)

    @precondition(lambda self: self.engine is not None)
    @rule(
        drawn=LOADED,
        request=REQUESTS,
        call=st.integers(1, 8),
        descending=st.booleans(),
        by=st.none() | FILTERS,
        within=RANGES,
    )
    def read_between_a_load(
        self,
        drawn: list[TreeEntry],
        request: PageRequest,
        call: int,
        descending: bool,
        by: Filter | None,
        within: KeyRange,
    ) -> None:
        """A load between two calls of a reader: its total is from before or after the load."""
        new = self.to_load(drawn)
        before = dict(self.lists.model)
        self.note_loaded(new)
        with self.before_call(call, partial(Load(self.lists.tree).run, new)):
            listing = self.lists.tree.page(request, descending=descending, by=by, within=within)
        totals = [
            len(expected(model, by=by, within=within)) for model in (before, self.lists.model)
        ]
        assert totals[0] <= listing.total <= totals[1]
        if within == EVERYTHING and not self.lists.tree.keys_stay:
            assert listing.total in totals

    @precondition(lambda self: self.engine is not None)
    @rule(drawn=LOADED, call=st.integers(1, 20))
    def load_between_a_load(self, drawn: list[TreeEntry], call: int) -> None:
        """Two loads of one list."""
        new = self.to_load(drawn)
        self.note_loaded(new)
        first, second = new[::2], new[1::2]
        with self.before_call(call, partial(Load(self.lists.tree).run, second)):
            Load(self.lists.tree).run(first)

    @rule(choice=CHOICES)
    def walk(self, choice: int) -> None:
        """Reads all of it in parts."""
        found: list[TreeEntry] = []
        within = EVERYTHING
        while some := self.lists.tree.first(within, 1 + choice % 9):
            found += some
            within = behind(some[-1].key)
        assert found == self.lists.expected()

    @rule(ends=st.tuples(CHOICES, CHOICES), limit=st.integers(1, 30))
    def walk_between(self, ends: tuple[int, int], limit: int) -> None:
        """The first entries of a range that ends before the list does."""
        entries = self.lists.expected()
        first, last = sorted(choice % (len(entries) or 1) for choice in ends)
        inside = entries[first : last + 1]
        if inside:
            within = KeyRange(inside[0].key, behind(inside[-1].key).lo)
            assert self.lists.tree.first(within, limit) == inside[:limit]

    @rule(by=FILTERS)
    def draw(self, by: Filter) -> None:
        """One of the entries that the filter keeps."""
        drawn = self.lists.tree.any_of(by)
        rows = self.lists.expected(by=by)
        assert drawn in rows if rows else drawn is None


SHARDS = 2
"""So that several processes share them."""


@pytest.mark.usefixtures("folds_on_demand", "all_is_cold")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_packed_list_equals_model_after_any_history(engine: Engine, shard: int) -> None:
    """12 histories in all, 2,000 in CI."""
    run_on(engine, PackedHistories, 12, shard, SHARDS)


@pytest.mark.usefixtures("folds_on_demand", "all_is_cold", "world")
def test_packed_list_equals_model_after_any_history_on_moto() -> None:
    """A few of them with moto's evaluation of the expressions."""
    run_state_machine_as_test(
        PackedHistories, settings=settings(max_examples=2, stateful_step_count=6)
    )
