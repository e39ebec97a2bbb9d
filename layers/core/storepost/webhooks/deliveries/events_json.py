"""An event as JSON, in a message of a queue and in a delivery's row. It holds ids alone."""

from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.values import clock
from storepost.webhooks.events.model import Resource, WebhookEvent


def event_json(event: WebhookEvent) -> dict[str, Any]:
    """Returns what `event_of_json` reads; empty parts are left out."""
    values: dict[str, Any] = {
        "type": event.type,
        "id": str(event.event_id),
        "at": clock.to_text(event.occurred_at),
    }
    if event.resource:
        values["resource"] = [event.resource.kind, str(event.resource.id)]
    if event.ids:
        values["ids"] = event.ids
    return values


def event_of_json(values: dict[str, Any]) -> WebhookEvent:
    """Returns the event."""
    resource = values.get("resource")
    return WebhookEvent(
        type=values["type"],
        event_id=UUID(values["id"]),
        occurred_at=_moment(values["at"]),
        resource=Resource(resource[0], UUID(resource[1])) if resource else None,
        ids=values.get("ids", {}),
    )


def _moment(text: str) -> datetime:
    return clock.from_text(text)
