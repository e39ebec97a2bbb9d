"""Rows of orders.

A deleted order's tombstone keeps its id and time, so that no older data restores it, and its buyer,
so that the buyer's later erasure reaches it and no order restores that person.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pynamodb.attributes import BooleanAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.orders.keys import (
    deleted_key,
    deleted_pointer_key,
    order_id,
    order_key,
    order_of_pointer,
    pointer_prefix,
)
from storepost.orders.model import (
    Amounts,
    LineItem,
    Order,
    RecordedEvents,
)
from storepost.people.events.keys import event_partition, pointer_key
from storepost.people.events.model import ProfileEvent
from storepost.people.events.rows import (
    OrderPointerItem,
    delete_pointer,
    move_pointer,
    pointer_row,
    release_event,
)
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find_in,
)
from storepost.platform.persistence.mapping import as_value, attributes_of
from storepost.platform.persistence.reads import Reads, UnitRepository
from storepost.platform.persistence.records import Json, Record, Records
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.values.scope import WorkspaceScope

_LINE = (
    *("title", "variant_title", "sku", "quantity", "unit_price", "total_discount"),
    *("is_gift_card", "product_external_id", "variant_external_id"),
)


class OrderItem(VersionedItem, MarkedItem, discriminator="order"):
    """An order or its tombstone."""

    id = Identifier()
    store_id = Identifier()
    external_id = UnicodeAttribute()
    updated_at = UtcDateTimeAttribute()
    deleted_at = UtcDateTimeAttribute(null=True)
    number = UnicodeAttribute(null=True)
    placed_at = UtcDateTimeAttribute(null=True)
    financial_status = UnicodeAttribute(null=True)
    fulfillment_status = UnicodeAttribute(null=True)
    cancelled_at = UtcDateTimeAttribute(null=True)
    is_test = BooleanAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    source_name = UnicodeAttribute(null=True)
    admin_url = UnicodeAttribute(null=True)
    currency = UnicodeAttribute(null=True)
    amounts = Record("total", "subtotal", "discounts", "shipping", "tax", "refunded", null=True)
    line_items = Records(*_LINE, named_by=[*_LINE[:3], *_LINE[-2:]], null=True)
    discount_codes = Json(null=True)
    customer_external_id = UnicodeAttribute(null=True)
    profile_id = Identifier(null=True)
    """A tombstone has it too."""
    recorded = Record("placed", "cancelled", "refunded", attr_name="told", null=True)
    """The first two as 0 or 1. A tombstone has it too."""
    buyer_erased = BooleanAttribute(null=True)
    """A tombstone has it too."""
    to_count = UnicodeAttribute(null=True)
    """`sales` where this write changes the counted sales; the stream's filter matches it."""


_SALES = "sales"


class DeletedOrderItem(Item, discriminator="deleted_order"):
    """Names a deleted order, so that a workspace's deletion finds its tombstone."""


@dataclass(frozen=True)
class StoredOrder:
    """What is stored of an order: the order, or its tombstone."""

    updated_at: datetime
    order: Order | None
    recorded: RecordedEvents
    store_id: UUID
    profile_id: UUID | None
    """The buyer now, or when the order was deleted."""
    buyer_erased: bool


