"""One row says which runs of pages a workspace has of one kind.

A run is the pages that one batch or one merge has written. Its number is part of its pages' keys,
and is new for each attempt. Of several postings under one key, the one with the greatest sequence
holds; of a row and a page with the same sequence, the row. The postings of a batch's pages have the
run's number as their sequence, and keep it in merges; a row, or a tombstone, has the greatest
number that any run had when the row was written.

So if one writer writes an entry's postings several times, the last ones are read, in rows or pages:
a run gets its number before its pages are written, and a row gets its sequence from an earlier
read.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

from pynamodb.attributes import NumberAttribute

from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import VersionedItem, find, find_all, find_in
from storepost.platform.persistence.records import Records
from storepost.platform.postings.keys import Indexed, runs_key
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

ABANDONED_AFTER = timedelta(minutes=30)
"""A run that was begun so long ago will not be finished: a function runs for at most 15 minutes."""

type ExpectLive = Callable[[Changes, WorkspaceScope], None]
"""Adds the condition that a workspace exists, when it gets its first run."""


class RunAbandoned(Exception):  # noqa: N818 - it is what happened
    """Another writer abandoned the slow run, or the workspace is gone: the run isn't read."""


class PostingRunsItem(VersionedItem, discriminator="posting_runs"):
    """Says which runs a workspace has of one kind."""

    newest = NumberAttribute()
    """The greatest number that any run ever had."""
    runs = Records("number", "sequence", "pages", "size", "is_sorted", named_by=["number"])
    """The published runs, by their sequence; the size is in bytes."""
    begun = Records("number", "pages", "at", "first", "last", named_by=["number"])
    """Runs whose pages are being written, and since when.

    For a merge, they also have the least and the greatest sequence of the runs that it merges.
    """
    ended = Records("number", "pages", named_by=["number"])
    """Runs that are no longer read, and whose pages may still exist."""


@dataclass(frozen=True)
class Run:
    """A published run: it is read."""

    number: int
    sequence: int
    """The greatest sequence of its postings."""
    pages: int
    size: int
    """The bytes of its pages."""
    is_sorted: bool
    """Whether it is a merge's run, cut by sort keys, with fences."""


@dataclass(frozen=True)
class UnfinishedRun:
    """A run whose pages are being written."""

    number: int
    pages: int
    at: datetime
    first: int | None = None
    last: int | None = None
    """For a merge, the least and the greatest sequence of the runs that it merges."""

    @property
    def is_merge(self) -> bool:
        """Returns whether it is a merge's run."""
        return self.first is not None

    @property
    def is_abandoned(self) -> bool:
        """Returns whether it is so old that its writer must have ended."""
        return self.at < clock.now() - ABANDONED_AFTER

    def merges(self, run: Run) -> bool:
        """Returns whether it merges that run."""
        if self.first is None or self.last is None:
            return False
        return self.first <= run.sequence <= self.last


@dataclass(frozen=True)
class EndedRun:
    """A run whose pages are to be removed."""

    number: int
    pages: int


@dataclass(frozen=True)
class Runs:
    """Says which runs of one kind a workspace has."""

    newest: int = 0
    runs: tuple[Run, ...] = ()
    begun: tuple[UnfinishedRun, ...] = ()
    ended: tuple[EndedRun, ...] = ()

    @property
    def is_merging(self) -> bool:
        """Returns whether a merge is under way that isn't abandoned."""
        return any(each.is_merge and not each.is_abandoned for each in self.begun)

    @property
    def mergeable(self) -> tuple[Run, ...]:
        """Returns the runs that may be merged: those with a lower sequence than all begun batches'.

        Rows and pages that are written later have a greater sequence than these.
        """
        first = min((each.number for each in self.begun if not each.is_merge), default=None)
        return tuple(each for each in self.runs if first is None or each.sequence < first)


