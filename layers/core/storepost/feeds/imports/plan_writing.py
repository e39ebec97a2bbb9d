"""What of a plan is written next: many new products at once, or some one by one."""

from storepost.catalog.products.writing import ProductSource
from storepost.feeds.imports.plan import Plan
from storepost.feeds.imports.writing import AHEAD_OF_LOADS, Note, Writer

ENDS = 72
"""The first and last of many new products are written one by one: lists' ends aren't packed."""


class PlanWriter:
    """Writes a plan's products in their order."""

    def __init__(self, plan: Plan, source: ProductSource, ahead: int) -> None:
        """Begins with nothing read; of those that are written one by one, `ahead` are read."""
        self._ahead = ahead
        self._plan = plan
        self._writer = Writer(source, plan.rows_of)
        self._loaded = range(ENDS, plan.fresh - ENDS)
        self._gives_way = False

    def products(self, done: int) -> list[str]:
        """Returns the products that may be written next, behind so many; none at the end."""
        if done in self._loaded:
            most = min(AHEAD_OF_LOADS, self._loaded.stop - done)
        elif done < self._loaded.start and self._loaded:
            most = min(self._ahead, self._loaded.start - done)
        else:
            most = self._ahead
        return self._plan.products(done, most)

    def write(self, done: int, products: list[str], note: Note) -> tuple[int, int]:
        """Writes the first of them, and what `note` adds: how many, and created ones.

        Raises LostRace, with nothing written.
        """
        is_loaded = done in self._loaded and not self._gives_way
        self._gives_way = False
        return (self._writer.load if is_loaded else self._writer.write)(products, note)

    def give_way(self) -> None:
        """Has the next ones written one by one: who does that waits for nobody at the lists."""
        self._gives_way = True