class OrderRepository(UnitRepository):
    """A workspace's orders."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, OrderItem] = {}

    def get(self, order_id: UUID) -> Order | None:
        """Returns the order, or None where it doesn't exist or is deleted."""
        stored = self.find_stored(order_id)
        return stored.order if stored else None

    def find_stored(self, order_id: UUID) -> StoredOrder | None:
        """Returns what is stored under the id, deleted or not."""
        item = self._reads.find(OrderItem, order_key(self._scope, order_id))
        if item is None:
            return None
        self._read[order_id] = item
        order = as_order(item) if item.deleted_at is None else None
        recorded = order.recorded if order else _as_recorded(item)
        erased = bool(item.buyer_erased)
        return StoredOrder(item.updated_at, order, recorded, item.store_id, item.profile_id, erased)

    def get_many(self, order_ids: Iterable[UUID]) -> list[Order]:
        """Returns the orders that exist, in the order of the ids."""
        keys = [order_key(self._scope, order_id) for order_id in order_ids]
        rows = self._reads.find_all(keys)
        items = [find_in(rows, OrderItem, key) for key in keys]
        return [as_order(item) for item in items if item and not item.deleted_at]

    def ids_of_profile(
        self, partitions: Iterable[UUID], limit: int | None = None, *, descending: bool = False
    ) -> Iterator[UUID]:
        """Returns the ids of a profile's orders by time; `limit` of each partition, or all.

        An order only moves to a later partition. As partitions are read in that order, an order
        that moves meanwhile is found twice rather than never.
        """
        found = {
            pointer.sk
            for each in partitions
            for pointer in self.pointers_of(each, limit, descending=descending)
        }
        return map(order_of_pointer, sorted(found, reverse=descending))

    def pointers_of(
        self,
        profile_id: UUID,
        limit: int | None = None,
        *,
        descending: bool = False,
        deleted_too: bool = False,
    ) -> Iterable[OrderPointerItem]:
        """Returns one profile's pointers to orders, by time; pointers to tombstones come last."""
        partition = event_partition(self._scope, profile_id)
        prefix = pointer_prefix(deleted_too=deleted_too)
        return OrderPointerItem.rows_in(partition, prefix, newest_first=descending, limit=limit)

    def move(self, changes: Changes, pointer: OrderPointerItem, source: UUID, into: UUID) -> None:
        """Assigns an order to another profile, if the order's profile is still `source`."""
        order = OrderItem(*order_key(self._scope, order_of_pointer(pointer.sk)))
        actions: list[Action] = [OrderItem.profile_id.set(into), OrderItem.to_count.remove()]
        changes.update(order, actions, OrderItem.profile_id == source)
        move_pointer(changes, pointer, event_partition(self._scope, into))

    def erase_buyer(self, changes: Changes, pointer: OrderPointerItem, buyer_id: UUID) -> None:
        """Removes the buyer from an order for good, if the order's profile is still `buyer_id`."""
        order = OrderItem(*order_key(self._scope, order_of_pointer(pointer.sk)))
        erased: list[Action] = [
            OrderItem.profile_id.remove(),
            OrderItem.customer_external_id.remove(),
            OrderItem.buyer_erased.set(True),
            OrderItem.to_count.remove(),
        ]
        changes.update(order, erased, OrderItem.profile_id == buyer_id)
        delete_pointer(changes, pointer)

    def save(
        self,
        changes: Changes,
        order: Order,
        placed: ProfileEvent | None = None,
        *,
        is_counted: bool,
    ) -> None:
        """Writes the order and its pointer, if the order is unchanged since it was read here.

        `placed` is the buyer's `order_placed` event if it is new. `is_counted` requests the count
        of what the order sold.
        """
        attributes = {**_attributes(order), "to_count": _SALES if is_counted else None}
        item, old = self._read.get(order.id), None
        if item is None:
            item = OrderItem(*order_key(self._scope, order.id), **attributes)
        else:
            old = self._pointer(item)
            for name, value in attributes.items():
                setattr(item, name, value)
        changes.save(item)
        self._point(changes, old, self._pointer(item), placed)

    def redact_buyer(self, changes: Changes, order_id: UUID) -> None:
        """Removes the buyer from the order or tombstone that was read here."""
        item = self._read[order_id]
        old = self._pointer(item)
        item.profile_id = item.customer_external_id = item.to_count = None
        item.buyer_erased = True
        changes.save(item)
        self._point(changes, old, None)

    def delete(self, changes: Changes, order_id: UUID) -> None:
        """Deletes the order, if it is unchanged since it was read here."""
        item = self._read[order_id]
        changes.delete(item)
        self._point(changes, self._pointer(item), None)

    def tombstone(
        self,
        changes: Changes,
        store_id: UUID,
        external_id: str,
        deleted_at: datetime,
        *,
        updated_at: datetime,
        buyer_erased: bool,
        is_counted: bool,
    ) -> None:
        """Writes a tombstone: the id, the times, the recorded events, and the buyer if not erased.

        The order must be unchanged since it was read here. `is_counted` requests that its counted
        sales be removed.
        """
        identifier = order_id(store_id, external_id)
        known = self._read.get(identifier)
        tombstone = OrderItem(
            *order_key(self._scope, identifier),
            id=identifier,
            store_id=store_id,
            external_id=external_id,
            updated_at=updated_at,
            deleted_at=deleted_at,
            recorded=known.recorded if known else None,
            profile_id=known.profile_id if known and not buyer_erased else None,
            buyer_erased=buyer_erased or None,
            to_count=_SALES if is_counted else None,
        )
        if known:
            tombstone.version = known.version
        changes.save(tombstone)
        changes.save(DeletedOrderItem(*deleted_key(self._scope, identifier)))
        self._point(changes, self._pointer(known), self._pointer(tombstone))

    def _point(
        self, changes: Changes, old: Key | None, new: Key | None, placed: ProfileEvent | None = None
    ) -> None:
        if old == new and placed is None:
            return
        if old and old != new:
            self._delete_pointer(changes, old)
        if new:
            changes.save(pointer_row(new, placed))

    def _delete_pointer(self, changes: Changes, key: Key) -> None:
        """Deletes a pointer; the event that it carries gets its own row.

        A missing pointer was moved by another writer, and this one loses the race.
        """
        carries = key[1].startswith(pointer_prefix())
        row = self._reads.find(OrderPointerItem, key) if carries else None
        release_event(changes, row or OrderPointerItem(*key))

    def _pointer(self, item: OrderItem | None) -> Key | None:
        """The key of the buyer's pointer to the order or tombstone."""
        if item is None or item.profile_id is None:
            return None
        if item.deleted_at is not None:
            return deleted_pointer_key(self._scope, item.profile_id, item.id)
        return pointer_key(self._scope, item.profile_id, item.placed_at, item.id)


