"""Reads rows and pages together: of the postings under one key, the newest one is returned.

Pages are named by the runs' row and never change, so they are read with eventual consistency: a
page that isn't found is read once more. If a merge has deleted it by then, the runs' row is read
again, and reading goes on after the last sort key.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from typing import Any, NamedTuple

from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import Key, find_raw
from storepost.platform.postings.entries import Posting
from storepost.platform.postings.keys import Indexed, fences_key, page_key
from storepost.platform.postings.pages import KeyedPosting, Page, pages_of_prefix
from storepost.platform.postings.runs import Run, Runs

_CONTENT = Deflated()

_FIRST_PAGES = 1
"""How many pages of a sorted run are read together with those of the others."""

_PAGES = 4
"""How many pages of a sorted run are read at once after that."""


class RunGone(Exception):  # noqa: N818 - it is what happened
    """A merge has deleted a run's pages since the run was read."""


class Layer(NamedTuple):
    """A posting of a row or of a page, with what decides which one of a key holds."""

    sort_key: str
    sequence: int
    is_row: bool
    posting: Posting | None
    """None for a tombstone."""


def newest_of_each(layers: Iterable[Iterator[Layer]]) -> Iterator[KeyedPosting]:
    """Returns the postings that hold, in order; each of the layers is in order."""
    for key, found in groupby(merge(*layers, key=_sort_key), key=_sort_key):
        posting = max(found, key=lambda layer: (layer.sequence, layer.is_row)).posting
        if posting:
            yield KeyedPosting(key, posting)


def _sort_key(layer: Layer) -> str:
    return layer.sort_key


class PageReader:
    """The pages of a kind's runs, each read once."""

    def __init__(self, of: Indexed) -> None:
        """Begins with no page read."""
        self._of = of
        self._found: dict[Key, Any] = {}

    def layers(self, runs: Runs, prefix: str, after: str) -> list[Iterator[Layer]]:
        """Returns each run's postings whose words begin with `prefix`, after a sort key, in order.

        Raises RunGone, now or while they are iterated.
        """
        pages = self._pages(runs, prefix, after)
        first = [
            key
            for run, keys in zip(runs.runs, pages, strict=True)
            for key in (keys[:_FIRST_PAGES] if run.is_sorted else keys)
        ]
        self._read(first)
        return [
            layer
            for run, keys in zip(runs.runs, pages, strict=True)
            for layer in self._of_run(run, keys, prefix, after)
        ]

    def all_of(self, run: Run) -> Iterator[KeyedPosting]:
        """Returns all postings of a run, in the order of its pages. Raises RunGone."""
        keys = [page_key(self._of, run.number, each) for each in range(run.pages)]
        self._read(keys)
        return (each for key in keys for each in Page(self._found[key]).beginning("", ""))

    def _pages(self, runs: Runs, prefix: str, after: str) -> list[list[Key]]:
        """Returns, for each run, the keys of its pages that may have such postings."""
        fences = {run: fences_key(self._of, run.number) for run in runs.runs if run.is_sorted}
        self._read(fences.values())
        return [
            [
                page_key(self._of, run.number, number)
                for number in (
                    pages_of_prefix(self._found[fences[run]], prefix, after)
                    if run.is_sorted
                    else range(run.pages)
                )
            ]
            for run in runs.runs
        ]

    def _of_run(
        self, run: Run, keys: Sequence[Key], prefix: str, after: str
    ) -> Iterator[Iterator[Layer]]:
        if run.is_sorted:
            yield self._in_turn(keys, prefix, after)
            return
        for key in keys:
            yield self._of_page(key, prefix, after)

    def _in_turn(self, keys: Sequence[Key], prefix: str, after: str) -> Iterator[Layer]:
        for number, key in enumerate(keys):
            if key not in self._found:
                self._read(keys[number : number + _PAGES])
            yield from self._of_page(key, prefix, after)

    def _of_page(self, key: Key, prefix: str, after: str) -> Iterator[Layer]:
        for each in Page(self._found[key]).beginning(prefix, after):
            yield Layer(each.sort_key, each.sequence, is_row=False, posting=each.posting)

    def _read(self, keys: Iterable[Key]) -> None:
        """Reads the pages that weren't read yet. Raises RunGone."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._found]
        found = find_raw(missing, consistent=False)
        found |= find_raw(key for key in missing if key not in found)
        if len(found) < len(missing):
            raise RunGone
        self._found |= {key: _CONTENT.deserialize(raw["z"]["B"]) for key, raw in found.items()}
