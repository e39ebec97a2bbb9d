"""New orders of an import, many in one transaction with the pages of their lists.

What isn't plainly a new order is written as ever, in its turn: the records are dealt with in their
order, and what belongs to one person is decided by the same functions. So whoever comes in between
finds each order whole, with its entries, or not at all.
"""

from collections.abc import Sequence
from itertools import takewhile
from math import ceil

from storepost.orders.loading import ENDS, ITEMS_OF_NEW_BUYER, OrderLoad, has_ends
from storepost.people.profiles.merging import MergedFirst
from storepost.platform.persistence.changes import (
    MAX_ITEMS,
    Changes,
    LostRace,
    TooManyWrites,
    WrittenTwice,
)
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.reads import ReadAfterWrite, ReadAhead
from storepost.stores.imports.model import Progress
from storepost.sync.batches.chunks import MAX_BYTES, Chunk, Note
from storepost.sync.batches.pipeline import ChunkPipeline
from storepost.sync.batches.records import OrderRecord, Record
from storepost.values.problems import Problem

AHEAD = 100
"""Records whose rows are read at once, for several transactions."""
_LEAST_AHEAD = 45
"""As many as one transaction takes."""
LEAST_LOADED = 6
"""Of fewer orders at once it costs no less."""
_ITEMS_OF_ORDER = 3
"""Of one that somebody known has: the order, its pointer with its event, the profile."""
_MORE_SPARE = 3
"""Items that are left free from then on where orders took more than they seemed to."""


class _TooFew(Exception):  # noqa: N818 - it is what they are
    """The orders that go together are too few for a load."""


class _LoadedChunk(Chunk):
    """New orders' changes, as they are gathered."""

    def __init__(self, progress: Progress, changes: Changes, load: OrderLoad, spare: int) -> None:
        """`spare` is how many items more are left free than they seem to take."""
        self._load = load
        self._spare = spare
        self._buyers: set[Key] = set()
        super().__init__(progress, changes)

    @property
    def more_items(self) -> int:
        """Returns about how many items come to the changes with the commit."""
        return self._load.items + self._spare

    @property
    def items_of_new_buyer(self) -> float:
        """Returns how many items somebody new takes, as far as that is known."""
        return self._load.items_of_new_buyer

    def write(self, record: Record) -> None:
        """Adds an order to the load."""
        if not isinstance(record, OrderRecord):
            raise TypeError(type(record))
        self._load.add(record.incoming)

    def start(self) -> None:
        """Begins to write everything in one transaction. Raises LostRace and TooManyWrites."""
        self._load.start()

    def finish(self) -> None:
        """Waits until it is written. Raises as a commit does."""
        self._load.finish()

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        self._load.abandon()

    def takes(self, record: OrderRecord, reads: ReadAhead) -> bool:
        """Returns whether the order fits, and is decided on by nothing that the chunk writes.

        Another order of the same buyer is counted together with the first one.
        """
        own, others = record.own_keys, record.buyer_keys(reads)
        items = _ITEMS_OF_ORDER
        if not self._load.knows_buyer_of(record.incoming):
            if not self._buyers.isdisjoint(others):
                return False
            own = [*own, *others]
            if record.is_of_somebody_new(reads):
                items += ceil(self._load.items_of_new_buyer)
        fits = self._items + items <= MAX_ITEMS and self.size + record.size <= MAX_BYTES
        self._buyers.update(others)
        return fits and not reads.writes(own)