def _attributes(order: Order) -> dict[str, Any]:
    amounts = order.amounts
    return attributes_of(
        OrderItem,
        order,
        deleted_at=None,
        amounts=[
            amounts.total,
            amounts.subtotal,
            amounts.total_discounts,
            amounts.total_shipping,
            amounts.total_tax,
            amounts.total_refunded,
        ],
        line_items=[_line_row(line) for line in order.line_items],
        discount_codes=list(order.discount_codes),
        recorded=_recorded_row(order.recorded),
        buyer_erased=order.buyer_erased or None,
    )


def _line_row(line: LineItem) -> list[object]:
    return [
        line.title,
        line.variant_title,
        line.sku,
        line.quantity,
        line.unit_price,
        line.total_discount,
        line.is_gift_card,
        line.product_external_id,
        line.variant_external_id,
    ]


def as_order(item: OrderItem) -> Order:
    """Returns the order of a row that isn't a tombstone."""
    return as_value(
        Order,
        item,
        amounts=Amounts(*item.amounts),
        line_items=tuple(LineItem(*row) for row in item.line_items),
        discount_codes=tuple(item.discount_codes),
        recorded=_as_recorded(item),
        buyer_erased=bool(item.buyer_erased),
    )


def _recorded_row(recorded: RecordedEvents) -> list[int] | None:
    return (
        None
        if recorded == RecordedEvents()
        else [int(recorded.placed), int(recorded.cancelled), recorded.refunded]
    )


def _as_recorded(item: OrderItem) -> RecordedEvents:
    placed, cancelled, refunded = item.recorded or (0, 0, 0)
    return RecordedEvents(bool(placed), bool(cancelled), refunded)
