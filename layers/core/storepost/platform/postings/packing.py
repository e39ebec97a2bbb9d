"""Writes runs: a large batch as one run, and merges of several runs.

Pages are written while nothing names them; then one write of the runs' row publishes them. A writer
that is killed in between leaves a run that was begun: a later one abandons it and deletes its
pages.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, takewhile

from storepost.platform.persistence.item import Key, Raw
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows
from storepost.platform.persistence.loads.serializing import RowSerializer
from storepost.platform.postings.keys import Indexed, fences_key, page_key
from storepost.platform.postings.pages import (
    KeyedPosting,
    PostingFencesItem,
    PostingPageItem,
    content_of,
    cut_by_key,
    fences_of,
)
from storepost.platform.postings.reading import PageReader, RunGone
from storepost.platform.postings.runs import (
    EndedRun,
    ExpectLive,
    Run,
    RunAbandoned,
    Runs,
    RunsRepository,
)

MAX_UNSORTED_BYTES = 256_000
"""The size of batches' runs together, which every search reads whole: beyond it they are merged."""

MAX_UNSORTED_PAGES = 48

MIN_MERGED = 4
"""How many sorted runs are merged at once, at least."""

MAX_MERGED_PAGES = 1_500
"""How many pages of sorted runs are merged: a merge has to end within one run of the worker."""


class Packing:
    """Writes runs of one kind in one workspace."""

    def __init__(self, of: Indexed) -> None:
        """Makes the writer."""
        self._of = of
        self._runs = RunsRepository(of)
        self._pages = RowSerializer(PostingPageItem)
        self._fences = RowSerializer(PostingFencesItem)

    def begin(self, pages: Sequence[Sequence[KeyedPosting]], expect_live: ExpectLive) -> Runs:
        """Begins a run of these pages; its number is the newest of the returned runs."""
        return self._runs.begin_batch(len(pages), expect_live)

    def write(self, begun: Runs, pages: Sequence[Sequence[KeyedPosting]]) -> None:
        """Writes the pages of a batch's run and publishes it; merges runs where that is due.

        Raises RunAbandoned if it took too long: the batch has to be written again.
        """
        number = begun.newest
        rows = self._page_rows(number, pages)
        put_rows(rows)
        run = Run(number, number, len(pages), _size(rows), is_sorted=False)
        self._remove(begun.ended)
        self.merge_due(self._runs.publish(run, begun.ended))

    def merge_due(self, runs: Runs) -> None:
        """Merges runs if there are so many that searches read too much."""
        now: Runs | None = runs
        with suppress(RunGone, RunAbandoned):  # another process has merged them meanwhile
            while now and (merged := due(now)):
                now = self._merge(merged)

    def _merge(self, merged: Sequence[Run]) -> Runs | None:
        """Writes one run of the postings that hold in several, and publishes it in their place.

        Returns which runs there are then; None if another process merges.
        """
        reader, found = PageReader(self._of), dict[str, KeyedPosting]()
        for each in chain.from_iterable(map(reader.all_of, merged)):
            known = found.get(each.sort_key)
            if known is None or known.sequence < each.sequence:
                found[each.sort_key] = each
        pages = cut_by_key(found[key] for key in sorted(found))
        number = self._runs.begin_merge(merged, len(pages))
        if number is None:
            return None
        rows = self._page_rows(number, pages)
        fences = fences_key(self._of, number)
        put_rows([*rows, self._fences.row(fences, {"fences": fences_of(pages)})])
        sequence = max(run.sequence for run in merged)
        run = Run(number, sequence, len(pages), _size(rows), is_sorted=True)
        return self._runs.publish(run)

    def _page_rows(self, number: int, pages: Iterable[Sequence[KeyedPosting]]) -> list[Raw]:
        return [
            self._pages.row(
                page_key(self._of, number, place), {"content": content_of(page, number)}
            )
            for place, page in enumerate(pages)
        ]

    def _remove(self, ended: Iterable[EndedRun]) -> None:
        """Deletes the pages of runs that are no longer read."""
        delete_rows(key for run in ended for key in self._keys_of(run))

    def _keys_of(self, run: EndedRun) -> list[Key]:
        pages = [page_key(self._of, run.number, each) for each in range(run.pages)]
        return [*pages, fences_key(self._of, run.number)]


def due(runs: Runs) -> Sequence[Run]:
    """Returns the runs that are to be merged now; none while a merge is under way.

    Batches' runs are merged first; of sorted runs, the newest that are small enough together. The
    merged runs are adjacent in the order of their sequences: no other run may be between them.
    """
    if runs.is_merging:
        return ()
    unsorted = _last(runs.mergeable, is_sorted=False)
    size, pages = sum(each.size for each in unsorted), sum(each.pages for each in unsorted)
    if size >= MAX_UNSORTED_BYTES or pages >= MAX_UNSORTED_PAGES:
        return unsorted
    below = runs.mergeable[: len(runs.mergeable) - len(unsorted)]
    small, total = list[Run](), 0
    for run in reversed(_last(below, is_sorted=True)):
        total += run.pages
        if total > MAX_MERGED_PAGES:
            break
        small.append(run)
    return small if len(small) >= MIN_MERGED else ()


def _last(runs: Sequence[Run], *, is_sorted: bool) -> list[Run]:
    """Returns the last runs in order, back to the first one of the other sort."""
    found = takewhile(lambda each: each.is_sorted == is_sorted, reversed(runs))
    return list(found)[::-1]


def _size(rows: Iterable[Raw]) -> int:
    return sum(len(row["z"]["B"]) for row in rows)
