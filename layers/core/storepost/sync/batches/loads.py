"""Writes an import's new orders, many per transaction with their list entries, most in pages.

Any other record is written by `chunks.py`, in its place in the sequence: records are processed in
order, and the same functions decide everything about one person. So a concurrent reader finds each
order complete, with its entries, or not at all.
"""

from collections.abc import Callable, Sequence
from itertools import takewhile

from storepost.orders.loading import (
    ENDS,
    ItemEstimates,
    ListedOrders,
    NewOrders,
    PackedOrders,
    missing_at_ends,
)
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
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.loads.pipeline import Flight, Pipeline, PlainFlight
from storepost.platform.persistence.reads import ReadAfterWrite, ReadAhead
from storepost.stores.imports.model import Progress
from storepost.sync.batches.chunks import MAX_BYTES, Chunk, Note
from storepost.sync.batches.records import OrderRecord, Record
from storepost.values.problems import Problem

READ_AHEAD = 100
"""Records whose rows are read at once, for several transactions."""
_MIN_READ_AHEAD = 45
"""As many records as one transaction can take."""
MIN_LOADED = 6
"""With fewer orders per transaction, pages aren't cheaper than rows."""
_MIN_LISTED = 2
"""The fewest orders for a transaction with entries as rows, which may share a buyer."""
_MIN_BESIDE = 12
"""The fewest orders worth a transaction while another one is in flight; fewer wait for it."""
_NOTED = 1
"""The import's own row."""


class _TooFew(Exception):  # noqa: N818 - it is what they are
    """Too few orders can be written together for a load."""


class _OrdersChunk(Chunk):
    """The changes of new orders, as they are collected."""

    is_packed = False

    def __init__(self, progress: Progress, orders: NewOrders) -> None:
        """Starts without orders."""
        self._orders = orders
        self._buyers: set[Key] = set()
        super().__init__(progress, orders.changes)

    @property
    def more_items(self) -> int:
        """Returns about how many items the commit will add to the changes."""
        return self._orders.items + _NOTED

    @property
    def estimates(self) -> ItemEstimates:
        """Returns the estimated items of parts of the transaction."""
        return self._orders.estimates

    def write(self, record: Record) -> None:
        """Adds an order to the unit."""
        if not isinstance(record, OrderRecord):
            raise TypeError(type(record))
        self._orders.add(record.incoming, record.identities)

    def takes(self, record: OrderRecord, more: int, reads: ReadAhead) -> bool:
        """Returns whether the order fits, and its decision reads no row that the chunk writes.

        A buyer's later orders are counted together with the first one. So a chunk with other orders
        doesn't add a buyer unless the buyer's `more` following orders fit, too: the next chunk
        would have to wait for this one.
        """
        own, others = record.own_keys, record.buyer_keys(reads)
        items = self._orders.items_of_order
        if not self._orders.knows_buyer(record.identities):
            if not self._buyers.isdisjoint(others):
                return False
            own = [*own, *others]
            is_new = record.is_of_somebody_new(reads)
            items += self._orders.estimates.of_buyers(int(is_new), int(not is_new))
            items += more * self._orders.items_of_order if self.count else 0
        fits = self._items + items <= MAX_ITEMS and self.size + record.size <= MAX_BYTES
        self._buyers.update(others)
        return fits and not reads.writes(own)

    def flight(self, turn: InTurn) -> Flight:
        """Returns the transaction to write, after those in `turn`. Raises TooManyWrites."""
        self._orders.complete()
        return PlainFlight(self.changes, turn)


class _PackedChunk(_OrdersChunk):
    """New orders whose entries are stored in pages."""

    is_packed = True

    def __init__(self, progress: Progress, orders: PackedOrders) -> None:
        """Starts without orders."""
        super().__init__(progress, orders)
        self._packed = orders

    def flight(self, turn: InTurn) -> Flight:
        """Returns the packed orders, which write themselves in the lists' own turn.

        If every order was refused, no list changes, and only the import's rows are written.
        """
        return self._packed if self._packed.has_entries else super().flight(turn)


