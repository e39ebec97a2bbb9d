"""Writes a store's new orders, several in one transaction with their buyers and both lists.

The two lists are the workspace's orders and the store's. A stored order is always listed. Most
entries are stored in pages; those at the ends of a list are rows. A buyer of several orders is
written once. The same functions decide everything that the order's own PUT decides.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import fmean

from storepost.orders.buyers import Buyer
from storepost.orders.incoming import IncomingOrder
from storepost.orders.keys import order_id
from storepost.orders.model import Order, RecordedEvents
from storepost.orders.repository import OrderRepository
from storepost.orders.sales import has_sold_otherwise
from storepost.orders.service import use_codes
from storepost.orders.trees import OrderList, reindex
from storepost.people.profiles.model import Identity
from storepost.platform.persistence.changes import MAX_ITEMS, Changes, TooManyWrites
from storepost.platform.persistence.counted_tree import EVERYTHING, TreeEntry, moment_key
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.stores.stores.model import Store

ENDS = 72
"""How many entries at either end of a store's list are rows, so that the first page of the list is
read without a page of entries.
"""

ITEMS_OF_LISTS = 11
"""The most items that both lists usually take in a transaction: two leaves each, the nodes above
them, and the rows of the packed spans.
"""
_MIN_ITEMS_OF_LISTS = 2
"""One leaf of each list."""
_RECENT = 4
"""How many past transactions the estimate for the next one uses."""
ITEMS_OF_NEW_BUYER = 11
"""About what a new buyer takes: a profile, three claims, four entries, a share of the nodes."""
_ITEMS_OF_KNOWN_BUYER = 1
"""Only the profile: none of its entries moves."""


@dataclass(frozen=True)
class ItemEstimates:
    """Estimates how many items parts of a transaction take, from recent transactions.

    Each value is of one transaction. The estimate is the largest: an item too many is more
    expensive than one too few.
    """

    recent_lists: tuple[float, ...] = (ITEMS_OF_LISTS,)
    """Pages of both lists and the nodes above them. Starting a new leaf takes more items than
    appending to one, and happens in some transactions.
    """
    recent_new: tuple[float, ...] = (ITEMS_OF_NEW_BUYER,)
    """The average of a new buyer, with claims and entries."""
    recent_known: tuple[float, ...] = (_ITEMS_OF_KNOWN_BUYER,)
    """The average of a known buyer, whose first order may move them in lists."""

    @property
    def lists(self) -> int:
        """Returns the estimate for both lists."""
        return ceil(max(self.recent_lists))

    def of_buyers(self, new: int, known: int) -> int:
        """Returns the estimate for that many buyers."""
        return ceil(max(self.recent_new) * new + max(self.recent_known) * known)

    def with_lists(self, items: int) -> "ItemEstimates":
        """Returns the estimates updated with the items that the lists took in one transaction."""
        return replace(self, recent_lists=_one_more(self.recent_lists, items))

    def with_buyers(self, new: Sequence[int], known: Sequence[int]) -> "ItemEstimates":
        """Returns the estimates updated with the items that each buyer took in one transaction."""
        recent_new = _one_more(self.recent_new, fmean(new)) if new else self.recent_new
        recent_known = _one_more(self.recent_known, fmean(known)) if known else self.recent_known
        return replace(self, recent_new=recent_new, recent_known=recent_known)


def _one_more(recent: tuple[float, ...], items: float) -> tuple[float, ...]:
    return (*recent, items)[-_RECENT:]


class NewOrders(ABC):
    """The new orders of one unit of work; a buyer of several is written once."""

    items_of_order = 2
    """Not counting the buyer: the order, and its pointer, which carries the event."""
    _min_items_of_lists = 0

    def __init__(self, changes: Changes, store: Store, estimates: ItemEstimates) -> None:
        """Starts without orders."""
        self.estimates = estimates
        """The estimates; after the items are added for the commit, updated with what they took."""
        self.changes = changes
        self._store = store
        self._buyers: dict[tuple[Identity, ...], Buyer] = {}

    @property
    def items(self) -> int:
        """Returns about how many items the commit adds to those already in the unit."""
        new = sum(buyer.before is None for buyer in self._buyers.values())
        return self._items_of_lists + self.estimates.of_buyers(new, len(self._buyers) - new)

    @property
    def _items_of_lists(self) -> int:
        """What the commit adds for the lists."""
        return 0

    def knows_buyer(self, identities: tuple[Identity, ...]) -> bool:
        """Returns whether an order of this unit has exactly these identities of its buyer."""
        return identities in self._buyers

    def add(self, incoming: IncomingOrder, identities: tuple[Identity, ...]) -> None:
        """Adds an order that is neither stored nor deleted, and whose customer isn't redacted.

        `identities` are those of its buyer. Raises CurrencyMismatch and MergedFirst, having added
        nothing.
        """
        changes, store = self.changes, self._store
        incoming.check_currency(store, None)
        order, placed = incoming.as_order(store, RecordedEvents()), None
        if identities:
            if identities not in self._buyers:
                self._buyers[identities] = Buyer(changes, store, incoming)
            order, placed = self._buyers[identities].add(incoming, order)
        repository = OrderRepository(store.workspace, changes.reads)
        repository.save(changes, order, placed, is_counted=has_sold_otherwise(None, order))
        self._list(order)
        use_codes(changes, store, None, order)

    def complete(self) -> None:
        """Adds the buyers' writes.

        Raises TooManyWrites before the lists are asked for space, which would read them again.
        """
        items = self.changes.items
        new, known = list[int](), list[int]()
        for buyer in self._buyers.values():
            before = items
            buyer.save()
            items = self.changes.items
            (new if buyer.before is None else known).append(items - before)
        self.estimates = self.estimates.with_buyers(new, known)
        if items > MAX_ITEMS - self._min_items_of_lists:
            raise TooManyWrites(f"a unit of {items} items beside its lists")

    @abstractmethod
    def _list(self, order: Order) -> None:
        """Adds the order's entries to the lists."""


