"""Writes a feed's products, several in a transaction, each with all that the feed says of it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from uuid import UUID

from storepost.catalog.products.in_force import RulesRepository
from storepost.catalog.products.keys import product_key
from storepost.catalog.products.loading import Loaded, ProductLoad
from storepost.catalog.products.model import product_id
from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.staging import Staging
from storepost.catalog.products.writing import (
    ProductSource,
    SourceProduct,
    WriteOutcome,
    keys_behind,
    keys_of,
    read_places_ahead,
    remove_layer,
    replace_layer,
)
from storepost.feeds.imports.plan import PlannedRow
from storepost.feeds.records.joining import first_variant, product_of, variant_of
from storepost.platform.persistence.changes import (
    MAX_ITEMS,
    Changes,
    LostRace,
    TooManyWrites,
    WrittenTwice,
)
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.loads.pipeline import Pipeline, PlainFlight
from storepost.platform.persistence.reads import ReadAfterWrite, ReadAhead
from storepost.values import clock

READ_AHEAD = 100
"""Products that are read at once, for several transactions."""
LOAD_READ_AHEAD = 200
_MIN_READ_AHEAD = 15
"""With fewer of those left, more are read: a transaction has no more new products than this."""

_MAX_LOADED = LOAD_READ_AHEAD
"""New products whose entries one transaction lists: as many as two pages of a list hold."""
_MAX_LOADED_BYTES = 1_500_000
"""Bytes of their rows; the product that exceeds it is the last one."""
_MOMENTS_KEPT_FOR = 1000
"""Products for which creation times are kept."""
_MIN_LOADED = 12
"""Writing fewer one by one costs as much."""

type Rows = Mapping[str, Sequence[PlannedRow]]
"""Products to write, in order, each with the feed's rows about it, or with none to remove it."""
type Progress = Callable[[Changes, int, int], None]
"""Adds the import's progress to a transaction: how many more products are done, and created."""


class _Overfull(TooManyWrites):
    """The last product didn't fit into the transaction."""

    def __init__(self, fitting: int) -> None:
        super().__init__(f"{fitting} products fit")
        self.fitting = fitting