class OrderLoads:
    """Writes the new orders among an import's records, a chunk at a time."""

    def __init__(
        self,
        records: Sequence[Record],
        reads: ReadAhead,
        pipeline: Pipeline,
        *,
        more_follow: bool,
    ) -> None:
        """`reads` has the rows that are read ahead.

        The import's last orders aren't packed, so that the first page of their list is read without
        pages; with `more_follow` they are, as other imports follow.
        """
        self._records = records
        self._reads = reads
        self._pipeline = pipeline
        self._end = len(records) - (0 if more_follow else ENDS)
        self._lists = ListsLoad()
        self._turn = InTurn()
        self._prefetched_until = 0
        self._max_orders = READ_AHEAD
        self._estimates = ItemEstimates()
        self._has_ends = False
        self._ends_checked_from = 0
        """The record before which the store can't have enough orders for packing."""
        self._gives_way = False
        self._has_pages = False

    def write(self, progress: Progress, note: Note) -> Progress | None:
        """Starts to write the next orders; returns the progress, or None if too few are new.

        Raises LostRace where other writers change the same lists or records. The next records are
        then written without a load, which waits for no other writer.
        """
        after = self._written(progress, note)
        if after is None:
            self._leave_pages()
        return after

    def _written(self, progress: Progress, note: Note) -> Progress | None:
        self._max_orders = READ_AHEAD
        while not self._gives_way:
            self._reads.next()
            orders = self._next_orders(progress.done)
            count = min(len(orders), self._max_orders)
            is_packed = count >= MIN_LOADED and self._may_pack(orders[0], progress.done)
            if count < _MIN_LISTED:
                return None
            if not is_packed and self._has_pages:
                self._leave_pages()
                continue  # rows that were in flight are read again
            chunk = self._chunk(progress, orders, is_packed=is_packed)
            if self._begin(chunk, orders, note):
                self._has_pages = is_packed
                return chunk.progress
        self._gives_way = False
        return None

    def _leave_pages(self) -> None:
        """Prepares for entries as rows, which change the lists in another way than pages do."""
        self._lists = ListsLoad()
        if self._has_pages:
            self._pipeline.finish()
            self._reads.forget_cached()
        self._has_pages = False

    def _begin(self, chunk: _OrdersChunk, orders: Sequence[OrderRecord], note: Note) -> bool:
        """Starts to write as many orders as fit; returns False where fewer must be tried."""
        try:
            self._fill(chunk, orders[: self._max_orders])
            note(chunk)
            self._pipeline.write(chunk.flight(self._turn))
        except MergedFirst:
            self._reads.clear()
        except LostRace:
            self._gives_way = True
            raise
        except TooManyWrites:
            self._max_orders, self._estimates = chunk.count - 1, chunk.estimates
        except (_TooFew, WrittenTwice, ReadAfterWrite, Problem) as error:
            self._max_orders = chunk.half(error)
        else:
            self._estimates = chunk.estimates
            return True
        return False

    def _chunk(
        self, progress: Progress, orders: Sequence[OrderRecord], *, is_packed: bool
    ) -> _OrdersChunk:
        changes, store = Changes(self._reads), orders[0].sender.store
        if not is_packed:
            return _OrdersChunk(progress, ListedOrders(changes, store, self._estimates))
        packed = PackedOrders(changes, store, self._estimates, self._lists)
        packed.foresee(order.incoming for order in orders)
        return _PackedChunk(progress, packed)

    def _fill(self, chunk: _OrdersChunk, orders: Sequence[OrderRecord]) -> None:
        for place, order in enumerate(orders):
            if not chunk.takes(order, _more_of_buyer(orders, place), self._reads):
                break
            chunk.add(order)
            chunk.weigh()
        if chunk.count < (MIN_LOADED if chunk.is_packed else _MIN_LISTED):
            raise _TooFew

    def _may_pack(self, order: OrderRecord, done: int) -> bool:
        """Whether this order and the next ones may be packed: the lists' ends must be rows."""
        if done >= self._end:
            return False
        if not self._has_ends and done >= self._ends_checked_from:
            missing = missing_at_ends(order.sender.store)
            self._has_ends, self._ends_checked_from = not missing, done + missing
        return self._has_ends

    def _next_orders(self, start: int) -> Sequence[OrderRecord]:
        """The next orders that are new, up to the first record that isn't one."""
        end = self._end if start < self._end else len(self._records)
        if end - start < _MIN_LISTED or not isinstance(self._records[start], OrderRecord):
            return []
        begins = self._prefetched_until < start + _MIN_READ_AHEAD
        if begins:
            self._prefetched_until = start + READ_AHEAD
        # If they were read before, only as many are checked as one transaction takes.
        until = self._prefetched_until if begins else start + _MIN_READ_AHEAD
        some = self._records[start : min(until, end)]
        orders = [
            each
            for each in takewhile(lambda r: isinstance(r, OrderRecord), some)
            if isinstance(each, OrderRecord)
        ]
        self._reads.prefetch(key for order in orders for key in order.keys)
        free = self._beside(orders, lambda order: order.keys)
        bought = list(takewhile(lambda each: not self._reads.find_all(each.bars), free))
        new = self._beside(bought, lambda order: order.keys_behind(self._reads))
        self._reads.prefetch(key for order in new for key in order.keys_behind(self._reads))
        return new

    def _beside(
        self, orders: Sequence[OrderRecord], keys_of: Callable[[OrderRecord], Sequence[Key]]
    ) -> Sequence[OrderRecord]:
        """The first orders whose decisions read no row in flight; all of them, if those are few."""
        free = list(takewhile(lambda each: not self._reads.are_in_flight(keys_of(each)), orders))
        return free if len(free) >= _MIN_BESIDE else orders


def _more_of_buyer(orders: Sequence[OrderRecord], place: int) -> int:
    """How many of the orders right after this one have exactly the same buyer."""
    identities = orders[place].identities
    following = takewhile(lambda each: each.identities == identities, orders[place + 1 :])
    return sum(1 for _ in following)