class OrderLoads:
    """The new orders among an import's records, written a chunk at a time."""

    def __init__(
        self,
        records: Sequence[Record],
        reads: ReadAhead,
        pipeline: ChunkPipeline,
        *,
        more_follow: bool,
    ) -> None:
        """`reads` has what is read ahead. The last orders of all stay out of pages, so that the
        first page of their list is read without any; unless others follow.
        """
        self._records = records
        self._reads = reads
        self._pipeline = pipeline
        self._end = len(records) - (0 if more_follow else ENDS)
        self._lists = ListsLoad()
        self._prefetched_until = 0
        self._most = AHEAD
        self._spare = 0
        self._items_of_new_buyer: float = ITEMS_OF_NEW_BUYER
        self._has_ends = False
        self._gives_way = False
        self._was_loaded = False

    def write(self, progress: Progress, note: Note) -> Progress | None:
        """Begins to write the next orders, if enough are new; returns where the import stands then.

        Raises LostRace where others are at the same lists or records. What comes next is then
        written as ever, which waits for nobody.
        """
        after = self._load(progress, note)
        if after is None:  # what is written one by one changes the lists in another way
            self._lists = ListsLoad()
            if self._was_loaded:
                self._pipeline.finish()
                self._reads.clear()
        self._was_loaded = after is not None
        return after

    def _load(self, progress: Progress, note: Note) -> Progress | None:
        self._most = AHEAD
        while not self._gives_way:
            self._reads.next()
            orders = self._next_orders(progress.done)
            if min(len(orders), self._most) < LEAST_LOADED or not self._may_pack(orders[0]):
                return None
            chunk = self._chunk(progress, orders)
            if self._begin(chunk, orders, note):
                return chunk.progress
        self._gives_way = False
        return None

    def _begin(self, chunk: _LoadedChunk, orders: Sequence[OrderRecord], note: Note) -> bool:
        """Begins to write what fits of the orders; False where fewer are to be tried."""
        try:
            self._fill(chunk, orders[: self._most])
            note(chunk)
            self._pipeline.write(chunk)
        except MergedFirst:
            self._reads.clear()
        except LostRace:
            self._gives_way = True
            raise
        except TooManyWrites:
            self._most, self._spare = chunk.count - 1, self._spare + _MORE_SPARE
            self._items_of_new_buyer = max(self._items_of_new_buyer, chunk.items_of_new_buyer)
        except (_TooFew, WrittenTwice, ReadAfterWrite, Problem) as error:
            self._most = chunk.half(error)
        else:
            self._items_of_new_buyer = chunk.items_of_new_buyer
            return True
        return False

    def _chunk(self, progress: Progress, orders: Sequence[OrderRecord]) -> _LoadedChunk:
        changes, store = Changes(self._reads), orders[0].sender.store
        load = OrderLoad(changes, store, self._lists, self._items_of_new_buyer)
        load.foresee(order.incoming for order in orders)
        return _LoadedChunk(progress, changes, load, self._spare)

    def _fill(self, chunk: _LoadedChunk, orders: Sequence[OrderRecord]) -> None:
        for order in orders:
            if not chunk.takes(order, self._reads):
                break
            chunk.add(order)
            chunk.weigh()
        if chunk.count < LEAST_LOADED:
            raise _TooFew

    def _may_pack(self, first: OrderRecord) -> bool:
        self._has_ends = self._has_ends or has_ends(first.sender.store)
        return self._has_ends

    def _next_orders(self, start: int) -> list[OrderRecord]:
        """The orders that come next and are new, up to the first record that isn't one."""
        if start >= self._end or not isinstance(self._records[start], OrderRecord):
            return []
        begins = self._prefetched_until < start + _LEAST_AHEAD
        if begins:
            self._prefetched_until = start + AHEAD
        # Where they were read before, no more are looked at than one transaction takes.
        until = self._prefetched_until if begins else start + _LEAST_AHEAD
        some = self._records[start : min(until, self._end)]
        orders = [
            each
            for each in takewhile(lambda r: isinstance(r, OrderRecord), some)
            if isinstance(each, OrderRecord)
        ]
        self._reads.prefetch(key for order in orders for key in order.keys)
        new = list(takewhile(lambda each: not self._reads.find_all(each.bars), orders))
        self._reads.prefetch(key for order in new for key in order.keys_behind(self._reads))
        return new
