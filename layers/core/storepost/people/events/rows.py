"""The rows that hold events.

That an order was placed stands in the row by which its buyer's partition names the order, as both
are written together (docs/adr/0076). Every other event has a row of its own. So has this one once
that row goes, or moves to another moment: the order was deleted, or is another one's.
"""

import json
from typing import Any

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.people.events.keys import event_prefix, position_of
from storepost.people.events.model import EventSource, ProfileEvent
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute

_EVENT = ("id", "name", "source", "occurred_at", "store_id", "properties")


class ProfileEventItem(Item, discriminator="profile_event"):
    """An event; its properties are compact JSON, which is read only for whoever asks."""

    id = Identifier()
    name = UnicodeAttribute()
    source = UnicodeAttribute()
    occurred_at = UtcDateTimeAttribute()
    store_id = Identifier(null=True)
    properties = UnicodeAttribute()


class OrderPointerItem(Item, discriminator="order_pointer"):
    """That an order belongs to a profile, or what is left of one that did.

    The attributes are those of the event that the order was placed; none where that has a row of
    its own.
    """

    id = Identifier(null=True)
    name = UnicodeAttribute(null=True)
    source = UnicodeAttribute(null=True)
    occurred_at = UtcDateTimeAttribute(null=True)
    store_id = Identifier(null=True)
    properties = UnicodeAttribute(null=True)

    @property
    def carries_event(self) -> bool:
        """Returns whether the row has the event."""
        return self.id is not None


type EventRow = ProfileEventItem | OrderPointerItem
"""A row that has an event."""


class UniqueEventItem(Item, discriminator="unique_event"):
    """Records that an event with a unique id is known, and its sort key."""

    event = UnicodeAttribute()


def properties_text(properties: object) -> str:
    """Properties as they are kept. Raises ValueError where they are nothing that JSON can say."""
    return json.dumps(properties, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def own_row(key: Key, event: ProfileEvent) -> ProfileEventItem:
    """Returns an event as a row of its own."""
    return ProfileEventItem(*key, **_attributes(event))


def pointer_row(key: Key, placed: ProfileEvent | None) -> OrderPointerItem:
    """Returns a pointer to an order, with the event that it was placed where it is to carry it."""
    return OrderPointerItem(*key, **(_attributes(placed) if placed else {}))


def as_event(row: EventRow) -> ProfileEvent:
    """Returns the event of a row that has one."""
    return ProfileEvent(
        id=row.id,
        name=row.name,
        source=EventSource(row.source),
        occurred_at=row.occurred_at,
        store_id=row.store_id,
        properties=json.loads(row.properties),
    )


def sort_key_of(row: EventRow) -> str:
    """Returns the sort key that the event has in a row of its own, or would have.

    One that its order's pointer carries keeps its place: it goes by the order's id.
    """
    if isinstance(row, ProfileEventItem):
        return row.sk
    return f"{event_prefix()}{position_of(row.sk)}"


def delete_event(changes: Changes, row: EventRow) -> None:
    """Deletes an event that is where it was read; a pointer to an order stays without it."""
    if isinstance(row, ProfileEventItem):
        changes.delete(ProfileEventItem(*row.key), ProfileEventItem.pk.exists())
        return
    attributes = OrderPointerItem.get_attributes()
    actions: list[Action] = [attributes[name].remove() for name in _EVENT]
    changes.update(OrderPointerItem(*row.key), actions, _as_read(row))


def move_pointer(changes: Changes, row: OrderPointerItem, into: str) -> None:
    """Moves a pointer, if it is as it was read, to another partition with what it carries."""
    delete_pointer(changes, row)
    carried: dict[str, Any] = {name: getattr(row, name) for name in _EVENT}
    changes.create(OrderPointerItem(into, row.sk, **carried))


def delete_pointer(changes: Changes, row: OrderPointerItem) -> None:
    """Deletes a pointer with what it carries, if it is as it was read."""
    changes.delete(OrderPointerItem(*row.key), _as_read(row))


def release_event(changes: Changes, row: OrderPointerItem) -> None:
    """Deletes a pointer, if it is as it was read, and gives what it carries a row of its own."""
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
