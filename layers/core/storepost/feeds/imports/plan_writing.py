"""Writes a plan: many new products at once, or some one by one."""

from typing import Self
from uuid import UUID

from storepost.catalog.products.writing import ProductSource
from storepost.feeds.imports.plan import Plan
from storepost.feeds.imports.writing import LOAD_READ_AHEAD, Progress, Writer

ENDS = 72
"""The first and last of many new products are written one by one: lists' ends aren't packed."""


class PlanWriter:
    """Writes a plan's products in their order; use it in a `with`."""

    def __init__(self, plan: Plan, source: ProductSource, prefetched: int, load: UUID) -> None:
        """Begins with nothing read; of those that are written one by one, `prefetched` are read.

        New ones are loaded under the id `load`, the same for all runs that write this plan.
        """
        self._prefetched = prefetched
        self._plan = plan
        self._writer = Writer(source, load)
        self._loaded = range(ENDS, plan.fresh - ENDS)
        self._gives_way = False
        self._lost_before = False

    def write(self, done: int, progress: Progress) -> tuple[int, int]:
        """Writes products behind so many, and what `progress` adds; returns how many, and new ones.

        It may return before that is written; what it writes next is written after it. None are left
        where it is nothing. Raises LostRace, with nothing written of these, or of those before.
        """
        if done in self._loaded and not self._gives_way:
            limit = min(LOAD_READ_AHEAD, self._loaded.stop - done)
            return self._writer.load(self._plan.rows_of_next(done, limit), done, progress)
        self._gives_way = False
        self._writer.finish_loaded()
        rows = self._plan.rows_of_next(done, self._limit(done))
        if rows:
            return self._writer.write(rows, progress)
        self._writer.finish()
        return 0, 0

    def finish(self) -> None:
        """Waits until all is written. Raises LostRace."""
        self._writer.finish()

    def __enter__(self) -> Self:
        """Writes from here on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Waits until nothing is under way."""
        self._writer.abandon()

    def give_way(self) -> None:
        """Has the next ones written one by one: who does that waits for nobody at the lists.

        What is in flight is waited for, whatever becomes of it.
        After the first race that is lost they are loaded once more: their rows are staged already.
        """
        self._writer.drain()
        self._gives_way = self._lost_before
        self._lost_before = not self._lost_before

    def _limit(self, done: int) -> int:
        before_load = self._loaded.start - done if self._loaded else 0
        return min(self._prefetched, before_load) if before_load > 0 else self._prefetched
