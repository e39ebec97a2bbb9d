"""Histories of an index against a plain one: after all writes, reads, kills and merges."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock
from uuid import UUID, uuid4

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from storepost.platform.persistence.changes import Changes
from storepost.platform.postings import packing, pages, reading, writing
from storepost.platform.postings.entries import Posting, SearchEntry, SearchKind, postings_of
from storepost.platform.postings.keys import posting_key
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.writing import write_together
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import Side, around_calls, killed_at

KIND = SearchKind.PRODUCT
ENTRIES = [UUID(int=number << 64) for number in range(8)]
WORDS = ("a", "ab", "abc", "b", "ba", "ü", "ya")
PREFIXES = ("", "a", "ab", "b", "y", "z", "=")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

SMALL = (
    (writing, "MIN_PACKED", 2),
    (packing, "MAX_UNSORTED_PAGES", 5),
    (packing, "MIN_MERGED", 2),
    (packing, "MAX_MERGED_PAGES", 30),
    (pages, "_SORTED_PAGE_POSTINGS", 3),
    (pages, "_BATCH_PAGE_BYTES", 1),
    (reading, "_FIRST_PAGES", 1),
    (reading, "_PAGES", 2),
)

TITLES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
SHOWN = st.builds(
    lambda title, day, code, hidden: (title, day, code, hidden),
    TITLES,
    st.integers(0, 2),
    st.sampled_from([(), (), ("sku 1",)]),
    st.sampled_from([False, False, False, True]),
)
CHANGES = st.lists(st.tuples(st.sampled_from(ENTRIES), st.none() | SHOWN), min_size=1, max_size=6)
LOADS = st.lists(st.tuples(st.sampled_from(ENTRIES), SHOWN), min_size=2, max_size=8)
CALLS = st.integers(1, 14)
SIDES = st.sampled_from(list(Side))

type Visible = dict[str, Posting]
type Change = tuple[UUID, tuple[str, int, tuple[str, ...], bool] | None]


def expect_nothing(_changes: Changes, _workspace: WorkspaceScope) -> None:
    """The workspace is there."""


class Histories(RuleBasedStateMachine):
    """A stream of changes, its readers (one for each half of the entries), and searches."""

    def __init__(self) -> None:
        super().__init__()
        self.workspace = WorkspaceScope(uuid4())
        self.states: dict[UUID, SearchEntry | None] = {}
        self.waiting: list[tuple[SearchEntry | None, SearchEntry | None]] = []
        self.rebuilt = set[UUID]()
        self.smaller = [mock.patch.object(*each) for each in SMALL]

    @initialize()
    def begin(self) -> None:
        """With small pages."""
        for each in self.smaller:
            each.start()

    def teardown(self) -> None:
        """Restores the size."""
        clock.reset()
        for each in self.smaller:
            each.stop()

    @property
    def repository(self) -> PostingRepository:
        """A new repository, as a request has one."""
        return PostingRepository(self.workspace, KIND)

    @property
    def unsettled(self) -> set[UUID]:
        """The entries with waiting records."""
        return {each.id for record in self.waiting for each in record if each}

    def expected(self, prefix: str, but: Iterable[UUID] = ()) -> Visible:
        """The results among the entries without waiting records."""
        left_out = self.unsettled.union(but)
        return {
            posting_key(self.workspace, KIND, posting.word, posting.id)[1]: posting
            for entry in self.states.values()
            if entry and entry.id not in left_out
            for posting in postings_of(entry)
            if f"{posting.word}\x01".startswith(prefix)
        }

    def check(self, found: Iterable[Posting], prefix: str, but: Iterable[UUID] = ()) -> None:
        """The results are in order, and exact for those entries."""
        left_out = self.unsettled.union(but)
        keys = [(posting_key(self.workspace, KIND, p.word, p.id)[1], p) for p in found]
        assert [key for key, _ in keys] == sorted({key for key, _ in keys})
        postings = {key: p for key, p in keys if p.id not in left_out}
        assert postings == self.expected(prefix, but)

    @rule(changes=CHANGES)
    def change(self, changes: Sequence[Change]) -> None:
        """Rows change, each with a record in the stream."""
        for entry_id, state in changes:
            before = self.states.get(entry_id)
            after = None
            if state:
                title, day, codes, hidden = state
                at = EPOCH + timedelta(days=day)
                after = SearchEntry(KIND, entry_id, title, at, codes=codes, is_hidden=hidden)
            self.states[entry_id] = after
            if before or after:
                self.waiting.append((before, after))

    def deliver(self, half: int, most: int, *, packs: bool) -> None:
        """One reader of the stream handles its next records."""
        batch = [each for each in self.waiting if half_of(each) == half][:most]
        repository = self.repository
        write_together(
            [repository.differences(*record) for record in batch],
            expect_nothing if packs else None,
        )
        for record in batch:
            self.waiting.remove(record)

    @rule(changes=LOADS)
    def load(self, changes: Sequence[Change]) -> None:
        """Many rows change, and the stream delivers them at once."""
        self.change(changes)
        for half in (0, 1):
            self.deliver(half, 100, packs=True)

    @rule(changes=CHANGES)
    def write(self, changes: Sequence[Change]) -> None:
        """Some rows change, and the stream delivers them one by one."""
        self.change(changes)
        for half in (0, 1):
            self.deliver(half, 100, packs=False)

    @rule(half=st.integers(0, 1), most=st.integers(1, 12), packs=st.booleans())
    def insert(self, half: int, most: int, packs: bool) -> None:
        """A reader handles a batch."""
        self.deliver(half, most, packs=packs)

    @rule(half=st.integers(0, 1), most=st.integers(2, 12), call=CALLS, side=SIDES)
    def die(self, half: int, most: int, call: int, side: Side) -> None:
        """The reader dies at some call; its records are delivered again later."""
        killed_at(call, side, lambda: self.deliver(half, most, packs=True))

    @rule(most=st.integers(2, 12), others=st.integers(2, 12), call=CALLS)
    def bring_both(self, most: int, others: int, call: int) -> None:
        """Both readers, one between two calls of the other."""
        with before_call(call, lambda: self.deliver(1, others, packs=True)):
            self.deliver(0, most, packs=True)

    @rule(
        prefix=st.sampled_from(PREFIXES),
        most=st.integers(2, 12),
        call=CALLS,
        half=st.integers(0, 1),
    )
    def search_meanwhile(self, prefix: str, most: int, call: int, half: int) -> None:
        """Between two calls of a search a batch is written, which may merge."""
        unsettled = self.unsettled
        with before_call(call, lambda: self.deliver(half, most, packs=True)):
            found = list(self.repository.beginning(prefix))
        self.check(found, prefix, unsettled)

    @rule(
        entries=st.sets(st.sampled_from(ENTRIES), min_size=1),
        call=CALLS,
        most=st.integers(1, 12),
        packs=st.booleans(),
        half=st.integers(0, 1),
    )
    def rebuild(self, entries: set[UUID], call: int, most: int, packs: bool, half: int) -> None:
        """All postings of some entries are rebuilt; a batch is written between two calls."""
        with before_call(call, lambda: self.deliver(half, most, packs=True)):
            stale = [
                (self.repository.keys(self.states.get(each)), self.states.get(each))
                for each in sorted(entries)
            ]
            self.repository.write_all(stale, expect_nothing if packs else None)

    @rule()
    def wait(self) -> None:
        """Begun runs are abandoned."""
        clock.advance(timedelta(minutes=31))

    @rule(prefix=st.sampled_from(PREFIXES))
    def search(self, prefix: str) -> None:
        """Everything with that prefix."""
        self.check(self.repository.beginning(prefix), prefix)

    @invariant()
    def is_exact(self) -> None:
        """Everything, three at a time, as a rebuild reads it."""
        found, after = list[str](), ""
        while some := self.repository.stored(after, 3):
            after = some[-1][0][1]
            found += [key[1] for key, entry_id in some if entry_id not in self.unsettled]
        assert found == sorted(self.expected(""))


def half_of(record: tuple[SearchEntry | None, SearchEntry | None]) -> int:
    """Which reader of the stream has a record."""
    return next(ENTRIES.index(each.id) % 2 for each in record if each)


@contextmanager
def before_call(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Lets another process act before one of the block's calls, or after all of them."""
    waiting = [act]

    def step(at: int, _operation: str, side: Side) -> None:
        if waiting and at == number and side is Side.BEFORE:
            waiting.pop()()

    with around_calls(step):
        yield
    for each in waiting:
        each()


def test_search_is_exact_after_any_history() -> None:
    run_state_machine_as_test(
        Histories, settings=settings(max_examples=40, stateful_step_count=20, deadline=None)
    )
