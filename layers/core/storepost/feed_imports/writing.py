"""A feed's products as they are written: several a transaction, each with all that is said."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from storepost.feed_imports.plan import Placed
from storepost.persistence.changes import MOST_ITEMS, Changes, TooManyWrites, WrittenTwice
from storepost.persistence.reads import ReadAfterWrite, ReadAhead
from storepost.products.records import Said
from storepost.products.writing import (
    Bringer,
    Brought,
    Outcome,
    keys_behind,
    keys_of,
    remove_records,
    replace_layer,
)

AHEAD = 25
"""Products that are read at once."""

type RowsOf = Callable[[str], Sequence[Placed]]
type Note = Callable[[Changes, int, int], None]
"""Adds to a transaction how far the import is: products more that are done, and created."""


@dataclass(frozen=True)
class Writer:
    """Writes a feed's products."""

    bringer: Bringer
    rows_of: RowsOf

    def write(self, products: Sequence[str], note: Note) -> tuple[int, int]:
        """Writes the first of the products, and what `note` adds: how many, and created ones.

        Raises LostRace, with nothing written.
        """
        most = min(len(products), AHEAD)
        while True:
            reads = self._read_ahead(products[:most])
            changes = Changes(reads)
            try:
                done, created = self._gather(changes, products[:most])
                note(changes, done, created)
                changes.commit()
            except (TooManyWrites, WrittenTwice, ReadAfterWrite):
                if most == 1:
                    raise
                most //= 2
            else:
                return done, created

    def _read_ahead(self, products: Sequence[str]) -> ReadAhead:
        reads, store = ReadAhead(), self.bringer.store
        reads.ahead(keys_of(store, products))
        reads.ahead(keys_behind(store, products, reads))
        return reads

    def _gather(self, changes: Changes, products: Sequence[str]) -> tuple[int, int]:
        """The changes of as many products as a transaction holds. Raises TooManyWrites."""
        created = heaviest = 0
        for done, product in enumerate(products):
            before = changes.items
            if done and before + heaviest > _ROOM:
                return done, created
            created += self._add(changes, product)
            heaviest = max(heaviest, changes.items - before)
            if done and changes.items > _ROOM:
                raise TooManyWrites
        return len(products), created

    def _add(self, changes: Changes, product: str) -> bool:
        """Adds one product; whether it is new."""
        rows = self.rows_of(product)
        if not rows:
            remove_records(changes, self.bringer, product)
            return False
        written = replace_layer(changes, self.bringer, Brought(product, said_of(product, rows)))
        return written.outcome is Outcome.CREATED


_ROOM = MOST_ITEMS - 3
"""Items of a transaction; the import's own row and the next message come to them."""


def said_of(product: str, rows: Sequence[Placed]) -> tuple[Said, ...]:
    """What a feed says of one product, in each of its locales.

    The product's fields are the group's own row's, else the first's. Of two rows about the same
    variant in one locale, the first is the one.
    """
    own = {row.locale: row for row in reversed(rows)}
    own |= {row.locale: row for row in reversed(rows) if row.id in {product, row.group}}
    said: dict[tuple[str | None, str | None], Said] = {}
    for row in rows:
        fields, of_variant = json.loads(row.content)
        if own[row.locale] is row:
            said[None, row.locale] = Said(fields, row.locale, None, row.id)
        if row.variant is not None:
            told = Said(of_variant, row.locale, row.variant, row.id)
            said.setdefault((row.variant, row.locale), told)
    return tuple(said.values())
