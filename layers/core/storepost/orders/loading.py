"""New orders of a store, several in one transaction: their lists are packed.

One transaction has the orders with their buyers and their entries in both lists, which stand in
pages; an order that is stored is listed. A buyer of several is written once. All that is decided of
an order is decided as its own PUT does, by the same functions.
"""

from collections.abc import Iterable
from math import ceil

from storepost.orders.buyers import Buyer
from storepost.orders.incoming import IncomingOrder
from storepost.orders.keys import order_id
from storepost.orders.model import Order, RecordedEvents
from storepost.orders.repository import OrderRepository
from storepost.orders.sales import has_sold_otherwise
from storepost.orders.service import use_codes
from storepost.orders.trees import OrderList
from storepost.people.profiles.model import Identity
from storepost.platform.persistence.changes import MAX_ITEMS, Changes, TooManyWrites
from storepost.platform.persistence.counted_tree import EVERYTHING, TreeEntry, moment_key
from storepost.platform.persistence.counted_tree.unit_loading import ListsLoad
from storepost.stores.stores.model import Store

ENDS = 72
"""Of a store's list at either end so many orders are written one by one: the first page of a list
is read without any page of entries."""

ITEMS_OF_LISTS = 12
"""What both lists take in a transaction at most, of levels that there usually are: two leaves each,
the nodes above, where pages are."""
_LEAST_OF_LISTS = 5
"""A leaf of each, the node above, and the import's row."""
ITEMS_OF_NEW_BUYER = 11
"""About what somebody new takes: a profile, three claims, four entries, their share of nodes."""


class OrderLoad:
    """The new orders of one unit of work."""

    def __init__(
        self,
        changes: Changes,
        store: Store,
        lists: ListsLoad,
        items_of_new_buyer: float = ITEMS_OF_NEW_BUYER,
    ) -> None:
        """Begins with none; `lists` goes on from unit to unit.

        `items_of_new_buyer` is what somebody new seems to take.
        """
        self.items_of_new_buyer = items_of_new_buyer
        """What somebody new takes; once all is to be committed, what it took."""
        self._changes = changes
        self._store = store
        self._lists = lists
        self._orders: list[Order] = []
        self._buyers: dict[tuple[Identity, ...], Buyer] = {}

    @property
    def items(self) -> int:
        """Returns about how many items the commit adds, beside what the unit has already."""
        new = self._new_buyers
        return ITEMS_OF_LISTS + ceil(self.items_of_new_buyer * new) + len(self._buyers) - new

    @property
    def _new_buyers(self) -> int:
        return sum(buyer.before is None for buyer in self._buyers.values())

    def knows_buyer_of(self, incoming: IncomingOrder) -> bool:
        """Returns whether an order of this unit names its buyer by the very same identities."""
        return incoming.identities(self._store) in self._buyers

    def add(self, incoming: IncomingOrder) -> None:
        """Adds an order that isn't stored, nor deleted, and whose customer isn't redacted.

        Raises CurrencyMismatch and MergedFirst, having added nothing.
        """
        changes, store = self._changes, self._store
        incoming.check_currency(store, None)
        order, placed = incoming.as_order(store, RecordedEvents()), None
        if identities := incoming.identities(store):
            if identities not in self._buyers:
                self._buyers[identities] = Buyer(changes, store, incoming)
            order, placed = self._buyers[identities].add(incoming, order)
        repository = OrderRepository(store.workspace, changes.reads)
        repository.save(changes, order, placed, is_counted=has_sold_otherwise(None, order))
        use_codes(changes, store, None, order)
        self._orders.append(order)

    def foresee(self, orders: Iterable[IncomingOrder]) -> None:
        """Says that these orders are to follow, with those that are added: new ones all of them."""
        last = max(orders, key=lambda each: each.placed_at)
        identifier = order_id(self._store.id, last.external_id)
        key = moment_key(last.placed_at, identifier)
        self._lists.foreseen = max(self._lists.foreseen, key)

    def start(self) -> None:
        """Begins to write everything. Raises LostRace, and TooManyWrites where it is too much."""
        self._save_buyers()
        workspace = self._store.workspace
        lists = (OrderList(workspace), OrderList(workspace, self._store.id))
        entries = [(each.tree, sorted(map(each.entry, self._orders), key=_key)) for each in lists]
        self._lists.start(self._changes, entries)

    def finish(self) -> None:
        """Waits until everything is written. Raises LostRace."""
        self._lists.finish()

    def abandon(self) -> None:
        """Waits for what is in flight, and begins nothing more."""
        self._lists.abandon()

    def _save_buyers(self) -> None:
        """Raises TooManyWrites before the lists are asked for room, which would read them anew."""
        before, new = self._changes.items, self._new_buyers
        for buyer in self._buyers.values():
            buyer.save()
        items = self._changes.items
        if new:
            self.items_of_new_buyer = (items - before - len(self._buyers) + new) / new
        if items > MAX_ITEMS - _LEAST_OF_LISTS:
            raise TooManyWrites(f"a unit of {items} items beside its lists")


def _key(entry: TreeEntry) -> str:
    return entry.key


def has_ends(store: Store) -> bool:
    """Returns whether so many of the store's orders are listed that others may be packed."""
    listed = OrderList(store.workspace, store.id).tree.first(EVERYTHING, ENDS)
    return 0 < len(listed) == ENDS
