"""A list in tests: a counted tree beside the plain dictionary that it must equal."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from unittest import mock
from uuid import UUID

from storepost.platform.persistence.changes import MAX_RUNS, Changes, LostRace, commit_anew
from storepost.platform.persistence.counted_tree import (
    EVERYTHING,
    Filter,
    FilterField,
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    text_key,
    writing,
)
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.counted_tree.pages import Packing
from storepost.platform.persistence.reads import ReadAhead
from storepost.values.pagination import PageRequest
from tests.platform.counted_tree.engine import Engine

STATUS = FilterField("status", "s", {"pending": "A", "paid": "B", "refunded": "C", None: "D"})
TEST = FilterField("isTest", "t", {False: "A", True: "B"})
FIELDS = (STATUS, TEST)
START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("", "ann", "ann lee", "Ánn", "bob", "zoë", "\U0001f600", None)

type Operation = tuple[TreeEntry | None, TreeEntry | None]
"""What is there and what shall be there instead; None for nothing."""


def entry(name: str | None, number: int, status: str | None, *, test: bool) -> TreeEntry:
    """An entry whose payload has all of its values."""
    values = {"status": status, "isTest": test}
    return TreeEntry(text_key(name, UUID(int=number)), values, [name, number])


def numbered(number: int, status: str | None = "paid", *, test: bool = False) -> TreeEntry:
    """The entry of a number; entries sort as their numbers do."""
    key = moment_key(START + timedelta(minutes=number), UUID(int=number))
    return TreeEntry(key, {"status": status, "isTest": test}, number)


def tree(
    partition: str,
    fan_out: int = 3,
    top_nodes: int = 4,
    levels: int | None = None,
    packing: Packing | None = None,
    *,
    keys_stay: bool = False,
) -> Tree:
    """A tree of few entries a node, so that it splits all the time and has many levels."""
    return Tree(partition, FIELDS, fan_out, top_nodes, levels, packing, keys_stay)


def apply(tree: Tree, operations: list[Operation]) -> Callable[[Changes], None]:
    """The unit of work that does all the operations."""

    def work(changes: Changes) -> None:
        for old, new in operations:
            if old and new:
                tree.move(changes, old, new)
            elif new:
                tree.insert(changes, new)
            elif old:
                tree.delete(changes, old)

    return work


class Importer:
    """A writer that remembers nodes from one unit of work to the next."""

    def __init__(self) -> None:
        self.reads = ReadAhead()

    def do(self, tree: Tree, operations: list[Operation], *, alone: bool = True) -> None:
        """Does the operations in one transaction; wrong remembered nodes are a lost race.

        If `alone`, it never takes more items than it said before.
        """
        for _ in range(MAX_RUNS):
            self.reads.next()
            changes = Changes(self.reads)
            apply(tree, operations)(changes)
            weighed = changes.items
            try:
                changes.commit()
            except LostRace:
                self.reads.clear()
                continue
            assert not alone or len(changes) <= weighed
            return
        raise AssertionError("it is lost for ever")


@contextmanager
def counted_later() -> Iterator[None]:
    """Writers inside the block leave the nodes for later, as if they had just met others there."""
    with mock.patch.object(writing, "is_contended", return_value=True):
        yield


@contextmanager
def nodes_locked(engine: Engine) -> Iterator[None]:
    """Another transaction holds all nodes: a unit that writes to them is refused."""
    engine.is_locked = lambda pk, sk: pk.endswith("#nodes") and sk[0].isdigit()
    try:
        yield
    finally:
        engine.is_locked = None


@dataclass
class TwoLists:
    """The tree and what it must hold."""

    tree: Tree
    model: dict[str, TreeEntry] = field(default_factory=dict)

    def do(self, *operations: Operation) -> None:
        """Does the operations in one transaction."""
        commit_anew(apply(self.tree, list(operations)))
        self.note(*operations)

    def note(self, *operations: Operation) -> None:
        """Applies the operations to the model only."""
        for old, new in operations:
            if old:
                del self.model[old.key]
            if new:
                assert new.key not in self.model
                self.model[new.key] = new

    def expected(
        self, *, descending: bool = False, by: Filter | None = None, within: KeyRange = EVERYTHING
    ) -> list[TreeEntry]:
        """The whole list as it must be."""
        return expected(self.model, descending=descending, by=by, within=within)

    def check_page(
        self,
        request: PageRequest,
        *,
        descending: bool = False,
        by: Filter | None = None,
        within: KeyRange = EVERYTHING,
    ) -> None:
        """One page and its total equal the model's."""
        listing = self.tree.page(request, descending=descending, by=by, within=within)
        rows = self.expected(descending=descending, by=by, within=within)
        assert listing.total == len(rows)
        assert list(listing.items) == rows[request.skipped :][: request.size]
        assert listing.request == request

    def check_whole(self) -> None:
        """The nodes are right, and so is the list, read at once."""
        assert faults(self.tree) == []
        self.check_page(PageRequest(1, 1000))

    def check(self) -> None:
        """The nodes are right, and every page of the list, and one past its end."""
        assert faults(self.tree) == []
        for number in range(1, len(self.model) // 7 + 3):
            self.check_page(PageRequest(number, 7))
            self.check_page(PageRequest(number, 7), descending=True)


def expected(
    model: Mapping[str, TreeEntry],
    *,
    descending: bool = False,
    by: Filter | None = None,
    within: KeyRange = EVERYTHING,
) -> list[TreeEntry]:
    """The result of the same query on a plain list."""
    entries = [e for key, e in sorted(model.items()) if within.lo <= key < within.hi]
    entries = [e for e in entries if by is None or e.values[by.field.name] in by.values]
    return entries[::-1] if descending else entries