class ListedOrders(NewOrders):
    """New orders whose entries are rows, as the ends of lists require."""

    items_of_order = 4
    """Two entries in addition."""

    def _list(self, order: Order) -> None:
        reindex(self.changes, self._store.workspace, None, order)


class PackedOrders(NewOrders):
    """New orders whose entries are stored in pages."""

    _min_items_of_lists = _MIN_ITEMS_OF_LISTS

    def __init__(
        self, changes: Changes, store: Store, estimates: ItemEstimates, lists: ListsLoad
    ) -> None:
        """Starts without orders; `lists` is shared by the units of one load."""
        super().__init__(changes, store, estimates)
        self._lists = lists
        self._listed: list[Order] = []

    def foresee(self, orders: Iterable[IncomingOrder]) -> None:
        """Announces orders that follow or are already added; all are new."""
        last = max(orders, key=lambda each: each.placed_at)
        identifier = order_id(self._store.id, last.external_id)
        key = moment_key(last.placed_at, identifier)
        self._lists.foreseen = max(self._lists.foreseen, key)

    @property
    def has_entries(self) -> bool:
        """Returns whether any order was added."""
        return bool(self._listed)

    def start(self) -> None:
        """Starts to write everything. Raises LostRace, and TooManyWrites where it is too much."""
        self.complete()
        before, workspace = self.changes.items, self._store.workspace
        lists = (OrderList(workspace), OrderList(workspace, self._store.id))
        entries = [(each.tree, sorted(map(each.entry, self._listed), key=_key)) for each in lists]
        self._lists.start(self.changes, entries)
        self.estimates = self.estimates.with_lists(len(self.changes) - before)

    def goes_behind(self, other: object) -> bool:
        """Returns whether this may start before `other` is written: both are of the same load."""
        return isinstance(other, PackedOrders) and other._lists is self._lists

    def wait(self) -> None:
        """Waits until this is written, if another unit was started behind it. Raises LostRace."""
        self._lists.wait_for_first()

    def finish(self) -> None:
        """Waits until everything is written. Raises LostRace."""
        self._lists.finish()

    def abandon(self) -> None:
        """Waits for the writes in flight, and starts no more."""
        self._lists.abandon()

    @property
    def _items_of_lists(self) -> int:
        return self.estimates.lists

    def _list(self, order: Order) -> None:
        self._listed.append(order)


def _key(entry: TreeEntry) -> str:
    return entry.key


def missing_at_ends(store: Store) -> int:
    """Returns how many more orders the store's list needs as rows before others may be packed."""
    return ENDS - len(OrderList(store.workspace, store.id).tree.first(EVERYTHING, ENDS))
