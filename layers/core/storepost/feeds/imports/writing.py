"""A feed's products as they are written: several a transaction, each with all that is said."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from storepost.catalog.products.keys import product_key
from storepost.catalog.products.loading import ProductLoad
from storepost.catalog.products.model import product_id
from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.writing import (
    ProductSource,
    SourceProduct,
    WriteOutcome,
    keys_behind,
    keys_of,
    remove_layer,
    replace_layer,
)
from storepost.feeds.imports.plan import Placed
from storepost.feeds.records.joining import first_variant, product_of, variant_of
from storepost.platform.persistence.changes import (
    MAX_ITEMS,
    Changes,
    LostRace,
    TooManyWrites,
    WrittenTwice,
)
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.platform.persistence.reads import ReadAfterWrite, ReadAhead

AHEAD = 50
"""Products that are read at once, for several transactions."""
AHEAD_OF_LOADS = 60
_FEW = 15
"""With fewer left of those, more are read: of new products, no more go into a transaction."""

_MAX_LOADED = AHEAD_OF_LOADS
"""New products in one transaction with the pages of their lists, which take up to 25 items."""
_LEAST_LOADED = 12
"""Of fewer at once it costs no less."""

type RowsOf = Callable[[str], Sequence[Placed]]
type Note = Callable[[Changes, int, int], None]
"""Adds to a transaction how far the import is: products more that are done, and created."""


class _Overfull(TooManyWrites):
    """The last product was one too many."""

    def __init__(self, fitting: int) -> None:
        super().__init__(f"{fitting} products fit")
        self.fitting = fitting


class Writer:
    """Writes a feed's products, a transaction after the other."""

    def __init__(self, source: ProductSource, rows_of: RowsOf) -> None:
        """Nothing read yet."""
        self._source = source
        self._rows_of = rows_of
        self._reads = ReadAhead()
        self._lists = ListsLoad()
        self._most_loaded = _MAX_LOADED

    def write(self, products: Sequence[str], note: Note) -> tuple[int, int]:
        """Writes the first of the products, and what `note` adds: how many, and created ones.

        Raises LostRace, with nothing written.
        """
        most = min(len(products), AHEAD)
        while True:
            most = min(most, self._read_ahead(products))
            try:
                return self._commit(products[:most], note)
            except _Overfull as overfull:
                most = overfull.fitting
            except (TooManyWrites, WrittenTwice, ReadAfterWrite):
                if most == 1:
                    raise
                most //= 2

    def load(self, products: Sequence[str], note: Note) -> tuple[int, int]:
        """Writes the first of the products, which are new, and their lists' pages; as `write`.

        Where that isn't so, or others are at the same lists, they are written one by one.
        """
        most = min(len(products), self._most_loaded)
        while most >= _LEAST_LOADED:
            self._reads.next()
            self._reads.prefetch(keys_of(self._source.store, products[:most]))
            most = self._new(products[:most])
            if most < _LEAST_LOADED:
                break
            try:
                return self._load(products[:most], note)
            except (TooManyWrites, WrittenTwice):
                most = self._most_loaded = most * 2 // 3
        return self.write(products, note)

    def _load(self, products: Sequence[str], note: Note) -> tuple[int, int]:
        changes = Changes(self._reads)
        load = ProductLoad(changes, self._source.store, self._lists)
        try:
            for product in products:
                replace_layer(changes, self._source, self._product(product), load)
            note(changes, len(products), len(products))
            load.commit()
        except LostRace:
            self._reads.clear()
            raise
        return len(products), len(products)

    def _new(self, products: Sequence[str]) -> int:
        """How many of the products, which are read, have no row; up to the first that has one."""
        store = self._source.store
        keys = [product_key(store.workspace, product_id(store.id, each)) for each in products]
        return sum(1 for _ in takewhile(lambda key: not self._reads.find_all([key]), keys))

    def _product(self, product: str) -> SourceProduct:
        return SourceProduct(product, source_values_of(product, self._rows_of(product)))

    def _commit(self, products: Sequence[str], note: Note) -> tuple[int, int]:
        changes = Changes(self._reads)
        try:
            done, created = self._gather(changes, products)
            note(changes, done, created)
            changes.commit()
        except LostRace:
            self._reads.clear()  # somebody else changed what was read
            raise
        return done, created

    def _read_ahead(self, products: Sequence[str]) -> int:
        """Begins the next transaction; of how many of the products the rows are known.

        The lists' nodes that are known need no reading.
        """
        store = self._source.store
        self._reads.next()
        known = takewhile(lambda each: self._reads.knows(keys_of(store, [each])), products)
        if (count := sum(1 for _ in known)) >= min(len(products), _FEW):
            return count
        self._reads.prefetch(keys_of(store, products))
        self._reads.prefetch(keys_behind(store, products, self._reads))
        return len(products)

    def _gather(self, changes: Changes, products: Sequence[str]) -> tuple[int, int]:
        """The changes of as many products as a transaction holds. Raises TooManyWrites."""
        created = items = heaviest = 0
        for done, product in enumerate(products):
            if done and items + heaviest > _ROOM:
                return done, created
            created += self._add(changes, product)
            before, items = items, changes.items
            heaviest = max(heaviest, items - before)
            if done and items > _ROOM:
                raise _Overfull(done)
        return len(products), created

    def _add(self, changes: Changes, product: str) -> bool:
        """Adds one product; whether it is new."""
        rows = self._rows_of(product)
        if not rows:
            remove_layer(changes, self._source, product)
            return False
        written = replace_layer(changes, self._source, self._product(product))
        return written.outcome is WriteOutcome.CREATED


_ROOM = MAX_ITEMS - 3
"""Items of a transaction; the import's own row and the next message come to them."""


def source_values_of(product: str, rows: Sequence[Placed]) -> tuple[SourceValues, ...]:
    """Returns what a feed says of one product, in each of its locales.

    The product's fields are the group's own row's, else the first's; what that row leaves out is
    the first's that has it. Of two rows about the same variant in one locale, the first is the one.
    """
    by_locale: dict[str | None, list[Placed]] = {}
    for row in rows:
        by_locale.setdefault(row.locale, []).append(row)
    return tuple(each for some in by_locale.values() for each in _values_in_locale(product, some))


def _values_in_locale(product: str, rows: Sequence[Placed]) -> Iterator[SourceValues]:
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
