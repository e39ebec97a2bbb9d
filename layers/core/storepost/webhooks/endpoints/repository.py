"""Reads and writes a workspace's webhook endpoints."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, amend, find, find_all, find_in
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.endpoints.model import (
    MAX_ENDPOINTS,
    EndpointHealth,
    WebhookEndpoint,
)
from storepost.webhooks.endpoints.problems import EndpointLimit
from storepost.webhooks.endpoints.rows import (
    PREFIX,
    EndpointCountItem,
    WebhookEndpointItem,
    count_key,
    endpoint_key,
)


class EndpointRepository:
    """The endpoints of one workspace."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self._scope = workspace

    def get(self, endpoint_id: UUID) -> WebhookEndpoint | None:
        """Returns the endpoint."""
        item = find(WebhookEndpointItem, endpoint_key(self._scope, endpoint_id))
        return as_endpoint(item) if item else None

    def all(self) -> list[WebhookEndpoint]:
        """Returns all endpoints, in no order that means anything."""
        rows = WebhookEndpointItem.rows_in(self._scope.key, PREFIX)
        return [as_endpoint(row) for row in rows]

    def add(self, changes: Changes, endpoint: WebhookEndpoint) -> None:
        """Adds a new endpoint. Raises EndpointLimit."""
        changes.create(self._row(endpoint))
        if self._count(changes, 1) >= MAX_ENDPOINTS:
            raise EndpointLimit()

    def save(self, changes: Changes, endpoint: WebhookEndpoint) -> None:
        """Writes a changed endpoint; a lost race if it was changed or deleted meanwhile."""
        changes.save(self._row(endpoint))

    def delete(self, changes: Changes, endpoint: WebhookEndpoint) -> None:
        """Deletes an endpoint."""
        row = WebhookEndpointItem(*endpoint_key(self._scope, endpoint.id))
        changes.delete(row, Item.pk.exists())
        self._count(changes, -1)

    def sealed(self, endpoint_id: UUID, secret: str) -> str:
        """Returns a secret as the endpoint's row has it."""
        return seal(secret.encode(), Purpose.WEBHOOK_SECRET, self._context(endpoint_id))

    def secrets(self, endpoint: WebhookEndpoint, now: datetime) -> list[str]:
        """Returns the secrets that sign at a moment, the newest first."""
        context = self._context(endpoint.id)
        sealed = endpoint.secrets.at(now)
        return [unseal(each, Purpose.WEBHOOK_SECRET, context).decode() for each in sealed]

    def note_success(self, endpoint: WebhookEndpoint, at: datetime) -> bool:
        """Records that the endpoint accepted an event; returns whether it still exists."""
        actions: list[Action] = [
            WebhookEndpointItem.last_success_at.set(at),
            WebhookEndpointItem.failing_since.remove(),
        ]
        return self._amend(endpoint.id, actions, Item.pk.exists())

    def begin_failing(self, endpoint: WebhookEndpoint, at: datetime) -> bool:
        """Records the first failure after a success; returns whether this is the first."""
        working = Item.pk.exists() & WebhookEndpointItem.failing_since.does_not_exist()
        return self._amend(endpoint.id, [WebhookEndpointItem.failing_since.set(at)], working)

    def expect(self, changes: Changes, endpoint: WebhookEndpoint) -> None:
        """Demands that the endpoint still exists; else it is a lost race."""
        row = WebhookEndpointItem(*endpoint_key(self._scope, endpoint.id))
        changes.expect(row, Item.pk.exists())

    def _amend(self, endpoint_id: UUID, actions: list[Action], condition: Condition) -> bool:
        return amend(
            WebhookEndpointItem(*endpoint_key(self._scope, endpoint_id)), actions, condition
        )

    def _count(self, changes: Changes, by: int) -> int:
        """Adds to the count of endpoints; returns how many there were."""
        row = find(EndpointCountItem, count_key(self._scope))
        before = int(row.endpoints) if row else 0
        as_read = EndpointCountItem.endpoints == before if row else Item.pk.does_not_exist()
        changes.save(EndpointCountItem(*count_key(self._scope), endpoints=before + by), as_read)
        return before

    def _context(self, endpoint_id: UUID) -> str:
        return f"{self._scope.id}#{endpoint_id}"

    def _row(self, endpoint: WebhookEndpoint) -> WebhookEndpointItem:
        health = endpoint.health
        row = as_row(
            WebhookEndpointItem,
            endpoint_key(self._scope, endpoint.id),
            endpoint,
            events=list(endpoint.events),
            last_success_at=health.last_success_at,
            failing_since=health.failing_since,
            reported_at=health.reported_at,
        )
        row.store_secrets(endpoint.secrets)
        if endpoint.version is not None:
            row.version = endpoint.version
        return row


def as_endpoint(item: WebhookEndpointItem) -> WebhookEndpoint:
    """Returns the endpoint of a row."""
    return as_value(
        WebhookEndpoint,
        item,
        workspace=WorkspaceScope.of(item.pk),
        events=tuple(item.events),
        secrets=item.secrets,
        health=EndpointHealth(item.last_success_at, item.failing_since, item.reported_at),
    )


def by_workspace(
    workspaces: Iterable[WorkspaceScope],
) -> dict[WorkspaceScope, list[WebhookEndpoint]]:
    """Returns the endpoints of those of the workspaces that have any.

    It reads the counts of all in one call, and queries each that has endpoints. The count changes
    in the endpoint's own transaction, and both reads are strongly consistent (docs/adr/0151).
    """
    scopes = {count_key(each): each for each in workspaces}
    counts = find_all(scopes)
    having = [
        scope
        for key, scope in scopes.items()
        if (row := find_in(counts, EndpointCountItem, key)) and row.endpoints
    ]
    return {each: EndpointRepository(each).all() for each in having}