class RunsRepository:
    """Reads and changes the row of one kind in one workspace."""

    def __init__(self, indexed: Indexed) -> None:
        """Makes the repository."""
        self._scope = indexed.workspace
        self._key = runs_key(indexed)

    def find(self) -> Runs:
        """Returns the runs in the row; no runs if there is no row."""
        return _as_runs(find(PostingRunsItem, self._key))

    def begin_batch(self, pages: int, expect_live: ExpectLive) -> Runs:
        """Begins a batch's run; its number is the newest of the returned runs.

        Raises the error that `expect_live` sets for the commit if the workspace is gone.
        """

        def begin(changes: Changes, before: Runs) -> Runs:
            if not before.newest:
                expect_live(changes, self._scope)
            return _with_unfinished(before, UnfinishedRun(before.newest + 1, pages, clock.now()))

        return self._change(begin)

    def begin_merge(self, merged: Collection[Run], pages: int) -> int | None:
        """Begins a merge's run and returns its number; None if the runs can't be merged now."""
        sequences = [each.sequence for each in merged]

        def begin(_: Changes, before: Runs) -> Runs | None:
            number, now = before.newest + 1, clock.now()
            begun = UnfinishedRun(number, pages, now, min(sequences), max(sequences))
            covered = {each for each in before.mergeable if begun.merges(each)}
            if before.is_merging or covered != set(merged):
                return None
            return _with_unfinished(before, begun)

        after = self._change(begin)
        return after.newest if after else None

    def publish(self, run: Run, removed: Collection[EndedRun] = ()) -> Runs:
        """Publishes a run whose pages are written, and drops ended runs whose pages are deleted.

        Publishing a merge's run ends the runs that it merged. Raises RunAbandoned.
        """

        def apply(_: Changes, before: Runs) -> Runs:
            begun = next((each for each in before.begun if each.number == run.number), None)
            if begun is None:
                raise RunAbandoned
            merged = [each for each in before.runs if begun.merges(each)]
            ended = [EndedRun(each.number, each.pages) for each in merged]
            published = [run, *(each for each in before.runs if each not in merged)]
            return replace(
                before,
                runs=tuple(sorted(published, key=lambda each: each.sequence)),
                begun=tuple(each for each in before.begun if each != begun),
                ended=(*(each for each in before.ended if each not in removed), *ended),
            )

        return self._change(apply)

    def _change[R: Runs | None](self, work: Callable[[Changes, Runs], R]) -> R:
        """Writes the runs that `work` returns; nothing if it returns None."""

        def change(changes: Changes) -> R:
            row = find(PostingRunsItem, self._key)
            after = work(changes, _as_runs(row))
            if after is not None:
                row = row or PostingRunsItem(*self._key)
                row.newest = after.newest
                row.runs = [list(astuple(each)) for each in after.runs]
                row.begun = list(map(_unfinished_elements, after.begun))
                row.ended = [list(astuple(each)) for each in after.ended]
                changes.save(row)
            return after

        return commit_anew(change)


def newest_of(indexed: Iterable[Indexed]) -> dict[Indexed, int]:
    """Returns the greatest number that any run of each has ever had; 0 if there was none."""
    keys = {each: runs_key(each) for each in indexed}
    rows = find_all(keys.values())
    return {each: _as_runs(find_in(rows, PostingRunsItem, keys[each])).newest for each in keys}


def _with_unfinished(runs: Runs, begun: UnfinishedRun) -> Runs:
    """Returns the runs with one that is begun now; abandoned ones are ended."""
    abandoned = [each for each in runs.begun if each.is_abandoned]
    remaining = (each for each in runs.begun if each not in abandoned)
    ended = (EndedRun(each.number, each.pages) for each in abandoned)
    return replace(
        runs, newest=begun.number, begun=(*remaining, begun), ended=(*runs.ended, *ended)
    )


def _as_runs(row: PostingRunsItem | None) -> Runs:
    if row is None:
        return Runs()
    return Runs(
        int(row.newest),
        tuple(Run(*each) for each in row.runs),
        tuple(UnfinishedRun(n, p, clock.from_text(at), *merged) for n, p, at, *merged in row.begun),
        tuple(EndedRun(*each) for each in row.ended),
    )


def _unfinished_elements(run: UnfinishedRun) -> list[int | str | None]:
    return [run.number, run.pages, clock.to_text(run.at), run.first, run.last]
