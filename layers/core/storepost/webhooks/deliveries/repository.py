"""Reads and writes deliveries; the first attempt creates the row, or a request for one does."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, amend, find, find_all, find_in
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.model import KEPT_FOR, Delivery, earliest_id
from storepost.webhooks.deliveries.rows import (
    DeliveryItem,
    deliveries_partition,
    delivery_key,
    delivery_of,
    row_of_delivery,
)
from storepost.webhooks.endpoints.model import WebhookEndpoint
from storepost.webhooks.endpoints.repository import as_endpoint
from storepost.webhooks.endpoints.rows import WebhookEndpointItem, endpoint_key

_LAST = "~"
"""Sorts after every short id."""


@dataclass(frozen=True)
class CreatedWithin:
    """Deliveries that were created from one moment on, and before another one."""

    since: datetime | None = None
    until: datetime | None = None


ANY_TIME = CreatedWithin()


class DeliveryRepository:
    """The deliveries of one workspace."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self._scope = workspace

    def get(self, endpoint_id: UUID, delivery_id: UUID) -> Delivery | None:
        """Returns the delivery, until it is 30 days old."""
        row = find(DeliveryItem, delivery_key(self._scope, endpoint_id, delivery_id))
        return _unexpired(row)

    def with_endpoint(
        self, endpoint_id: UUID, delivery_id: UUID
    ) -> tuple[WebhookEndpoint | None, Delivery | None]:
        """Returns an endpoint and a delivery to it, in one read."""
        keys = (
            endpoint_key(self._scope, endpoint_id),
            delivery_key(self._scope, endpoint_id, delivery_id),
        )
        rows = find_all(keys)
        endpoint = find_in(rows, WebhookEndpointItem, keys[0])
        delivery = _unexpired(find_in(rows, DeliveryItem, keys[1]))
        return as_endpoint(endpoint) if endpoint else None, delivery

    def newest_first(
        self, endpoint_id: UUID, within: CreatedWithin, limit: int
    ) -> Iterator[Delivery]:
        """Returns an endpoint's deliveries of the last 30 days, of `limit` rows at most."""
        oldest = clock.now() - KEPT_FOR
        since = max(within.since, oldest) if within.since else oldest
        prefix = f"{short(endpoint_id)}#"
        first = prefix + short(earliest_id(since))
        last = prefix + (short(earliest_id(within.until)) if within.until else _LAST)
        if last < first:
            return iter(())
        rows = DeliveryItem.query(
            deliveries_partition(self._scope),
            DeliveryItem.sk.between(first, last),
            consistent_read=True,
            scan_index_forward=False,
            limit=limit,
        )
        return (delivery_of(row) for row in rows)

    def create(self, changes: Changes, delivery: Delivery) -> None:
        """Adds a delivery that somebody requested."""
        changes.create(row_of_delivery(delivery))

    def save(self, changes: Changes, before: Delivery, after: Delivery) -> None:
        """Writes a request about a delivery, or its replay.

        It is a lost race if an attempt was made meanwhile, or another of these was written.
        """
        changes.save(row_of_delivery(after), _unattempted(before) & _unchanged(before))

    def note_attempt(self, before: Delivery, after: Delivery) -> bool:
        """Writes a delivery after an attempt; returns False if another run made that attempt.

        It is one update of one row, half as expensive as a transaction, and creates the row if the
        attempt is the first.
        """
        row = row_of_delivery(after)
        condition = _unattempted(before)
        if before.number == 0:
            condition = Item.pk.does_not_exist() | condition
        return amend(DeliveryItem(*row.key), _actions(row), condition)


def _unexpired(row: DeliveryItem | None) -> Delivery | None:
    """Returns the delivery, unless it is over 30 days old: DynamoDB deletes rows days later."""
    if row is None or row.created_at + KEPT_FOR <= clock.now():
        return None
    return delivery_of(row)


def _unattempted(before: Delivery) -> Condition:
    same: Condition = DeliveryItem.number == before.number
    return same


def _unchanged(before: Delivery) -> Condition:
    replayed = DeliveryItem.is_replayed
    is_same: Condition = replayed.exists() if before.is_replayed else replayed.does_not_exist()
    same: Condition = is_same & (DeliveryItem.status == before.status.value)
    return same


def _actions(row: DeliveryItem) -> list[Action]:
    """Returns the actions that write the whole row in an update."""
    names = [name for name in DeliveryItem.get_attributes() if name not in {"pk", "sk", "kind"}]
    values = {name: getattr(row, name) for name in names}
    attributes = DeliveryItem.get_attributes()
    return [
        DeliveryItem.kind.set(DeliveryItem),
        *(
            attributes[name].remove() if value is None else attributes[name].set(value)
            for name, value in values.items()
        ),
    ]
