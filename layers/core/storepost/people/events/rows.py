"""The rows that hold events.

An `order_placed` event is stored in the row with which the buyer's partition names the order, as
both are written together (docs/adr/0076). Every other event has its own row. So does this event
once that row is deleted, or moves to another time: the order was deleted, or belongs to another
profile.
"""

import json
from typing import Any

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.people.events.keys import EVENTS, position_of
from storepost.people.events.model import EventSource, ProfileEvent
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute

_EVENT = ("id", "name", "source", "occurred_at", "store_id", "properties")


class ProfileEventItem(Item, discriminator="profile_event"):
    """An event; its properties are compact JSON, which is parsed only on demand."""

    id = Identifier()
    name = UnicodeAttribute()
    source = UnicodeAttribute()
    occurred_at = UtcDateTimeAttribute()
    store_id = Identifier(null=True)
    properties = UnicodeAttribute()


class OrderPointerItem(Item, discriminator="order_pointer"):
    """Names an order, or the tombstone of one, in its buyer's partition.

    The attributes are those of the `order_placed` event; there are none if that has its own row.
    """

    id = Identifier(null=True)
    name = UnicodeAttribute(null=True)
    source = UnicodeAttribute(null=True)
    occurred_at = UtcDateTimeAttribute(null=True)
    store_id = Identifier(null=True)
    properties = UnicodeAttribute(null=True)

    @property
    def carries_event(self) -> bool:
        """Returns whether the row holds the event."""
        return self.id is not None


type EventRow = ProfileEventItem | OrderPointerItem
"""A row that holds an event."""


class UniqueEventItem(Item, discriminator="unique_event"):
    """Records that an event has a unique id, with the event's sort key."""

    event = UnicodeAttribute()


def properties_text(properties: object) -> str:
    """Returns properties as stored. Raises ValueError where JSON can't represent them."""
    return json.dumps(properties, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def own_row(key: Key, event: ProfileEvent) -> ProfileEventItem:
    """Returns an event as its own row."""
    return ProfileEventItem(*key, **_attributes(event))


def pointer_row(key: Key, placed: ProfileEvent | None) -> OrderPointerItem:
    """Returns a pointer to an order, with the `order_placed` event if it is to hold it."""
    return OrderPointerItem(*key, **(_attributes(placed) if placed else {}))


def as_event(row: EventRow) -> ProfileEvent:
    """Returns the event of a row that holds one."""
    return ProfileEvent(
        id=row.id,
        name=row.name,
        source=EventSource(row.source),
        occurred_at=row.occurred_at,
        store_id=row.store_id,
        properties=json.loads(row.properties),
    )


def sort_key_of(row: EventRow) -> str:
    """Returns the sort key that the event has, or would have, in its own row.

    An event in its order's pointer keeps its position, which uses the order's id.
    """
    if isinstance(row, ProfileEventItem):
        return row.sk
    return f"{EVENTS}{position_of(row.sk)}"


def delete_event(changes: Changes, row: EventRow) -> None:
    """Deletes an event, if it is still where it was read; a pointer to an order stays."""
    if isinstance(row, ProfileEventItem):
        changes.delete(ProfileEventItem(*row.key), ProfileEventItem.pk.exists())
        return
    attributes = OrderPointerItem.get_attributes()
    actions: list[Action] = [attributes[name].remove() for name in _EVENT]
    changes.update(OrderPointerItem(*row.key), actions, _as_read(row))


def move_pointer(changes: Changes, row: OrderPointerItem, into: str) -> None:
    """Moves a pointer with its event to another partition, if it is unchanged since it was read."""
    delete_pointer(changes, row)
    carried: dict[str, Any] = {name: getattr(row, name) for name in _EVENT}
    changes.create(OrderPointerItem(into, row.sk, **carried))


def delete_pointer(changes: Changes, row: OrderPointerItem) -> None:
    """Deletes a pointer with its event, if it is unchanged since it was read."""
    changes.delete(OrderPointerItem(*row.key), _as_read(row))


def release_event(changes: Changes, row: OrderPointerItem) -> None:
    """Deletes a pointer, if it is unchanged, and gives the event that it holds its own row."""
    delete_pointer(changes, row)
    if row.carries_event:
        changes.save(own_row((row.pk, sort_key_of(row)), as_event(row)))


def _as_read(row: OrderPointerItem) -> Condition:
    event_id = OrderPointerItem.id
    same = event_id == row.id if row.carries_event else event_id.does_not_exist()
    demanded: Condition = OrderPointerItem.pk.exists() & same
    return demanded


def _attributes(event: ProfileEvent) -> dict[str, Any]:
    return {
        "id": event.id,
        "name": event.name,
        "source": event.source,
        "occurred_at": event.occurred_at,
        "store_id": event.store_id,
        "properties": properties_text(event.properties),
    }
