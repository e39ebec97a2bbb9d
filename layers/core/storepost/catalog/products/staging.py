"""Stages the products of a load: writes rows that aren't products until `staged` says so."""

from collections.abc import Sequence
from uuid import UUID

from storepost.catalog.products.keys import load_key, staged_partition
from storepost.catalog.products.rows import ProductLoadItem, StagedProductsItem
from storepost.catalog.products.staged import Staged
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.platform.persistence.item import Key, Raw, find, find_raw, key_of
from storepost.platform.persistence.loads.row_writes import insert_rows
from storepost.stores.stores.model import Store
from storepost.values.ids import short


class Staging:
    """What one load writes before its lists."""

    def __init__(self, store: Store, source: UUID, load: UUID) -> None:
        """Begins with nothing read; `source` states the products, `load` is this load's own id."""
        self._store = store
        self._source = source
        self._load = load
        self._taken: int | None = None

    def begin(self) -> None:
        """Reads how often rows of the load were taken by now, unless it was read already."""
        if self._taken is None:
            row = find(ProductLoadItem, self._key) or commit_anew(self._create)
            self._taken = int(row.taken)

    def begin_anew(self) -> None:
        """Forgets how often rows were taken."""
        self._taken = None

    def staged(self, place: int) -> Staged:
        """Returns the mark for the row of the product at a place."""
        return Staged(self._store.id, self._load, place)

    def index(self, first: int, products: Sequence[UUID]) -> Raw:
        """Returns the row that leads to rows that are to be staged; it is written before those.

        If a later try stages fewer, the row of the first try stays.
        """
        item = StagedProductsItem(
            staged_partition(self._store.workspace, self._store.id),
            f"{short(self._load)}#{first:09d}.{len(products)}",
            source=self._source,
            ids=b"".join(each.bytes for each in products),
        )
        return item.serialize()

    def write(self, rows: Sequence[Raw]) -> None:
        """Writes the staged rows: of products, of layers and of new names.

        Raises Busy, and LostRace if a key has another row already, such as one of an earlier run of
        this load.
        """
        by_key = {key_of(row): row for row in rows}
        refused = insert_rows(rows)
        stored = find_raw(refused) if refused else {}
        # A row that is stored exactly so was written by this call, whose answer got lost.
        if any(stored.get(key) != by_key[key] for key in refused):
            raise LostRace

    def list_up_to(self, changes: Changes, place: int) -> None:
        """Adds that products are listed up to a place, if none was taken meanwhile."""
        row = ProductLoadItem(*self._key)
        changes.update(
            row, [ProductLoadItem.listed.set(place)], ProductLoadItem.taken == self._taken
        )

    @property
    def _key(self) -> Key:
        return load_key(self._store.workspace, self._store.id, self._load)

    def _create(self, changes: Changes) -> ProductLoadItem:
        row = find(ProductLoadItem, self._key)
        if row is None:
            row = ProductLoadItem(*self._key, listed=0, taken=0)
            changes.create(row)
        return row