class Writer:
    """Writes a feed's products, one transaction after the other.

    It prepares the next one while one is in flight.
    """

    def __init__(self, source: ProductSource, load: UUID) -> None:
        """Begins with nothing read; loads new products under the id `load`."""
        self._source = source
        self._reads = ReadAhead()
        self._pipeline = Pipeline(self._reads)
        self._turn = InTurn()
        self._loaded = Loaded(Staging(source.store, source.source, load))
        self._max_loaded = _MAX_LOADED
        self._checks_existing = False
        self._moments: dict[int, datetime] = {}
        """Creation times, by how many products precede: a repeated load writes the same rows."""

    def write(self, rows: Rows, progress: Progress) -> tuple[int, int]:
        """Begins to write the first of these products, with `progress`; returns as `load` does.

        What was loaded must be written already. Raises LostRace if none of these are written.
        """
        self._loaded.staging.begin_anew()  # these writes may take rows that were staged before
        products = list(rows)[:READ_AHEAD]
        count = len(products)
        while True:
            count = min(count, self._read_ahead(products))
            try:
                return self._commit({each: rows[each] for each in products[:count]}, progress)
            except _Overfull as overfull:
                count = overfull.fitting
            except (TooManyWrites, WrittenTwice, ReadAfterWrite):
                if count == 1:
                    raise
                count //= 2

    def load(self, rows: Rows, done: int, progress: Progress) -> tuple[int, int]:
        """Writes the first of these products, which are new, and their lists' pages.

        Returns how many, and how many of them are created; `done` products of the plan precede
        them. It may return before they are written: `finish` waits for that. If some aren't new, or
        other writers change the same lists, they are written one by one.
        """
        self._finish_units()
        products = list(rows)[: self._max_loaded]
        while (count := self._count_new(products, done)) >= _MIN_LOADED:
            try:
                return self._load({each: rows[each] for each in products[:count]}, done, progress)
            except (TooManyWrites, WrittenTwice):
                self._max_loaded = count * 2 // 3
                products = products[: self._max_loaded]
        self.finish_loaded()
        return self.write(rows, progress)

    def finish(self) -> None:
        """Waits until all that was begun is written. Raises LostRace."""
        self._finish_units()
        self.finish_loaded()

    def finish_loaded(self) -> None:
        """Waits until all that was loaded is written. Raises LostRace."""
        try:
            self._loaded.lists.finish()
        except LostRace:
            self.begin_anew()
            raise

    def drain(self) -> None:
        """Waits for the unit in flight, however it ends: the import's row tells."""
        self._pipeline.drain()

    def abandon(self) -> None:
        """Waits for all that was begun, however it ends: no write outlasts the run."""
        self._pipeline.abandon()
        self._loaded.lists.abandon()

    def _finish_units(self) -> None:
        try:
            self._pipeline.finish()
        except LostRace:
            self._reads.clear()  # another writer changed what was read
            raise

    def begin_anew(self) -> None:
        """Drops what was read. From now on it checks whether products and names are new."""
        self._reads.clear()
        self._loaded.begin_anew()
        self._checks_existing = True

    def _load(self, rows: Rows, before: int, progress: Progress) -> tuple[int, int]:
        self._loaded.staging.begin()
        recent = {k: at for k, at in self._moments.items() if k > before - _MOMENTS_KEPT_FOR}
        self._moments = {before: clock.now(), **recent}
        changes = Changes(self._reads)
        in_force = RulesRepository(self._source.store, self._reads).get()
        load = ProductLoad(
            changes, self._source, in_force, self._loaded, self._moments[before], before
        )
        done = 0
        try:
            for product, placed in rows.items():
                load.add(SourceProduct(product, source_values_of(product, placed)))
                done += 1
                if load.bytes > _MAX_LOADED_BYTES:
                    break
            progress(changes, done, done)
            load.start()
        except LostRace:
            self.begin_anew()
            raise
        return done, done

    def _count_new(self, products: Sequence[str], done: int) -> int:
        """Returns how many of the products have no row, up to the first that has one.

        Rows are read only after a lost race: before that, the transaction fails if one exists.
        Products that this run staged before it lost a race count as new.
        """
        self._reads.next()
        if not self._checks_existing or done in self._moments:
            return len(products)
        store = self._source.store
        self._reads.prefetch(keys_of(store, products))
        keys = [product_key(store.workspace, product_id(store.id, each)) for each in products]
        return sum(1 for _ in takewhile(lambda key: not self._reads.find_all([key]), keys))

    def _commit(self, rows: Rows, progress: Progress) -> tuple[int, int]:
        changes = Changes(self._reads)
        try:
            done, created = self._gather(changes, rows)
            progress(changes, done, created)
            # Each product is written once, so no decision depends on what is in flight.
            self._pipeline.write(PlainFlight(changes, self._turn, is_independent=True))
        except LostRace:
            self._reads.clear()  # another writer changed what was read
            raise
        return done, created

    def _read_ahead(self, products: Sequence[str]) -> int:
        """Begins the next transaction; returns of how many of the products the rows are known.

        List nodes that are known aren't read again.
        """
        store = self._source.store
        self._reads.next()
        known = takewhile(lambda each: self._reads.knows(keys_of(store, [each])), products)
        if (count := sum(1 for _ in known)) >= min(len(products), _MIN_READ_AHEAD):
            return count
        self._reads.prefetch(keys_of(store, products))
        self._reads.prefetch(keys_behind(store, products, self._reads))
        read_places_ahead(store, products, self._reads)
        return len(products)

    def _gather(self, changes: Changes, rows: Rows) -> tuple[int, int]:
        """Adds as many products as fit; returns how many, and how many are new.

        Raises TooManyWrites.
        """
        created = items = heaviest = 0
        for done, (product, placed) in enumerate(rows.items()):
            if done and items + heaviest > _ROOM:
                return done, created
            created += self._add(changes, product, placed)
            before, items = items, changes.items
            # The first product's items include those that all share; they aren't added again.
            heaviest = items - before if done < 2 else max(heaviest, items - before)
            if done and items > _ROOM:
                raise _Overfull(done)
        return len(rows), created

    def _add(self, changes: Changes, product: str, rows: Sequence[PlannedRow]) -> bool:
        """Adds one product; returns whether it is new."""
        if not rows:
            remove_layer(changes, self._source, product)
            return False
        source_product = SourceProduct(product, source_values_of(product, rows))
        written = replace_layer(changes, self._source, source_product)
        return written.outcome is WriteOutcome.CREATED


_ROOM = MAX_ITEMS - 3
"""Items that products may take in a transaction; the import's row and the next message are added.
"""


def source_values_of(product: str, rows: Sequence[PlannedRow]) -> tuple[SourceValues, ...]:
    """Returns what a feed says of one product, in each of its locales.

    The product's fields are those of its own or its group's row, else of the first row; a field
    that this row leaves out is taken from the first row that has it. Of two rows about the same
    variant in one locale, the first counts.
    """
    by_locale: dict[str | None, list[PlannedRow]] = {}
    for row in rows:
        by_locale.setdefault(row.locale, []).append(row)
    return tuple(
        values for same in by_locale.values() for values in _values_in_locale(product, same)
    )


def _values_in_locale(product: str, rows: Sequence[PlannedRow]) -> Iterator[SourceValues]:
    own = next((row for row in rows if row.id in {product, row.group}), rows[0])
    contents = [json.loads(row.content) for row in rows]
    place = rows.index(own)
    products = [each for each, _ in contents]
    others = products[:place] + products[place + 1 :]
    yield SourceValues(product_of(products[place], others), own.locale, None, own.id)
    variants = [of_variant for _, of_variant in contents]
    first, seen = first_variant([variants[place], *variants]), set[str]()
    for row, of_variant in zip(rows, variants, strict=True):
        if row.variant is not None and row.variant not in seen:
            seen.add(row.variant)
            fields = variant_of(row.id, of_variant, products, first)
            yield SourceValues(fields, row.locale, row.variant, row.id)
