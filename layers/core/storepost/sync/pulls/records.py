"""An export's records as chunks use them: by index, each read on demand."""

import json
from collections.abc import Mapping, Sequence
from typing import overload

from storepost.stores.imports.model import ImportStage
from storepost.sync.batches.records import (
    CustomerRecord,
    OrderRecord,
    ProductRecord,
    Record,
    Sender,
    UnreadableRecord,
)
from storepost.sync.pulls.spool import Spool
from storepost.sync.records import nodes
from storepost.sync.records.product_nodes import product_of
from storepost.sync.records.reading import NoRecord, id_of
from storepost.values.problems import ValidationFailed

_TYPES = {
    ImportStage.CUSTOMERS: "Customer",
    ImportStage.ORDERS: "Order",
    ImportStage.PRODUCTS: "Product",
}


class ExportedRecords(Sequence[Record]):
    """All records of an export, in the file's order."""

    def __init__(self, spool: Spool, stage: ImportStage, sender: Sender) -> None:
        """`sender` has the store, and the platform as the origin."""
        self._spool = spool
        self._stage = stage
        self._sender = sender
        self._read: dict[int, Record] = {}

    def __len__(self) -> int:
        return len(self._spool)

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return self._cached(range(*index.indices(len(self))))
        return self._at(index)

    def _cached(self, indexes: range) -> list[Record]:
        # Chunks reread records that they read ahead; earlier records aren't needed again.
        self._read = {each: record for each, record in self._read.items() if each >= indexes.start}
        for each in indexes:
            if each not in self._read:
                self._read[each] = self._at(each)
        return [self._read[each] for each in indexes]

    def id_at(self, index: int) -> str:
        """Returns the number at the end of the record's id."""
        return id_of(self._spool.root(index).get("id")) or "0"

    def _at(self, index: int) -> Record:
        if not 0 <= index < len(self):
            raise IndexError(index)
        store = self._sender.store
        try:
            node, children = self._spool.at(index)
            self._check_type(node)
            size = len(json.dumps([node, children]))
            if self._stage is ImportStage.CUSTOMERS:
                external_id, customer = nodes.customer_of(store, node)
                return CustomerRecord(self._sender, index, external_id, size, customer)
            if self._stage is ImportStage.PRODUCTS:
                product = product_of(store, node, children)
                return ProductRecord(self._sender, index, product.external_id, size, product)
            order = nodes.order_of(store, node, children)
            return OrderRecord(self._sender, index, order.external_id, size, order)
        except NoRecord as error:
            problem = ValidationFailed(f"The shop's record has {error}.")
            return UnreadableRecord(self._stage, index, self.id_at(index), problem)

    def _check_type(self, node: Mapping[str, object]) -> None:
        """Raises NoRecord for another type's record: types share their numbers."""
        if not str(node["id"]).startswith(f"gid://shopify/{_TYPES[self._stage]}/"):
            raise NoRecord("an id of another type")
