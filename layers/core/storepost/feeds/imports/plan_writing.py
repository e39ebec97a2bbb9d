"""Writes a plan: loads many new products at once, or writes some one by one."""

from contextlib import AbstractContextManager
from uuid import UUID

from storepost.catalog.products.writing import ProductSource
from storepost.feeds.imports.plan import Plan
from storepost.feeds.imports.writing import LOAD_READ_AHEAD, Progress, Writer

ENDS = 72
"""The first and last of many new products are written one by one: lists' ends aren't packed."""


class PlanWriter(AbstractContextManager["PlanWriter"]):
    """Writes a plan's products in their order; use it in a `with`."""

    def __init__(self, plan: Plan, source: ProductSource, prefetched: int, load: UUID) -> None:
        """Begins with nothing read; one-by-one writes read `prefetched` products at a time.

        New products are loaded under the id `load`, the same for all runs that write this plan.
        """
        self._prefetched = prefetched
        self._plan = plan
        self._writer = Writer(source, load)
        self._loaded = range(ENDS, plan.fresh - ENDS)
        self._gives_way = False
        self._lost_before = False

    def write(self, done: int, progress: Progress) -> tuple[int, int]:
        """Writes the products after the first `done`; returns how many, and how many are new.

        `progress` adds to their transaction. It may return before they are written; what it writes
        next is written after them. Zero means that none are left. Raises LostRace if these, or
        those of the call before, were not written.
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

    def __exit__(self, *_: object) -> None:
        """Waits until nothing is in flight."""
        self._writer.abandon()

    def give_way(self) -> None:
        """Has the next products written one by one, which waits for no other writer of the lists.

        It waits for the unit in flight, however that ends. After the first lost race the products
        are loaded once more, as their rows are already staged.
        """
        self._writer.drain()
        self._gives_way = self._lost_before
        self._lost_before = not self._lost_before

    def _limit(self, done: int) -> int:
        before_load = self._loaded.start - done if self._loaded else 0
        return min(self._prefetched, before_load) if before_load > 0 else self._prefetched
