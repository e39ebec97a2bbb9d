"""How a unit of work reads rows: each on demand, or many ahead in one batch get."""

from collections.abc import Callable, Hashable, Iterable
from itertools import batched
from typing import Any, cast

from storepost.platform.persistence.item import (
    BATCH_GET_KEYS,
    Item,
    Key,
    find,
    find_all,
    find_in,
    find_raw,
)
from storepost.platform.persistence.loads.in_flight import in_flight
from storepost.values.scope import WorkspaceScope

REMEMBERED = 200
"""After so many units of work the cache is emptied: rows that no unit writes would pile up."""


class ReadAfterWrite(Exception):  # noqa: N818 - it is what happened
    """The same unit of work writes the row to be read: it can't be decided on yet."""


class Reads:
    """Reads each row on demand, strongly consistent."""

    def find[T: Item](self, model: type[T], key: Key) -> T | None:
        """Returns the row, or None."""
        return find(model, key)

    def find_all(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """Returns those of the rows that exist, by key."""
        return find_all(keys)

    def mark_dirty(self, key: Key) -> None:
        """Notes a row that the unit writes; without a cache that means nothing."""

    def cached[T](self, _under: Hashable, _make: Callable[[], T]) -> T | None:
        """Returns None: nothing is cached from one unit to the next."""
        return None


class Repository:
    """Some rows of one workspace: no query can be written without its workspace."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        self._scope = workspace


class UnitRepository(Repository):
    """Some rows of one workspace, as a unit of work reads them."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        super().__init__(workspace)
        self._reads = reads or Reads()


class ReadAhead(Reads):
    """Rows read ahead, in batches, for many units of work one after the other.

    A row that a unit writes is dropped from the cache, so that the next unit reads it again. A unit
    must not read a row that it has written itself: such a read has to wait for the next unit.
    Another writer's change in between makes the unit lose the race, as with any row that is read
    before it is written; the next unit then begins with an empty cache.

    The next unit may be collected while the transactions of the last ones are in flight. A read of
    a row that one of these writes first waits for it.
    """

    def __init__(self) -> None:
        """Begins with nothing read."""
        self._rows: dict[Key, dict[str, Any] | None] = {}
        self._written: set[Key] = set()
        self._flights: list[set[Key]] = []
        """The keys that each unit in flight writes, the first unit first."""
        self._in_flight: set[Key] = set()
        self._finish: Callable[[], None] | None = None
        self._left_out: set[Key] = set()
        """Keys that were to be read ahead, but that a unit in flight writes."""
        self._cached: dict[Hashable, object] = {}
        self._units = 0

    def prefetch(self, keys: Iterable[Key]) -> None:
        """Reads those of the rows that aren't in the cache, and that no unit in flight writes."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._rows]
        if self._in_flight:
            self._left_out.update(self._in_flight.intersection(unknown))
            unknown = [key for key in unknown if key not in self._in_flight]
        if unknown:
            found = dict[Key, Any]()
            for some in in_flight(find_raw, batched(unknown, BATCH_GET_KEYS, strict=False)):
                found |= some
            self._rows |= {key: found.get(key) for key in unknown}

    def knows(self, keys: Iterable[Key]) -> bool:
        """Returns whether all of the rows are in the cache."""
        return all(key in self._rows for key in keys)

    def writes(self, keys: Iterable[Key]) -> bool:
        """Returns whether the unit writes one of these rows."""
        return not self._written.isdisjoint(keys)

    def are_in_flight(self, keys: Iterable[Key]) -> bool:
        """Returns whether a unit in flight writes one of these rows: a read of it has to wait."""
        return not self._in_flight.isdisjoint(keys)

    def text(self, key: Key, attribute: str) -> str | None:
        """Returns a text attribute of a row, which must have been read ahead or not exist."""
        self._wait_for([key])
        raw = self._rows.get(key) or {}
        return raw[attribute]["S"] if attribute in raw else None

    def find[T: Item](self, model: type[T], key: Key) -> T | None:
        """Returns the row, or None. Raises ReadAfterWrite."""
        return find_in(self.find_all([key]), model, key)

    def find_all(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """Returns those of the rows that exist, by key. Raises ReadAfterWrite."""
        keys_to_read = list(keys)
        if self.writes(keys_to_read):
            raise ReadAfterWrite
        self._wait_for(keys_to_read)
        self.prefetch(keys_to_read)
        # Made anew each time: a caller may change the row that it gets, and then not write it.
        known = ((key, self._rows[key]) for key in keys_to_read)
        return {key: Item.from_raw_data(cast("Any", raw)) for key, raw in known if raw is not None}

    def mark_dirty(self, key: Key) -> None:
        """Notes that the unit writes the row."""
        self._written.add(key)

    def cached[T](self, under: Hashable, make: Callable[[], T]) -> T | None:
        """Returns the value cached for all units; the first call makes it."""
        if under not in self._cached:
            self._cached[under] = make()
        return cast("T", self._cached[under])

    def forget_cached(self) -> None:
        """Drops the values of `cached`, as after a change in another way; rows stay cached."""
        self._cached.clear()

    def follow(self, finish: Callable[[], None]) -> None:
        """Notes that the unit's writes are in flight; `finish` waits until all of them are written.

        `finish` calls `landed` or `all_landed`, and may raise LostRace.
        """
        self._flights.append(set(self._written))
        self._in_flight.update(self._written)
        self._finish = finish

    def landed(self) -> None:
        """Notes that the first unit in flight is written."""
        if self._flights:
            for key in self._flights.pop(0):
                self._rows.pop(key, None)
        self._in_flight = set().union(*self._flights)

    def all_landed(self) -> None:
        """Notes that nothing is in flight any more."""
        while self._flights:
            self.landed()

    def _wait_for(self, keys: Iterable[Key]) -> None:
        """Waits for the units in flight if they write one of the rows. Raises LostRace."""
        if not self.are_in_flight(keys):
            return
        if self._finish:
            self._finish()
        left_out, self._left_out = self._left_out, set()
        self.prefetch(left_out)

    def next(self) -> None:
        """Begins the next unit: rows that the last one wrote are read again."""
        self._units += 1
        if self._units % REMEMBERED == 0:
            self.clear()
        for key in list(self._written):  # a unit in flight that meets another may add to them
            self._rows.pop(key, None)
        self._written.clear()

    def clear(self) -> None:
        """Empties the cache."""
        self._rows.clear()
        self._left_out.clear()
        self._written.clear()
        self._cached.clear()
