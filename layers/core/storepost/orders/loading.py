"""New orders of a store, several in one transaction with their buyers and both lists.

An order that is stored is listed; most entries stand in pages, those at the ends of lists are rows.
A buyer of several is written once. All that is decided of an order is decided as its own PUT does,
by the same functions.
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
"""Of a store's list at either end so many orders have their entries in rows: the first page of a
list is read without any page of entries."""

ITEMS_OF_LISTS = 11
"""What both lists take in a transaction at most, of levels that there usually are: two leaves each,
the nodes above, where pages are."""
_MIN_ITEMS_OF_LISTS = 2
"""A leaf of each."""
_RECENT = 4
"""Transactions by which it is foreseen what parts take in the next one."""
ITEMS_OF_NEW_BUYER = 11
"""About what somebody new takes: a profile, three claims, four entries, their share of nodes."""
_ITEMS_OF_KNOWN_BUYER = 1
"""The profile, of which no entry moves."""


@dataclass(frozen=True)
class ItemEstimates:
    """Says how many items parts of a transaction seem to take, by the last ones before.

    Each is a number for a transaction, and the largest counts: one item too many costs more than
    one too few.
    """

    recent_lists: tuple[float, ...] = (ITEMS_OF_LISTS,)
    """Pages of both lists, and what stands above them: a new leaf takes more than one that is
    appended to, and comes with some of them."""
    recent_new: tuple[float, ...] = (ITEMS_OF_NEW_BUYER,)
    """Somebody new on average, with claims and entries."""
    recent_known: tuple[float, ...] = (_ITEMS_OF_KNOWN_BUYER,)
    """Somebody known on average: their first order may move them in lists."""

    @property
    def lists(self) -> int:
        """Returns what both lists seem to take."""
        return ceil(max(self.recent_lists))

    def of_buyers(self, new: int, known: int) -> int:
        """Returns what so many buyers seem to take."""
        return ceil(max(self.recent_new) * new + max(self.recent_known) * known)

    def with_lists(self, items: int) -> "ItemEstimates":
        """Returns them with what the lists took in one transaction more."""
        return replace(self, recent_lists=_one_more(self.recent_lists, items))

    def with_buyers(self, new: Sequence[int], known: Sequence[int]) -> "ItemEstimates":
        """Returns them with what each buyer took in one transaction more."""
        recent_new = _one_more(self.recent_new, fmean(new)) if new else self.recent_new
        recent_known = _one_more(self.recent_known, fmean(known)) if known else self.recent_known
        return replace(self, recent_new=recent_new, recent_known=recent_known)


def _one_more(recent: tuple[float, ...], items: float) -> tuple[float, ...]:
    return (*recent, items)[-_RECENT:]


class NewOrders(ABC):
    """The new orders of one unit of work, of whom a buyer of several is written once."""

    items_of_order = 2
    """Beside its buyer: the order, and its pointer with its event."""
    _min_items_of_lists = 0

    def __init__(self, changes: Changes, store: Store, estimates: ItemEstimates) -> None:
        """Begins with none."""
        self.estimates = estimates
        """What parts seem to take; once all is to be committed, what they took."""
        self.changes = changes
        self._store = store
        self._buyers: dict[tuple[Identity, ...], Buyer] = {}

    @property
    def items(self) -> int:
        """Returns about how many items the commit adds, beside what the unit has already."""
        new = sum(buyer.before is None for buyer in self._buyers.values())
        return self._items_of_lists + self.estimates.of_buyers(new, len(self._buyers) - new)

    @property
    def _items_of_lists(self) -> int:
        """What the commit adds for the lists."""
        return 0

    def knows_buyer(self, identities: tuple[Identity, ...]) -> bool:
        """Returns whether an order of this unit names its buyer by the very same identities."""
        return identities in self._buyers

    def add(self, incoming: IncomingOrder, identities: tuple[Identity, ...]) -> None:
        """Adds an order that isn't stored, nor deleted, and whose customer isn't redacted.

        The identities are those that name its buyer.
        Raises CurrencyMismatch and MergedFirst, having added nothing.
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
        """Adds what is written of the buyers.

        Raises TooManyWrites before the lists are asked for room, which would read them anew.
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
        """Gives the order its places in the lists."""


class ListedOrders(NewOrders):
    """New orders whose entries are rows, as the ends of lists are to be."""

    items_of_order = 4
    """Two entries, too."""

    def _list(self, order: Order) -> None:
        reindex(self.changes, self._store.workspace, None, order)


class PackedOrders(NewOrders):
    """New orders whose entries stand in pages."""

    _min_items_of_lists = _MIN_ITEMS_OF_LISTS

    def __init__(
        self, changes: Changes, store: Store, estimates: ItemEstimates, lists: ListsLoad
    ) -> None:
        """Begins with none; `lists` goes on from unit to unit."""
        super().__init__(changes, store, estimates)
        self._lists = lists
        self._listed: list[Order] = []

    def foresee(self, orders: Iterable[IncomingOrder]) -> None:
        """Says that these orders are to follow, with those that are added: new ones all of them."""
        last = max(orders, key=lambda each: each.placed_at)
        identifier = order_id(self._store.id, last.external_id)
        key = moment_key(last.placed_at, identifier)
        self._lists.foreseen = max(self._lists.foreseen, key)

    def start(self) -> None:
        """Begins to write everything. Raises LostRace, and TooManyWrites where it is too much."""
        self.complete()
        before, workspace = self.changes.items, self._store.workspace
        lists = (OrderList(workspace), OrderList(workspace, self._store.id))
        entries = [(each.tree, sorted(map(each.entry, self._listed), key=_key)) for each in lists]
        self._lists.start(self.changes, entries)
        self.estimates = self.estimates.with_lists(len(self.changes) - before)

    def goes_behind(self, other: object) -> bool:
        """Returns whether it may be begun before the other is written: it is of the same load."""
        return isinstance(other, PackedOrders) and other._lists is self._lists

    def wait(self) -> None:
        """Waits until it is written, where another one was begun behind it. Raises LostRace."""
        self._lists.wait_for_first()

    def finish(self) -> None:
        """Waits until everything is written. Raises LostRace."""
        self._lists.finish()

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        self._lists.abandon()

    @property
    def _items_of_lists(self) -> int:
        return self.estimates.lists

    def _list(self, order: Order) -> None:
        self._listed.append(order)


def _key(entry: TreeEntry) -> str:
    return entry.key


def missing_at_ends(store: Store) -> int:
    """Returns how many orders more must be listed of the store until others may be packed."""
    return ENDS - len(OrderList(store.workspace, store.id).tree.first(EVERYTHING, ENDS))
